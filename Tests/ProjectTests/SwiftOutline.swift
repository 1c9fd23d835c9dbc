// The declarations of a Swift file and the names that it uses, as far as syntax alone tells them.

/// What a Swift file declares and what it names.
///
/// There is no type checker behind it: a use is a name with what stands around it (the word before the dot, argument
/// labels, the types whose bodies enclose it). `RoomArrows` decides which uses can mean one declaration only.
struct SwiftOutline: Sendable {
  struct Declaration: Sendable {
    enum Kind: Sendable { case type, function, initializer, property, enumCase, symbol }

    var kind: Kind
    /// `init` for an initializer.
    var name: String
    /// The type whose body or extension it stands in, with the types around it (`Geometry.Crop`); `nil` at top level.
    var owner: String?
    var isInExtension: Bool
    var isPrivate: Bool
    /// Whether other targets see it.
    var isPublic: Bool
    /// Whether it stands in a protocol's own body.
    var isRequirement = false
    /// Of functions and initializers; `nil` for parameters without a label.
    var parameters: [Parameter] = []
    var line: Int
  }

  struct Parameter: Sendable {
    var label: String?
    var isOptional: Bool
  }

  struct Use: Sendable {
    var name: String
    var line: Int
    /// Whether a dot precedes it.
    var isMember: Bool
    /// The word before the dot; `nil` for another expression, and without a dot.
    var base: String?
    /// Labels of the arguments that follow (`nil` for those without); `nil` when no parenthesis follows.
    var arguments: [String?]?
    /// Whether a closure follows the name or its arguments.
    var hasTrailingClosure: Bool
    /// The types whose bodies or extensions enclose it, innermost first.
    var enclosing: [String]
  }

  private(set) var declarations: [Declaration] = []
  private(set) var uses: [Use] = []
  /// Names of parameters, local values, local functions, local types and generic parameters.
  private(set) var localNames: Set<String> = []

  init(_ code: SwiftCode) {
    var parser = SwiftOutlineParser(tokens: SwiftToken.all(in: code))
    parser.parse()
    declarations = parser.declarations
    uses = parser.uses
    localNames = parser.localNames
  }
}
