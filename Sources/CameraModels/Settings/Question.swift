// Confirmation dialogs for destructive actions.

/// A confirmation dialog with one button that performs the action.
public struct Question: Hashable, Sendable {
  public var title: String
  /// The consequences of the action.
  public var text: String
  /// The label of the button, with an underscore before its mnemonic.
  public var answer: String
}
