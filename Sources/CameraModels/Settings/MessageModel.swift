// The queue of messages behind the toasts.

import Observation

/// A sentence that is shown for a moment.
public struct Message: Identifiable, Hashable, Sendable {
  public let id: Int
  public let text: String
  /// Whether the action that it reports can be undone: `PictureActionsModel.undoTrash`.
  public let canBeUndone: Bool
}

/// The messages that were not yet shown, oldest first.
@MainActor @Observable
public final class MessageModel {
  public private(set) var messages: [Message] = []
  @ObservationIgnored private var count = 0

  public init() {}

  /// Adds a message, unless the very same text is still waiting.
  public func post(_ text: String, canBeUndone: Bool = false) {
    guard !messages.contains(where: { $0.text == text }) else { return }
    count += 1
    messages.append(Message(id: count, text: text, canBeUndone: canBeUndone))
  }

  /// Takes the oldest message, to show it.
  public func takeNext() -> Message? { messages.isEmpty ? nil : messages.removeFirst() }
}

/// A confirmation before a destructive action.
public struct Question: Hashable, Sendable {
  public var title: String
  /// The loss and what stays.
  public var text: String
  /// The label of the button that does it, with an underscore before the mnemonic's letter.
  public var answer: String
}
