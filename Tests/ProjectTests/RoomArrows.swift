// The arrows between the files of a target: uses of another file's declarations.

/// A use in one file of a declaration in another file of the same target.
struct RoomArrow: Sendable, Hashable {
  var from: String
  var line: Int
  var to: String
  /// The name that was used.
  var symbol: String
}

/// The arrows of one target. The compiler doesn't report them: a Swift module has no imports between its files.
///
/// A use counts only when it can mean one declaration: names of types (nested ones by the types around them), top-level
/// functions and values, members of extensions whose name is declared once in the whole project, initializers of
/// extensions by their labels, custom operators. Members in the body of a type need no arrow of their own: the type
/// is named anyway.
struct RoomArrows {
  typealias File = (path: String, outline: SwiftOutline)

  private let files: [File]
  /// The paths of the files that declare a type, by its full name (`Geometry.Crop`).
  private var types: [String: Set<String>] = [:]
  /// Full names of nested types by their last two names (`Geometry.Crop`).
  private var nestedTypes: [String: String] = [:]
  private var privateTypes: [String: Set<String>] = [:]
  private var globals: [String: Set<String>] = [:]
  private var symbols: [String: Set<String>] = [:]
  /// Every declaration of a member, by its name.
  private var members: [String: [(path: String, declaration: SwiftOutline.Declaration)]] = [:]
  private var initializers: [String: [(path: String, declaration: SwiftOutline.Declaration)]] = [:]
  /// Names that another target or a library declares as well.
  private let foreign: Set<String>

  /// Members of extensions that the standard library, Foundation or GRDB have under the same name.
  static let common: Set<String> = [
    "add", "apply", "begin", "bytes", "cancel", "change", "close", "copy", "count", "data", "description", "draw",
    "end",
    "first", "hide", "id", "image", "index", "insert", "isEmpty", "items", "kind", "last", "make", "map", "name",
    "next",
    "note", "open", "order", "path", "play", "prepare", "raw", "read", "release", "remove", "render", "reset", "resume",
    "run", "save", "set", "show", "size", "sleep", "start", "state", "stop", "text", "time", "title", "update", "url",
    "value", "values", "words", "write",
  ]

  /// - Parameters:
  ///   - files: Of the target.
  ///   - foreign: Names of members that other targets declare for everybody.
  init(_ files: [File], foreign: Set<String> = []) {
    self.files = files
    self.foreign = foreign.union(Self.common)
    for (path, outline) in files {
      for declaration in outline.declarations {
        let fullName = (declaration.owner.map { $0 + "." } ?? "") + declaration.name
        switch declaration.kind {
        case .type where declaration.isPrivate: privateTypes[fullName, default: []].insert(path)
        case .type:
          types[fullName, default: []].insert(path)
          let parts = fullName.split(separator: ".")
          if parts.count > 1 { nestedTypes[parts.suffix(2).joined(separator: ".")] = fullName }
        case .symbol: symbols[declaration.name, default: []].insert(path)
        case .initializer: initializers[declaration.owner ?? "", default: []].append((path, declaration))
        case .function, .property, .enumCase:
          if declaration.owner == nil, !declaration.isPrivate { globals[declaration.name, default: []].insert(path) }
          members[declaration.name, default: []].append((path, declaration))
        }
      }
    }
  }

  /// All arrows, sorted.
  func arrows() -> [RoomArrow] {
    var found: Set<RoomArrow> = []
    for (path, outline) in files {
      for use in outline.uses {
        for target in targets(of: use, in: path, outline) where target != path {
          found.insert(RoomArrow(from: path, line: use.line, to: target, symbol: use.name))
        }
      }
    }
    return found.sorted { ($0.from, $0.line, $0.to, $0.symbol) < ($1.from, $1.line, $1.to, $1.symbol) }
  }

  private func targets(of use: SwiftOutline.Use, in path: String, _ outline: SwiftOutline) -> Set<String> {
    if let declared = symbols[use.name] { return declared }
    var found = Set<String>()
    if let type = typeName(of: use, in: path, outline) {
      found.formUnion(types[type] ?? [])
      found.formUnion(initializer(of: type, use).map { [$0] } ?? [])
    } else if let initializer = initializer(of: use.name, use) {
      found.insert(initializer)
    }
    guard found.isEmpty else { return found }
    return global(use, outline) ?? member(use, outline) ?? []
  }

