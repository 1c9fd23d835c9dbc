// The recording of movies as the models see it.

import CameraCore
import Foundation
import Localization

/// A camera engine that records movies. `MediaEngine.CameraEngine` is the real one.
///
/// One movie is recorded at a time. While it is, the camera doesn't close because another page is in front; it does when
/// the session is locked, the machine sleeps or the program closes, and then the movie ends first. Photos are taken as
/// ever.
public protocol MovieRecording: Sendable {
  /// Records a movie with the camera that runs, from now on and until `stopRecording`. Dropping the stream stops it as
  /// well; the file is finished and kept.
  ///
  /// The stream throws `CameraError` only: `notRunning` without a camera, `recordingFailed` when there is no movie. A movie
  /// that ended early is finished, and its `shortfall` says why.
  func record(_ settings: RecordingSettings) -> AsyncThrowingStream<RecordingEvent, any Error>

  /// Why no movie can be HEVC here; `nil` when it can. Looks at what is installed only.
  func hevcRefusal() -> CameraError?

  /// The length of a movie that the disk has room for, at the bit rate that is expected of the camera that runs. Asks the
  /// disk on a thread of its own.
  ///
  /// - Parameter settings: Those of the movie; its folder must exist.
  /// - Returns: `nil` without a camera, and where the free space isn't known.
  func room(for settings: RecordingSettings) async -> TimeSpan?

  /// Leaves out what is seen and heard until `resumeRecording`. Does nothing when no movie is recorded.
  func pauseRecording()

  /// Goes on after a pause.
  func resumeRecording()

  /// Ends the movie.
  func stopRecording()

  /// Gives the movies whose program was killed while it recorded them their names.
  ///
  /// - Parameter folder: The library's; folders directly in it are searched as well.
  func recoverRecordings(in folder: URL) async -> [RecoveredRecording]
}

/// What became of a movie whose program was killed.
public enum RecoveredRecording: Sendable, Equatable, CustomStringConvertible {
  /// It has its name, and plays but for what the last half second had in it.
  case recovered(URL, hiddenPath: String)
  case failed(path: String, reason: String)
  /// Whether a folder has such movies can't be told.
  case unsearched(folder: String, reason: String)

  public var description: String {
    switch self {
    case .recovered(let url, _):
      localized(
        """
        PhotoMe quit while recording “\(url.lastPathComponent)”. The video was saved, except for its last half second.
        """)
    case .failed(let path, let reason):
      localized(
        "The unfinished video “\(path)” couldn’t be recovered: \(reason.asClause).", comment: "{1} is the reason")
    case .unsearched(let folder, let reason):
      localized(
        "The folder “\(folder)” couldn’t be searched for unfinished videos: \(reason.asClause).",
        comment: "{1} is the reason")
    }
  }
}
