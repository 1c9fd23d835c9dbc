// The parser behind `SwiftOutline`: declarations and their scopes.

/// Goes through the tokens once, with a stack of open brackets.
struct SwiftOutlineParser {
  let tokens: [SwiftToken]
  var at = 0
  var declarations: [SwiftOutline.Declaration] = []
  var uses: [SwiftOutline.Use] = []
  var localNames: Set<String> = []

  enum Scope: Equatable {
    case bracket
    /// Function bodies, accessors, closures.
    case code
    case type(path: String, isExtension: Bool, isProtocol: Bool, isEnum: Bool)
  }

  var scopes: [Scope] = []
  /// The scope that the next brace opens, when a type's header was read.
  var pending: Scope?
  var isPrivate = false
  var isPublic = false
  /// The access level of the extension around it.
  var isInPrivateExtension = false

  init(tokens: [SwiftToken]) { self.tokens = tokens }

  static let typeKeywords: Set<String> = ["struct", "class", "enum", "actor", "protocol"]
  static let notNames: Set<String> = [
    "as", "associatedtype", "async", "await", "break", "case", "catch", "continue", "default", "defer", "do", "each",
    "else", "extension", "fallthrough", "false", "fileprivate", "final", "for", "func", "guard", "if", "import", "in",
    "indirect", "inout", "internal", "is", "lazy", "let", "mutating", "nil", "nonisolated", "nonmutating", "open",
    "override", "package", "private", "public", "repeat", "required", "rethrows", "return", "self", "some", "any",
    "static", "super", "switch", "throw", "throws", "true", "try", "unowned", "var", "weak", "where", "while",
    "convenience", "dynamic", "get", "set", "willSet", "didSet", "borrowing", "consuming", "sending", "isolated",
  ]

  func token(_ distance: Int = 0) -> SwiftToken? {
    tokens.indices.contains(at + distance) ? tokens[at + distance] : nil
  }

  func text(_ distance: Int = 0) -> String { token(distance)?.text ?? "" }

  var enclosing: [String] {
    scopes.reversed().compactMap { if case .type(let path, _, _, _) = $0 { path } else { nil } }
  }

  /// Whether declarations here are members or top-level: no function body or argument list is open.
  var isDeclarative: Bool {
    switch scopes.last {
    case nil, .type: true
    case .bracket, .code: false
    }
  }

  mutating func parse() {
    while at < tokens.count {
      let current = tokens[at]
      if text(-1) == ".", current.kind == .word {
        readUse()
        continue
      }
      switch current.text {
      case "{": openBrace()
      case "}": close(.code)
      case "(", "[":
        scopes.append(.bracket)
        at += 1
      case ")", "]": close(.bracket)
      case "import" where current.isFirstOnLine || isDeclarative: skipLine()
      case "private", "fileprivate":
        // `private(set)` leaves the getter to everybody.
        isPrivate = isPrivate || !(text(1) == "(" && text(2) == "set")
        at += 1
        if text() == "(" { at += 3 }
      case "public", "package":
        isPublic = text(1) != "("
        at += 1
      case "func": readFunction()
      case "init" where isDeclarative && ["(", "?", "!", "<"].contains(where: text(1).hasPrefix): readInitializer()
      case "subscript" where isDeclarative && ["(", "<"].contains(where: text(1).hasPrefix):
        at += 1
        endDeclaration()
      case "var", "let": readPattern()
      case "case" where isInEnum: readCases()
      case "typealias", "associatedtype":
        at += 1
        if let name = token(), name.kind == .word { declare(.type, name) }
      case "operator" where scopes.isEmpty:
        at += 1
        if let name = token(), name.kind == .symbol { declare(.symbol, name) }
      case "extension" where scopes.isEmpty: readExtension()
      case "for" where !["(", ","].contains(text(-1)) && text(1) != ":":
        at += 1
        readLocals { $0 == "in" }
      case _ where Self.typeKeywords.contains(current.text) && startsType: readType()
      default: readUse()
      }
    }
  }

  var startsType: Bool {
    guard let name = token(1), name.kind == .word else { return false }
    if at > 0, [".", "(", ":", ","].contains(text(-1)) { return false }
    return !Self.notNames.contains(name.text) && name.text != "init" && name.text != "subscript"
  }

  mutating func endDeclaration() { (isPrivate, isPublic) = (false, false) }

  var isInEnum: Bool {
    if case .type(_, _, _, true) = scopes.last { true } else { false }
  }

  mutating func skipLine() {
    let line = tokens[at].line
    while at < tokens.count, tokens[at].line == line { at += 1 }
  }

  mutating func openBrace() {
    let scope = pending ?? .code
    pending = nil
    endDeclaration()
    scopes.append(scope)
    at += 1
    guard scope == .code, let line = token()?.line else { return }
    // `{ a, b in`: the names before `in` are parameters, if there is one on this line.
    var last = at
    while last < tokens.count, tokens[last].line == line, !["{", "}", "in"].contains(tokens[last].text) { last += 1 }
    guard last < tokens.count, tokens[last].text == "in", tokens[last].line == line else { return }
    for index in at..<last where tokens[index].kind == .word { localNames.insert(tokens[index].text) }
  }

  mutating func close(_ kind: Scope) {
    at += 1
    if kind == .bracket {
      if scopes.last == .bracket { scopes.removeLast() }
      return
    }
    while let scope = scopes.popLast(), scope == .bracket {}
    if scopes.isEmpty { isInPrivateExtension = false }
  }