  /// The full name of the type that a use names: a nested one of the types around it, or one at top level.
  private func typeName(of use: SwiftOutline.Use, in path: String, _ outline: SwiftOutline) -> String? {
    if use.isMember {
      return use.base.flatMap { nestedTypes["\($0).\(use.name)"] }
    }
    for scope in use.enclosing {
      // `A.B.C`: its own nested types, then those of `A.B`, then those of `A`.
      var parts = scope.split(separator: ".").map(String.init)
      while !parts.isEmpty {
        let name = (parts + [use.name]).joined(separator: ".")
        if types[name] != nil { return name }
        if privateTypes[name] != nil { return nil }
        parts.removeLast()
      }
    }
    if outline.localNames.contains(use.name) || privateTypes[use.name]?.contains(path) == true { return nil }
    return types[use.name] == nil ? nil : use.name
  }

  /// The file of the extension's initializer that a call can only mean.
  private func initializer(of type: String, _ use: SwiftOutline.Use) -> String? {
    guard let arguments = use.arguments, arguments.contains(where: { $0 != nil }), let all = initializers[type] else {
      return nil
    }
    let fitting = all.filter { fits($0.declaration.parameters, arguments, use.hasTrailingClosure) }
    guard fitting.count == 1, let only = fitting.first, only.declaration.isInExtension, !only.declaration.isPrivate
    else {
      return nil
    }
    return only.path
  }

  private func global(_ use: SwiftOutline.Use, _ outline: SwiftOutline) -> Set<String>? {
    guard !use.isMember, let declared = globals[use.name], declared.count == 1 else { return nil }
    let isShadowed =
      outline.localNames.contains(use.name)
      || (members[use.name] ?? []).contains { $0.declaration.owner != nil }
    return isShadowed ? nil : declared
  }

  /// The file of the only extension that has a member of this name.
  private func member(_ use: SwiftOutline.Use, _ outline: SwiftOutline) -> Set<String>? {
    guard let all = members[use.name], let first = all.first, first.declaration.isInExtension,
      !first.declaration.isPrivate, let owner = first.declaration.owner
    else { return nil }
    let files = Set(all.map(\.path))
    let isCertain = use.base == owner || use.base.map { owner.hasSuffix("." + $0) } == true
    guard files.count == 1, isCertain || !foreign.contains(use.name) else { return nil }
    if let base = use.base, base.first?.isUppercase == true, base != "Self", !isCertain { return nil }
    if !use.isMember {
      // A bare name is a member of the types around it, if it isn't a local one.
      let isInside = use.enclosing.contains { $0 == owner || $0.hasPrefix(owner + ".") }
      guard isInside, !outline.localNames.contains(use.name) else { return nil }
    }
    let functions = all.filter { $0.declaration.kind == .function }
    if functions.count == all.count {
      let isReferred = use.arguments == nil && !use.hasTrailingClosure
      let fitting = functions.contains { fits($0.declaration.parameters, use.arguments ?? [], use.hasTrailingClosure) }
      guard fitting || isReferred && isCertain else { return nil }
    } else if functions.isEmpty, use.arguments != nil {
      return nil
    }
    return files
  }

  /// Whether arguments with these labels can be those of the parameters: in order, with the required ones.
  private func fits(_ parameters: [SwiftOutline.Parameter], _ arguments: [String?], _ hasTrailingClosure: Bool) -> Bool
  {
    var arguments = arguments[...]
    var missing = 0
    for parameter in parameters {
      if let next = arguments.first, next == parameter.label {
        arguments.removeFirst()
        // Of a variadic parameter there may be more, without a label.
        while parameter.isOptional, let more = arguments.first, more == nil { arguments.removeFirst() }
      } else if !parameter.isOptional {
        missing += 1
      }
    }
    return arguments.isEmpty && (missing == 0 || missing == 1 && hasTrailingClosure)
  }
}
