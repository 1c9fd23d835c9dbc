// A recorder without an encoder, for the tests of movies.

import CameraCore
import EngineInterface
import Foundation
import Synchronization

/// An engine whose recordings do what the test says.
final class ScriptedRecorder: MovieRecording {
  struct State {
    var requests: [RecordingSettings] = []
    var sink: AsyncThrowingStream<RecordingEvent, any Error>.Continuation?
    var calls: [String] = []
    var recovered: [RecoveredRecording] = []
    var hevcRefusal: CameraError?
    var room: TimeSpan?
    var roomRequests: [RecordingSettings] = []
  }
  private let state = Mutex(State())

  var requests: [RecordingSettings] { state.withLock { $0.requests } }
  var calls: [String] { state.withLock { $0.calls } }
  func setRecovered(_ recovered: [RecoveredRecording]) { state.withLock { $0.recovered = recovered } }

  func send(_ event: RecordingEvent) { _ = state.withLock { $0.sink?.yield(event) } }
  func end(_ error: CameraError? = nil) {
    state.withLock { state in
      if let error { state.sink?.finish(throwing: error) } else { state.sink?.finish() }
    }
  }

  func record(_ settings: RecordingSettings) -> AsyncThrowingStream<RecordingEvent, any Error> {
    let (stream, sink) = AsyncThrowingStream.makeStream(of: RecordingEvent.self)
    state.withLock { state in
      state.requests.append(settings)
      state.sink = sink
    }
    return stream
  }
  /// The settings whose time on the disk was asked for.
  var roomRequests: [RecordingSettings] { state.withLock { $0.roomRequests } }
  func setHEVCRefusal(_ refusal: CameraError?) { state.withLock { $0.hevcRefusal = refusal } }
  func setRoom(_ room: TimeSpan?) { state.withLock { $0.room = room } }
  func hevcRefusal() -> CameraError? { state.withLock { $0.hevcRefusal } }
  func room(for settings: RecordingSettings) async -> TimeSpan? { roomNow(settings) }
  private func roomNow(_ settings: RecordingSettings) -> TimeSpan? {
    state.withLock { state in
      state.roomRequests.append(settings)
      return state.room
    }
  }
  func pauseRecording() { state.withLock { $0.calls.append("pause") } }
  func resumeRecording() { state.withLock { $0.calls.append("resume") } }
  func stopRecording() { state.withLock { $0.calls.append("stop") } }
  func recoverRecordings(in folder: URL) async -> [RecoveredRecording] { recoveredNow() }
  private func recoveredNow() -> [RecoveredRecording] { state.withLock { $0.recovered } }
}
