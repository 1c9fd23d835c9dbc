// The listeners of a broadcaster, each with a stream of its own.

/// The streams to which a broadcaster sends. It is kept under the broadcaster's lock, so that all listeners hear the same
/// order; a stream's buffer takes an element without waiting.
///
/// A stream that has ended is forgotten when the next element is sent, and not by its `onTermination`: that runs while a
/// canceled task holds a lock of its own, which sending needs as well to wake the task. One that takes the broadcaster's lock
/// there waits for the other for ever.
public struct StreamListeners<Element: Sendable>: Sendable {
  private var continuations: [AsyncStream<Element>.Continuation] = []

  public init() {}

  /// The number of streams that are not known to have ended.
  public var count: Int { continuations.count }

  public mutating func add(_ continuation: AsyncStream<Element>.Continuation) { continuations.append(continuation) }

  /// Sends an element to all.
  public mutating func send(_ element: Element) {
    continuations.removeAll { continuation in
      if case .terminated = continuation.yield(element) { true } else { false }
    }
  }

  /// Ends all streams.
  public mutating func finish() {
    for continuation in continuations { continuation.finish() }
    continuations = []
  }
}
