// The errors of rendering an edit, with their messages.

import CameraCore
import Foundation

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
    case .unreadablePicture(let file, let reason): "“\(file)” can’t be edited: \(reason). It is unchanged."
    case .unreadableMovie(let file, let reason): "The video of “\(file)” can’t be edited: \(reason). It is unchanged."
    case .unusableSound(let file, let reason):
      "The sound of “\(file)” can’t be kept: \(reason). It is unchanged; mute it to edit the picture."
    case .encoding(let reason): "The edited video could not be made: \(reason). The picture is unchanged."
    case .writing(let reason): "The edit could not be saved: \(reason). The picture is unchanged."
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
