// State machine of one recording, from the request to the finished file.

import Localization

/// Decides what becomes of a recording, so that every path ends exactly once, finished or failed, and nothing that was
/// recorded is lost on the way. It performs nothing itself: the recorder reports every event and carries out the action
/// that each returns.
///
///     idle ─ requested → starting ─┬ firstFrame → recording ⇄ paused
///                                  └ openFailed → failed
///     starting, recording, paused ─ stop, cameraLost, diskFull, encoderFailed, framesFailed, writingFailed
///         → finishing ─ closed → finished, failed
///
/// A pause may be asked for before the first frame: the recording then begins paused. An event that doesn't fit the state
/// changes nothing and returns `none`: a stop that comes twice, or a camera that goes while the file is being finished,
/// leaves nothing to do.
public struct RecordingStateMachine: Sendable {
  enum State: Sendable, Equatable {
    case idle
    /// File and encoder are being opened, or the first frame hasn't come.
    case starting(pauses: Bool)
    case recording
    case paused
    /// Nothing is taken any more; the file is being finished.
    case finishing(RecordingEnding, hasFrames: Bool)
    case finished(RecordingEnding)
    case failed(CameraError)
  }

  /// The task of the machine's owner.
  public enum Action: Sendable, Equatable {
    case none
    /// Open the file and the encoder, then take frames; report `openFailed` when that is impossible.
    case open
    /// Frames and sound are taken from now on.
    case tellBegan
    /// Leave out what comes from now on.
    case pause
    /// Take what comes from now on.
    case resume
    /// Let the encoder finish what it has, complete the file, then report `closed`.
    case finish
    /// Close the file as it is (every fragment in it can be played), then report `closed`.
    case cut
    /// Remove the file, which has nothing in it, then report `closed`.
    case discard
  }

  private var state = State.idle

  public init() {}

  /// Whether frames and sound go into the movie.
  public var isTaking: Bool {
    switch state {
    case .starting(let pauses): !pauses
    case .recording: true
    case .idle, .paused, .finishing, .finished, .failed: false
    }
  }

  /// Whether the recording has neither ended nor been told to: the camera must go on for it.
  public var needsCamera: Bool {
    switch state {
    case .idle, .starting, .recording, .paused: true
    case .finishing, .finished, .failed: false
    }
  }

  /// Whether the movie is paused, or will begin so.
  public var isPaused: Bool { state == .paused || state == .starting(pauses: true) }

  /// The outcome; `nil` before the end.
  public var result: Result<RecordingEnding, CameraError>? {
    switch state {
    case .finished(let ending): .success(ending)
    case .failed(let error): .failure(error)
    case .idle, .starting, .recording, .paused, .finishing: nil
    }
  }

  /// The cause of the end, once there is one, unless the file was never opened.
  public var ending: RecordingEnding? {
    switch state {
    case .finishing(let ending, _), .finished(let ending): ending
    case .idle, .starting, .recording, .paused, .failed: nil
    }
  }

  // MARK: Events

  /// A movie is wanted.
  public mutating func requested() -> Action {
    guard state == .idle else { return .none }
    state = .starting(pauses: false)
    return .open
  }

  /// The file can't be made, or no encoder works.
  public mutating func openFailed(_ error: CameraError) -> Action {
    switch state {
    case .starting, .finishing(_, hasFrames: false):
      state = .failed(error)
    case .idle, .recording, .paused, .finishing, .finished, .failed:
      break
    }
    return .none
  }

  /// The first frame is on its way to the encoder.
  public mutating func firstFrame() -> Action {
    guard state == .starting(pauses: false) else { return .none }
    state = .recording
    return .tellBegan
  }

  public mutating func pause() -> Action {
    switch state {
    case .starting(pauses: false):
      state = .starting(pauses: true)
    case .recording:
      state = .paused
    case .idle, .starting, .paused, .finishing, .finished, .failed:
      return .none
    }
    return .pause
  }

  public mutating func resume() -> Action {
    switch state {
    case .starting(pauses: true):
      state = .starting(pauses: false)
    case .paused:
      state = .recording
    case .idle, .starting, .recording, .finishing, .finished, .failed:
      return .none
    }
    return .resume
  }

  /// Someone ends the recording.
  public mutating func stop() -> Action { end(.stopped) }

  /// No more frames will come.
  public mutating func cameraLost() -> Action { end(.cameraLost) }

  /// The disk has no more room: noticed in time, or reported by the muxer.
  ///
  /// - Parameter hasFailedWriting: Whether a write has failed already, so that the file can't be completed.
  public mutating func diskFull(hasFailedWriting: Bool) -> Action {
    hasFailedWriting ? cut(.diskFull) : end(.diskFull)
  }

  /// The encoder or the muxer broke.
  public mutating func encoderFailed(_ message: String) -> Action { cut(.encoderFailed(message)) }

  /// No frame of the camera could be used for some seconds.
  public mutating func framesFailed(_ message: String) -> Action { end(.failed(message)) }

  /// The disk has lost something that was written.
  public mutating func writingFailed(_ message: String) -> Action { cut(.failed(message)) }

  /// The file is closed.
  ///
  /// - Parameter error: Why there is no movie; `nil` when there is one.
  public mutating func closed(_ error: CameraError?) -> Action {
    guard case .finishing(let ending, let hasFrames) = state else { return .none }
    if let error {
      state = .failed(error)
    } else if hasFrames {
      state = .finished(ending)
    } else {
      state = .failed(.recordingFailed(message: Self.words(ending)))
    }
    return .none
  }

  private mutating func end(_ ending: RecordingEnding) -> Action {
    switch state {
    case .starting:
      state = .finishing(ending, hasFrames: false)
      return .discard
    case .recording, .paused:
      state = .finishing(ending, hasFrames: true)
      return .finish
    case .idle, .finishing, .finished, .failed:
      return .none
    }
  }

  private mutating func cut(_ ending: RecordingEnding) -> Action {
    switch state {
    case .starting:
      state = .finishing(ending, hasFrames: false)
      return .discard
    case .recording, .paused:
      state = .finishing(ending, hasFrames: true)
      return .cut
    case .finishing(let cause, hasFrames: true):
      // What broke first is the cause. A movie that someone stopped, or whose camera went, was whole until now.
      let wasWhole = cause == .stopped || cause == .cameraLost
      state = .finishing(wasWhole ? ending : cause, hasFrames: true)
      return .cut
    case .idle, .finishing, .finished, .failed:
      return .none
    }
  }

  /// The reason why a recording ended before its first frame.
  private static func words(_ ending: RecordingEnding) -> String {
    switch ending {
    case .stopped: localized("it was stopped before its first picture")
    case .cameraLost: localized("the camera was disconnected before the first picture")
    case .diskFull: localized("the disk is full; free up some space")
    case .encoderFailed(let message), .failed(let message): message.asClause
    }
  }
}
