// A backdrop that is kept in the library.

import Foundation

/// A picture or movie of a person's own that was chosen as backdrop. Its file is hidden in the library, so that the edits that
/// need it can be changed and made again wherever the library is.
public struct KeptBackdrop: Sendable, Hashable, Identifiable {
  public enum Kind: String, CaseIterable, Sendable, Hashable {
    case picture
    case movie

    /// A JPEG; or JPEGs one after another, `BackdropMovie.frameRate` a second.
    var fileExtension: String {
      switch self {
      case .picture: "jpg"
      case .movie: "mjpeg"
      }
    }
  }

  /// That of an `OwnBackdrop`.
  public let id: String
  public let kind: Kind
  public let url: URL
  /// When it was first chosen.
  public let added: Date
}
