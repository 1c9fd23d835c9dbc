// Broadcaster of the microphone's level to whoever shows a meter.

import CameraCore
import Synchronization

/// Hands each new level to the listeners, of which each gets the newest only. Any thread.
final class SoundLevels: Sendable {
  private struct State {
    var listeners: [Int: AsyncStream<SoundLevel?>.Continuation] = [:]
    var next = 0
    var level: SoundLevel?
  }

  private let state = Mutex(State())

  /// A new listener's stream, which begins with the present level.
  func listen() -> AsyncStream<SoundLevel?> {
    let (stream, continuation) = AsyncStream.makeStream(of: SoundLevel?.self, bufferingPolicy: .bufferingNewest(1))
    let number = state.withLock { state -> Int in
      continuation.yield(state.level)
      state.next += 1
      state.listeners[state.next] = continuation
      return state.next
    }
    continuation.onTermination = { [weak self] _ in
      self?.state.withLock { _ = $0.listeners.removeValue(forKey: number) }
    }
    return stream
  }

  /// A level of the microphone that is open; `nil` is none. On its streaming thread.
  func publish(_ level: SoundLevel?) {
    guard let level else { return }
    send(level)
  }

  /// The microphone is closed.
  @inline(never)  // called by asynchronous functions: see “Locks” in MediaEngine.md
  func end() { send(nil) }

  private func send(_ level: SoundLevel?) {
    state.withLock { state in
      guard state.level != level else { return }
      state.level = level
      // Under the lock, so that all listeners see the same order; a stream's buffer takes it without waiting.
      for listener in state.listeners.values { listener.yield(level) }
    }
  }

  deinit { state.withLock { $0.listeners.values.forEach { $0.finish() } } }
}
