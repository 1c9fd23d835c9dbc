// The queue of messages behind the toasts.

import CameraCore
import Foundation
import Observation

/// A sentence that is shown for a moment.
public struct Message: Identifiable, Hashable, Sendable {
  public let id: Int
  public let text: String
  /// What the button beside the text does; `nil` for no button.
  public let action: Action?
  /// What it is about, where only the newest message about that is of interest; `nil` for a message of its own.
  public let topic: Topic?

  /// What several messages may be about, each in place of the one before.
  public enum Topic: Hashable, Sendable {
    /// The state of a setting that was just changed.
    case setting
    /// What the last photo lacks.
    case photo
    /// What the last recording lacks.
    case recording
    /// Why Live rests.
    case live

    /// Whether it only tells what can be seen anyway: it goes when anything else is to be said.
    public var isHint: Bool { self == .setting || self == .live }
  }

  /// A topic about which nothing is to be said anymore.
  public struct Withdrawal: Hashable, Sendable {
    public let topic: Topic
    /// Counts the withdrawals.
    let number: Int
  }

  /// What can be done about what a message reports. The id is that of the history's entry.
  public enum Action: Hashable, Sendable {
    case undo(String)
    case redo(String)
    /// Shows a new file in its folder.
    case showFile(URL)
    /// Edits a picture, by its id, with settings that couldn't be saved.
    case editAgain(String)

    /// The entry's id, or the file's path.
    public var target: String {
      switch self {
      case .undo(let id), .redo(let id), .editAgain(let id): id
      case .showFile(let file): file.path
      }
    }
  }

  /// Whether the change that it reports can be undone.
  public var canBeUndone: Bool { if case .undo = action { true } else { false } }
}

/// The messages that were not yet shown, oldest first.
@MainActor @Observable
public final class MessageModel {
  public private(set) var messages: [Message] = []
  /// The text that was posted last; empty before the first.
  public private(set) var latestText = ""
  /// The last topic that was withdrawn; also toasts about it go.
  public private(set) var withdrawal: Message.Withdrawal?
  @ObservationIgnored private var count = 0

  public init() {}

  /// Adds a message, unless the very same text is still waiting. Names in it may hold anything; it is shown as plain text.
  ///
  /// - Parameter topic: Older messages about it are dropped.
  public func post(_ text: String, action: Message.Action? = nil, topic: Message.Topic? = nil) {
    let text = text.displayed
    latestText = text
    guard !messages.contains(where: { $0.text == text && $0.action == action }) else { return }
    if let topic { messages.removeAll { $0.topic == topic } }
    count += 1
    messages.append(Message(id: count, text: text, action: action, topic: topic))
  }

  /// What was said about a topic isn't true anymore.
  public func withdraw(_ topic: Message.Topic) {
    messages.removeAll { $0.topic == topic }
    withdrawal = Message.Withdrawal(topic: topic, number: (withdrawal?.number ?? 0) + 1)
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
