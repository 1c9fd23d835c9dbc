// The toasts on screen and in queues, and where the next message goes.

/// Decides which message becomes a toast, and keeps track of each until it is gone.
///
/// A place is what shows toasts of its own: a page, or a window over it. Only the place in front can be read.
///
///     add ──► drop              nobody needs it, or it can be read already
///         ──► setText           of a toast about the same topic that was hardly read
///         ──► show(instead of)  ──► remove, when its toast is gone
///     close a place ──► the messages that were not read there, to be added at another
public struct ToastBoard<Place: Hashable & Sendable>: Sendable {
  /// What is to be done for a message.
  public enum Action: Equatable, Sendable {
    case drop
    /// The toast gets the message's text.
    case setText(of: Message.ID)
    /// The message gets a toast. Other toasts that say what is outdated, or what can't be seen where they are, go.
    case show(insteadOf: [Message.ID])
  }

  /// A toast that is shown or queued.
  public struct Entry: Equatable, Sendable {
    /// The toast's id: that of its first message.
    public let id: Message.ID
    public let place: Place
    /// What it says now.
    public fileprivate(set) var message: Message
  }

  /// Oldest first.
  public private(set) var entries: [Entry] = []

  public init() {}

  /// - Parameters:
  ///   - message: The new message.
  ///   - place: The place in front.
  ///   - isCovered: Whether something else is where its toasts would be, which matters more than a setting.
  ///   - isNew: Whether a toast was hardly read.
  public mutating func add(
    _ message: Message, at place: Place, isCovered: Bool, isNew: (Message.ID) -> Bool
  ) -> Action {
    var outdated: [Message.ID] = []
    let isHint = message.topic?.isHint ?? false
    // What was chosen is seen.
    if isHint, isCovered { return .drop }
    if let topic = message.topic {
      // Who goes through several values needn't wait through as many toasts, and a camera with a loose plug ends many recordings.
      let others = entries.filter { $0.message.topic == topic }
      if let index = entries.firstIndex(where: { $0.message.topic == topic && $0.place == place && isNew($0.id) }) {
        entries[index].message = message
        return .setText(of: entries[index].id)
      }
      outdated = others.map(\.id)
    } else if message.action == nil {
      // A trouble that comes again needs no second toast, unless the first one is out of sight or about to go.
      let same = entries.filter { $0.message.text == message.text && $0.message.action == nil }
      if same.contains(where: { $0.place == place && isNew($0.id) }) { return .drop }
      outdated = same.map(\.id)
    }
    // Toasts come one after another, and a trouble waits for no hint.
    if !isHint { outdated += entries.filter { $0.message.topic?.isHint == true }.map(\.id) }
    entries.removeAll { outdated.contains($0.id) }
    entries.append(Entry(id: message.id, place: place, message: message))
    return .show(insteadOf: outdated)
  }

  /// Its toast is gone.
  public mutating func remove(_ id: Message.ID) { entries.removeAll { $0.id == id } }

  /// The toasts about what can be seen anyway, which go when something else needs their place.
  public func hints(at place: Place) -> [Message.ID] {
    entries.filter { $0.message.topic?.isHint == true && $0.place == place }.map(\.id)
  }

  /// The toasts about a topic, wherever they are.
  public func about(_ topic: Message.Topic) -> [Message.ID] {
    entries.filter { $0.message.topic == topic }.map(\.id)
  }

  /// A place and all its toasts are gone.
  ///
  /// - Returns: The messages that are to be shown elsewhere, because they didn't have their time. A hint is read in a moment.
  public mutating func close(_ place: Place, isNew: (Message.ID) -> Bool) -> [Message] {
    let closed = entries.filter { $0.place == place }
    entries.removeAll { $0.place == place }
    return closed.filter { $0.message.topic?.isHint != true || isNew($0.id) }.map(\.message)
  }
}