  mutating func declare(
    _ kind: SwiftOutline.Declaration.Kind, _ token: SwiftToken, parameters: [SwiftOutline.Parameter] = []
  ) {
    defer {
      at += 1
      endDeclaration()
    }
    guard isDeclarative else {
      localNames.insert(token.text)
      return
    }
    var (owner, isInExtension, isRequirement): (String?, Bool, Bool) = (nil, false, false)
    if case .type(let path, let isExtension, let isProtocol, _) = scopes.last {
      // A type that is local to a function.
      if scopes.contains(.code) {
        localNames.insert(token.text)
        return
      }
      (owner, isInExtension, isRequirement) = (path, isExtension, isProtocol)
    }
    declarations.append(
      SwiftOutline.Declaration(
        kind: kind, name: token.text, owner: owner, isInExtension: isInExtension,
        isPrivate: isPrivate || isInPrivateExtension, isPublic: isPublic, isRequirement: isRequirement,
        parameters: parameters,
        line: token.line))
  }

  mutating func readType() {
    let keyword = text()
    at += 1
    guard let name = token() else { return }
    let path = (enclosing.first.map { $0 + "." } ?? "") + name.text
    declare(.type, name)
    readGenericParameters()
    pending = .type(path: path, isExtension: false, isProtocol: keyword == "protocol", isEnum: keyword == "enum")
  }

  mutating func readExtension() {
    isInPrivateExtension = isPrivate
    endDeclaration()
    at += 1
    var names: [String] = []
    let enclosing = enclosing
    while let name = token(), name.kind == .word {
      uses.append(
        SwiftOutline.Use(
          name: name.text, line: name.line, isMember: !names.isEmpty, base: names.last, arguments: nil,
          hasTrailingClosure: false, enclosing: enclosing))
      names.append(name.text)
      at += 1
      guard text() == "." else { break }
      at += 1
    }
    pending = .type(path: names.joined(separator: "."), isExtension: true, isProtocol: false, isEnum: false)
  }

  mutating func readFunction() {
    at += 1
    guard let name = token() else { return }
    let keep = at
    at += 1
    readGenericParameters()
    let parameters = readParameters()
    let after = at
    at = keep
    // Operators of a type belong to that type; custom ones are declared by `operator`.
    if name.kind == .word { declare(.function, name, parameters: parameters) }
    endDeclaration()
    at = after
    pending = nil
  }

  mutating func readInitializer() {
    let name = tokens[at]
    let keep = at
    at += 1
    while text() == "?" || text() == "!" { at += 1 }
    readGenericParameters()
    let parameters = readParameters()
    let after = at
    at = keep
    declare(.initializer, name, parameters: parameters)
    at = after
    pending = nil
  }

  /// `<T: P, U>` after a name: local names. What stands behind a colon is read again as a use.
  mutating func readGenericParameters() {
    guard text().hasPrefix("<"), token()?.kind == .symbol else { return }
    var index = at + 1
    var isName = true
    while index < tokens.count, !tokens[index].text.contains(">"), !["{", "("].contains(tokens[index].text) {
      if isName, tokens[index].kind == .word, tokens[index].text != "each" {
        localNames.insert(tokens[index].text)
        isName = false
      }
      if tokens[index].text == "," { isName = true }
      index += 1
    }
  }

  /// The parameters of the list that opens next; leaves the position before the list, so that its types are uses.
  mutating func readParameters() -> [SwiftOutline.Parameter] {
    var index = at
    while index < tokens.count, tokens[index].text != "(" {
      if tokens[index].text == "{" || tokens[index].text == "}" { return [] }
      index += 1
    }
    var parameters: [SwiftOutline.Parameter] = []
    var depth = 0
    while index < tokens.count {
      let current = tokens[index]
      if ["(", "[", "{"].contains(current.text) { depth += 1 }
      if [")", "]", "}"].contains(current.text) { depth -= 1 }
      if depth == 0 { break }
      if depth == 1, current.text == "=" || current.text == "..." { setOptional(&parameters) }
      if depth == 1, ["(", ","].contains(current.text), index + 2 < tokens.count, tokens[index + 1].kind == .word {
        let first = tokens[index + 1].text
        if tokens[index + 2].text == ":" {
          parameters.append(SwiftOutline.Parameter(label: first, isOptional: false))
          localNames.insert(first)
        } else if tokens[index + 2].kind == .word, index + 3 < tokens.count, tokens[index + 3].text == ":" {
          parameters.append(SwiftOutline.Parameter(label: first == "_" ? nil : first, isOptional: false))
          localNames.insert(tokens[index + 2].text)
        }
      }
      index += 1
    }
    return parameters
  }

  func setOptional(_ parameters: inout [SwiftOutline.Parameter]) {
    guard !parameters.isEmpty else { return }
    parameters[parameters.count - 1].isOptional = true
  }

  /// `let a`, `var (b, c)`.
  mutating func readPattern() {
    at += 1
    guard let name = token() else { return }
    if name.text == "(" {
      var depth = 0
      repeat {
        if text() == "(" { depth += 1 }
        if text() == ")" { depth -= 1 }
        if token()?.kind == .word, text(1) != ":" || depth == 0 { declare(.property, tokens[at]) } else { at += 1 }
      } while depth > 0 && at < tokens.count
    } else if name.kind == .word {
      declare(.property, name)
    }
    endDeclaration()
    pending = nil
  }

  mutating func readCases() {
    at += 1
    while let name = token(), name.kind == .word {
      declare(.enumCase, name)
      if text() == "(" { skipBrackets() }
      // A raw value: a literal or number, of which at most a `"` is left.
      while text() == "=" || text() == "\"" || text() == "-" { at += 1 }
      guard text() == "," else { break }
      at += 1
    }
  }
}
