// Broadcaster of the engine's notifications. Each listener's stream begins with the present state.

import CameraCore
import EngineInterface
import Synchronization

/// The engine's notifications and the state that they last reported.
final class NoticeBoard: Sendable {
  private struct State {
    var listeners = StreamListeners<CameraNotice>()
    var devices: DeviceList?
    var status: CameraStatus?
    var sound: LiveSound = .off
    var silent: MicrophoneDevice?
    var pressure = SystemPressure()
  }

  private let state = Mutex(State())

  @inline(never)  // called by asynchronous functions: see “Locks” in MediaEngine.md
  private func withState<Result: Sendable>(_ body: (inout State) -> Result) -> Result { state.withLock { body(&$0) } }

  /// A new listener's stream, which begins with the present state.
  func listen() -> AsyncStream<CameraNotice> {
    let (stream, continuation) = AsyncStream.makeStream(of: CameraNotice.self)
    withState { state in
      if let devices = state.devices { continuation.yield(.devices(devices)) }
      if let status = state.status { continuation.yield(.status(status)) }
      continuation.yield(.sound(state.sound))
      if let silent = state.silent { continuation.yield(.silence(silent)) }
      if state.pressure != SystemPressure() { continuation.yield(.pressure(state.pressure)) }
      state.listeners.add(continuation)
    }
    return stream
  }

  /// Sends a notification, unless it repeats the last one of its kind.
  func post(_ notice: CameraNotice) {
    withState { state in
      switch notice {
      case .devices(let devices):
        if state.devices == devices { return }
        state.devices = devices
      case .status(let status):
        if state.status == status { return }
        state.status = status
      case .sound(let sound):
        if state.sound == sound { return }
        state.sound = sound
      case .silence(let microphone):
        if state.silent == microphone { return }
        state.silent = microphone
      case .pressure(let pressure):
        if state.pressure == pressure { return }
        state.pressure = pressure
      }
      state.listeners.send(notice)
    }
  }

  var status: CameraStatus? { withState { $0.status } }

  deinit { withState { $0.listeners.finish() } }
}
