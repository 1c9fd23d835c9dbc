// What a person is asked before something is done that can't be undone.

/// A question with one answer that does it.
public struct Question: Hashable, Sendable {
  public var title: String
  /// What will be, and what stays.
  public var text: String
  /// The button that does it, with an underscore before the letter of its key.
  public var answer: String
}
