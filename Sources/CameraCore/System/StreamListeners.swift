// The listeners of a broadcaster, each with a stream of its own.

import Synchronization

/// The streams to which a broadcaster sends. It is kept under the broadcaster's lock, so that all listeners hear the same
/// order; a stream's buffer takes an element without waiting.
///
/// A stream that has ended is forgotten when the next element is sent or the next stream added, and not by its `onTermination`:
/// that runs while a canceled task holds a lock of its own, which sending needs as well to wake the task. One that takes the
/// broadcaster's lock there waits for the other for ever. It only takes note of the end, without a lock.
public struct StreamListeners<Element: Sendable>: Sendable {
  private struct Listener {
    let continuation: AsyncStream<Element>.Continuation
    let end: StreamEnd
  }

  private var listeners: [Listener] = []

  public init() {}

  /// The number of streams that are not known to have ended.
  public var count: Int { listeners.count }

  /// Adds a stream. Its `onTermination` is set here.
  public mutating func add(_ continuation: AsyncStream<Element>.Continuation) {
    listeners.removeAll { $0.end.hasCome.load(ordering: .relaxed) }
    let end = StreamEnd()
    continuation.onTermination = { _ in end.hasCome.store(true, ordering: .relaxed) }
    listeners.append(Listener(continuation: continuation, end: end))
  }

  /// Sends an element to all.
  public mutating func send(_ element: Element) {
    listeners.removeAll { listener in
      if case .terminated = listener.continuation.yield(element) { true } else { false }
    }
  }

  /// Ends all streams.
  public mutating func finish() {
    for listener in listeners { listener.continuation.finish() }
    listeners = []
  }
}

/// Whether a stream has ended.
private final class StreamEnd: Sendable {
  let hasCome = Atomic(false)
}
