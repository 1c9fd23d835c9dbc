// Broadcaster of the microphone's level to whoever shows a meter.

import CameraCore
import Synchronization

/// Hands each new level to the listeners, of which each gets the newest only. Any thread.
final class SoundLevels: Sendable {
  private struct State {
    var listeners = StreamListeners<SoundLevel?>()
    var level: SoundLevel?
  }

  private let state = Mutex(State())

  /// A new listener's stream, which begins with the present level.
  func listen() -> AsyncStream<SoundLevel?> {
    let (stream, continuation) = AsyncStream.makeStream(of: SoundLevel?.self, bufferingPolicy: .bufferingNewest(1))
    state.withLock { state in
      continuation.yield(state.level)
      state.listeners.add(continuation)
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
      state.listeners.send(level)
    }
  }

  deinit { state.withLock { $0.listeners.finish() } }
}
