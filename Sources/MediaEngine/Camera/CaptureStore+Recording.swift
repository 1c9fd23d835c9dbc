// The movie that is being recorded, as the store sees it: it gets every frame and every chunk of sound, and holds the
// camera open.

import CameraCore
import Localization

extension CaptureStore {
  /// The camera of a recording.
  struct RecordingSource: Sendable {
    var session: CameraSession
    /// Those of the newest frame, which may differ from the mode's; `nil` before the first one.
    var frames: MovieRecorder.FrameForm?
  }

  /// The recorder that takes frames now.
  var recorder: MovieRecorder? { withState { $0.recorder } }

  /// The channels of the newest sound.
  var soundChannels: Int? { withState { $0.sound.newest?.payload.channels } }

  /// Lets a recorder have frames and sound from now on.
  ///
  /// - Throws: `CameraError.notRunning` without a camera, `recordingFailed` while another one has them.
  func begin(_ recorder: MovieRecorder) throws(CameraError) -> RecordingSource {
    let result = withState { state -> Result<RecordingSource, CameraError> in
      guard let session = state.session, !state.isEndingRecordings else { return .failure(.notRunning) }
      guard state.recorder == nil else {
        return .failure(.recordingFailed(message: localized("another video is being recorded; stop that one first")))
      }
      state.recorder = recorder
      return .success(
        RecordingSource(session: session, frames: (state.frames.newest?.payload).map(MovieRecorder.FrameForm.init)))
    }
    return try result.get()
  }

  /// The camera is going to be closed, or isn't after all. Before it is, its movie ends, and no other one begins.
  func endRecordings(_ isEnding: Bool) {
    let recorder = withState { state -> MovieRecorder? in
      state.isEndingRecordings = isEnding
      return isEnding ? state.recorder : nil
    }
    recorder?.stop()
  }

  /// A recorder wants no further frames. Whoever waited for that with a camera to close goes on.
  func end(_ recorder: MovieRecorder) {
    let resume = withState { state -> Resumptions in
      guard state.recorder === recorder else { return Resumptions() }
      state.recorder = nil
      return state.cutCompleteWindows()
    }
    resume.run()
  }
}
