// The missing parts of shots that are safe otherwise.

import Foundation
import Localization

/// A part of a shot that is missing, though the shot itself is safe. Its description says which, and why.
public enum CaptureShortfall: Equatable, Sendable, CustomStringConvertible {
  /// The movie of a live photo lacks sound that was being kept at the press, all of it or a stretch. The reason is a
  /// sentence of its own: that of `LiveSound.silent`.
  case soundMissing(reason: String)
  /// The movie begins so many seconds late: no earlier frames had been kept yet.
  case beginsLate(seconds: Double)
  /// The movie begins so many seconds late: the frames are so large that no more of them are kept.
  case beginsLateForSize(seconds: Double)
  /// The movie begins so many seconds late: there was no memory for more frames.
  case beginsLateForMemory(seconds: Double)
  /// The movie ends so many seconds early. The reason is a sentence of its own: the camera's error.
  case endsEarly(seconds: Double, reason: String)
  /// The camera sent nothing for so many seconds of the movie.
  case cameraPaused(camera: String, seconds: Double)
  /// Frames were left out, since too many movies were waiting to be written.
  case fewerFrames
  /// Frames were left out, since the computer could not keep up.
  case halvedFrames

  public var description: String {
    switch self {
    case .soundMissing(let reason):
      localized("Sound is missing from the live photo. \(reason)", comment: "{0} is a sentence")
    case .beginsLate(let seconds):
      localized(
        "The live photo starts \(seconds, decimals: 0...1) second late because the camera was just opened.",
        plural: "The live photo starts \(seconds, decimals: 0...1) seconds late because the camera was just opened.",
        count: seconds.countOfPlural())
    case .beginsLateForSize(let seconds):
      localized(
        "The live photo starts \(seconds, decimals: 0...1) second late because the camera’s pictures are very large.",
        plural: """
          The live photo starts \(seconds, decimals: 0...1) seconds late because the camera’s pictures are very large.
          """, count: seconds.countOfPlural())
    case .beginsLateForMemory(let seconds):
      localized(
        """
        The live photo starts \(seconds, decimals: 0...1) second late because others were still being saved and memory ran \
        low.
        """,
        plural: """
          The live photo starts \(seconds, decimals: 0...1) seconds late because others were still being saved and memory \
          ran low.
          """, count: seconds.countOfPlural())
    case .endsEarly(let seconds, let reason):
      localized(
        "The live photo ends \(seconds, decimals: 0...1) second early. \(reason)",
        plural: "The live photo ends \(seconds, decimals: 0...1) seconds early. \(reason)",
        count: seconds.countOfPlural(), comment: "{1} is a sentence")
    case .cameraPaused(let camera, let seconds):
      localized(
        """
        The live photo is shorter or freezes in part because “\(camera)” sent no picture for \(seconds, decimals: 0...1) \
        second.
        """,
        plural: """
          The live photo is shorter or freezes in part because “\(camera)” sent no picture for \
          \(seconds, decimals: 0...1) seconds.
          """, count: seconds.countOfPlural())
    case .fewerFrames:
      localized("The live photo has fewer frames per second because many others were waiting to be saved.")
    case .halvedFrames:
      localized("The live photo has only half of its frames because the computer couldn’t keep up.")
    }
  }
}

extension CaptureShortfall {
  /// The pause of a camera that goes unsaid, unless its frames are slower still.
  static let tolerablePause = TimeSpan.milliseconds(500)

  /// The shortfalls of a window of frames.
  ///
  /// - Parameters:
  ///   - times: The frames', in order. Without any there is no movie, which is an error and no shortfall.
  ///   - start: The window's first instant.
  ///   - end: The first instant after the window.
  ///   - session: The camera and its rate.
  ///   - since: The first frame that was kept of this camera, where that is known. When it is older than the window, a
  ///     window that begins late does so because the camera paused.
  ///   - isTrimmed: Whether less than the pre-roll was kept, because the frames are large.
  ///   - isCutShort: Whether less than the pre-roll was kept, for lack of memory.
  ///   - loss: The error that ended the camera before the window was complete; `nil` when it still delivers.
  public static func ofFrames(
    at times: [MonotonicTime], from start: MonotonicTime, to end: MonotonicTime, session: CameraSession,
    since: MonotonicTime? = nil, isTrimmed: Bool = false, isCutShort: Bool = false, loss: CameraError?
  ) -> [CaptureShortfall] {
    guard let first = times.first, let last = times.last else { return [] }
    let distances = zip(times, times.dropFirst()).map { $1 - $0 }
    // In the dark, cameras send fewer frames than their mode says.
    let nominal = TimeSpan.seconds(1 / max(0.1, session.frameRate.framesPerSecond))
    let usual = max(nominal, distances.isEmpty ? nominal : distances.sorted()[distances.count / 2])
    let tolerance = max(tolerablePause, TimeSpan(nanoseconds: 3 * usual.nanoseconds))
    var shortfalls: [CaptureShortfall] = []
    var pause = distances.max() ?? .zero
    if first - start > tolerance {
      if isCutShort {
        shortfalls.append(.beginsLateForMemory(seconds: (first - start).seconds))
      } else if isTrimmed {
        shortfalls.append(.beginsLateForSize(seconds: (first - start).seconds))
      } else if let since, since <= start {
        pause = max(pause, first - start)
      } else {
        shortfalls.append(.beginsLate(seconds: (first - start).seconds))
      }
    }
    if end - last > tolerance {
      if let loss {
        shortfalls.append(.endsEarly(seconds: (end - last).seconds, reason: loss.description))
      } else {
        pause = max(pause, end - last)
      }
    }
    if pause > tolerance {
      shortfalls.append(.cameraPaused(camera: session.camera.name, seconds: pause.seconds))
    }
    return shortfalls
  }
}
