// The errors of rendering an edit, with their messages.

import CameraCore
import Foundation
import Localization

/// An edit that could not be rendered. The picture is as it was.
public enum EditError: Error, Equatable, Sendable, LocalizedError, CustomStringConvertible {
  /// The picture can't be decoded.
  case unreadablePicture(file: String, reason: String)
  /// The movie can't be decoded, or has no frame where one is needed.
  case unreadableMovie(file: String, reason: String)
  /// The sound can't be carried over.
  case unusableSound(file: String, reason: String)
  /// The result can't be encoded.
  case encoding(reason: String)
  /// The result can't be written.
  case writing(reason: String)

  public var description: String {
    switch self {
    case .unreadablePicture(let file, let reason):
      localized("“\(file)” can’t be edited: \(reason). The file is unchanged.", comment: "{1} is the reason")
    case .unreadableMovie(let file, let reason):
      localized(
        "The video in “\(file)” can’t be edited: \(reason). The file is unchanged.", comment: "{1} is the reason")
    case .unusableSound(let file, let reason):
      localized(
        "The sound in “\(file)” can’t be kept: \(reason). The file is unchanged. Mute it to edit the picture.",
        comment: "{1} is the reason")
    case .encoding(let reason):
      localized(
        "The edited video couldn’t be made: \(reason). The original is unchanged.", comment: "{0} is the reason")
    case .writing(let reason):
      localized("The edit couldn’t be saved: \(reason). The original is unchanged.", comment: "{0} is the reason")
    }
  }

  public var errorDescription: String? { description }

  /// The error for a movie that can't be read.
  ///
  /// - Parameter file: The name of the file with the movie.
  public init(_ error: CameraError, reading file: String) {
    switch error {
    case .playbackFailed(_, let message): self = .unreadableMovie(file: file, reason: message)
    default: self = .unreadableMovie(file: file, reason: error.description.asClause)
    }
  }
}
