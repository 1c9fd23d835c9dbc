// Orders to a movie's player (pause, seek) and its position.

import Foundation
import Synchronization

/// The orders to a player and its positions, between its user and its pipeline. Any thread.
final class MovieControl: Sendable {
  private struct State {
    var isPaused = false
    /// The time to seek to, in seconds; the last one that was requested and not yet begun.
    var seek: Double?
    /// The position of the last picture, in seconds.
    var position = 0.0
    var orders: AsyncStream<Void>.Continuation?
    var positions: [UUID: AsyncStream<Double>.Continuation] = [:]
  }

  private let state = Mutex(State())

  deinit {
    state.withLock { state in
      state.orders?.finish()
      state.positions.values.forEach { $0.finish() }
    }
  }

  var isPaused: Bool {
    @inline(never)  // called by asynchronous functions: see “Locks” in MediaEngine.md
    get { state.withLock { $0.isPaused } }
  }

  func setPaused(_ isPaused: Bool) {
    state.withLock { state in
      state.isPaused = isPaused
      return state.orders
    }?.yield()
  }

  func seek(to seconds: Double) {
    guard seconds.isFinite else { return }
    state.withLock { state in
      state.seek = max(0, seconds)
      return state.orders
    }?.yield()
  }

  /// Whether there is a time to seek to.
  var isSeekWanted: Bool {
    @inline(never)  // called by asynchronous functions: see “Locks” in MediaEngine.md
    get { state.withLock { $0.seek != nil } }
  }

  /// The time to seek to; `nil` until there is another request.
  @inline(never)  // called by asynchronous functions: see “Locks” in MediaEngine.md
  func takeSeek() -> Double? {
    state.withLock { state in
      defer { state.seek = nil }
      return state.seek
    }
  }

  /// A stream that yields for each new order. The one before it ends.
  @inline(never)  // called by asynchronous functions: see “Locks” in MediaEngine.md
  func orders() -> AsyncStream<Void> {
    let (stream, continuation) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
    state.withLock { state in
      defer { state.orders = continuation }
      return state.orders
    }?.finish()
    return stream
  }

  func positions() -> AsyncStream<Double> {
    let (stream, continuation) = AsyncStream.makeStream(of: Double.self, bufferingPolicy: .bufferingNewest(1))
    let id = UUID()
    continuation.onTermination = { [weak self] _ in self?.state.withLock { $0.positions[id] = nil } }
    state.withLock { $0.positions[id] = continuation }
    return stream
  }

  /// A picture of this time was handed to the preview.
  func showed(nanoseconds: UInt64) {
    let seconds = Double(nanoseconds) / 1_000_000_000
    let listeners = state.withLock { state in
      state.position = seconds
      return Array(state.positions.values)
    }
    for listener in listeners { listener.yield(seconds) }
  }

  /// Seeks to where the movie stands, unless there is another order: for a run that goes on with the one before.
  @inline(never)  // called by asynchronous functions: see “Locks” in MediaEngine.md
  func seekToPosition() { state.withLock { $0.seek = $0.seek ?? $0.position } }
}
