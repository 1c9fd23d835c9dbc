// An outline of a Swift file from its syntax alone: declarations and uses of names.

/// The declarations and uses of a Swift file.
///
/// Without a type checker a use is a name with its context: the word before the dot, argument labels, the enclosing types.
/// `RoomArrows` decides which uses are unambiguous.
struct SwiftOutline: Sendable {
  struct Declaration: Sendable {
    enum Kind: Sendable { case type, function, initializer, property, enumCase, symbol }

    var kind: Kind
    /// `init` for an initializer.
    var name: String
    /// The type of the enclosing body or extension, with its outer types (`Geometry.Crop`); `nil` at top level.
    var owner: String?
    var isInExtension: Bool
    var isPrivate: Bool
    /// Whether other targets see it.
    var isPublic: Bool
    /// Whether it is a protocol requirement.
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
