// Failure of a movie encoder, with the part of the movie that it concerns.

import CGStreamer
import Foundation
import Localization

/// The failure of one pair of encoders, and the part that another encoder may do better.
struct MovieFailure: Error {
  enum Part {
    case picture
    case sound
    /// Another encoder would not help.
    case other
  }
  var part: Part
  var message: String
  /// Whether there is no more room for the file.
  var isDiskFull = false
  /// Whether it was given up on purpose.
  var isCancellation = false
  /// Whether the encoder of the picture had made something before.
  var isProven = false
}

extension MovieFailure {
  static var cancelled: MovieFailure {
    MovieFailure(part: .other, message: localized("it was canceled"), isCancellation: true)
  }
  static var standstill: MovieFailure {
    MovieFailure(part: .picture, message: localized("the encoder stopped responding"))
  }

  /// An encoder hangs before it has made anything.
  static func unanswered(by encoder: VideoEncoder) -> MovieFailure {
    MovieFailure(part: .picture, message: localized("the encoder “\(encoder.element)” isn’t responding"))
  }

  /// The failure of an encoding pipeline, by the element that reported it. Asks the disk if the file couldn't be written.
  ///
  /// - Parameter folder: The folder that the muxer or the sink writes to, for the file system's errors.
  static func of(_ failure: PipelineFailure, folder: URL) async -> MovieFailure {
    let part: MovieFailure.Part =
      switch failure.element {
      case "muxer", "file": .other
      case "soundencoder", "soundparser": .sound
      default: .picture
      }
    var result = MovieFailure(part: part, message: failure.message)
    guard part == .other else { return result }
    let isFull = failure.resource == GST_RESOURCE_ERROR_NO_SPACE_LEFT
    if let problem = isFull ? ENOSPC : await MovieOutput.problem(of: folder) {
      result.message = MovieOutput.words(problem, folder)
      result.isDiskFull = problem == ENOSPC || problem == EDQUOT
    }
    return result
  }
}
