// Locks in asynchronous code, found by syntax alone.

/// Finds each `withLock` in the body of an asynchronous function or of a task's closure.
///
/// Control flow and the closures of `withCheckedContinuation` and its like belong to the function around them; any other
/// closure is taken for a synchronous function of its own.
struct LockScanner {
  private struct Scope {
    var isAsynchronous = false
    /// Open parentheses and brackets since its brace.
    var depth = 0
    /// A function whose body is still to come.
    var function: (depth: Int, isAsynchronous: Bool)?
    /// The depth of a control flow statement whose block is still to come.
    var control: Int?
  }

  private let tokens: [SwiftToken]
  private var scopes = [Scope()]
  private var open: [Int] = []
  /// The opening parenthesis of each closing one.
  private var partner: [Int: Int] = [:]

  private static let declarations: Set<String> = ["func", "init", "deinit", "subscript"]
  private static let statements: Set<String> = [
    "if", "guard", "for", "while", "switch", "do", "repeat", "catch", "else", "defer",
  ]

  private init(_ code: SwiftCode) { tokens = SwiftToken.all(in: code) }

  /// The lines of the locks.
  static func lines(in code: SwiftCode) -> [Int] {
    guard code.lines.contains(where: { $0.code.contains("withLock") }) else { return [] }
    var scanner = LockScanner(code)
    return scanner.tokens.indices.filter { scanner.take($0) }.map { scanner.tokens[$0].line }
  }

  private func text(_ index: Int) -> String { tokens.indices.contains(index) ? tokens[index].text : "" }

  /// - Returns: Whether the token is a lock in asynchronous code.
  private mutating func take(_ index: Int) -> Bool {
    let top = scopes.count - 1
    let isMember = text(index - 1) == "."
    switch text(index) {
    case "(", "[":
      open.append(index)
      scopes[top].depth += 1
    case ")", "]":
      partner[index] = open.popLast()
      scopes[top].depth -= 1
    case "{":
      scopes.append(Scope(isAsynchronous: opensAsynchronous(index)))
    case "}":
      if top > 0 { scopes.removeLast() }
    case "async":
      if scopes[top].function?.depth == scopes[top].depth { scopes[top].function?.isAsynchronous = true }
    case "withLock":
      return isMember && scopes[top].isAsynchronous
    case let word where !isMember && text(index + 1) != ":":
      if Self.declarations.contains(word) { scopes[top].function = (scopes[top].depth, false) }
      if Self.statements.contains(word) { scopes[top].control = scopes[top].depth }
    default:
      break
    }
    return false
  }

  /// Whether the block that a brace opens is asynchronous.
  private mutating func opensAsynchronous(_ brace: Int) -> Bool {
    let top = scopes.count - 1
    if let function = scopes[top].function, function.depth == scopes[top].depth {
      (scopes[top].function, scopes[top].control) = (nil, nil)
      return function.isAsynchronous
    }
    if scopes[top].control == scopes[top].depth {
      scopes[top].control = nil
      return scopes[top].isAsynchronous
    }
    var callee = brace - 1
    if text(callee) == ")", let parenthesis = partner[callee] { callee = parenthesis - 1 }
    if text(callee) == ">" {
      while callee > 0, text(callee) != "<" { callee -= 1 }
      callee -= 1
    }
    let word = text(callee)
    // Not the body of a property of that type.
    if ["Task", "addTask"].contains(word), text(callee - 1) != ":" { return true }
    if word == "detached", text(callee - 2) == "Task" { return true }
    if ["withChecked", "withUnsafe", "withTaskCancellationHandler"].contains(where: word.hasPrefix) {
      return scopes[top].isAsynchronous
    }
    // `get async throws {`
    let before = (1...6).map { text(brace - $0) }.prefix { !["{", "}"].contains($0) }
    return before.contains("get") && before.contains("async")
  }
}
