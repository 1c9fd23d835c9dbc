// One picture or movie of the library, as a value.

import CameraCore
import Foundation

/// What an asset is, apart from being live.
public enum AssetMediaType: String, Sendable, Hashable, Codable {
  case photo
  case video
}

/// A picture or a movie in the library, as it was when it was fetched.
///
/// Everything here is said by the file itself or by its record beside it: with the index deleted, the same files give the
/// same value again.
public struct Asset: Sendable, Hashable, Identifiable, Codable {
  public typealias ID = String

  /// 32 lower-case hexadecimal digits: the picture's EXIF `ImageUniqueID`, which PhotoMe writes, or for the files of
  /// others a digest of what can be seen in them. It survives renaming, moving and the loss of the index.
  public var id: ID
  /// Where the file lies.
  public var url: URL
  public var mediaType: AssetMediaType
  /// Whether a photo carries its movie.
  public var isLive: Bool
  /// When it was taken, to the millisecond.
  public var created: Date
  /// Seconds east of Greenwich where it was taken: local time is `created` plus this.
  public var utcOffset: Int
  /// In pixels, upright.
  public var size: PixelSize
  /// Of the movie, in seconds; `nil` for a plain photo.
  public var duration: Double?
  /// Of a live photo: when the still's frame is shown, in seconds from the movie's start.
  public var photoDisplayTime: Double?
  /// Where the movie lies in the file, in bytes: the tail for a live photo, all of it for a video; `nil` without one.
  public var movieRange: Range<UInt64>?
  /// In bytes.
  public var fileSize: UInt64
  /// When the file was last written.
  public var modified: Date
  /// Make and model of the camera, when the file says it.
  public var cameraName: String?
  /// Where it was taken, when the file says it.
  public var location: GeoLocation?
  public var isFavorite: Bool
  /// Whether it is kept out of sight.
  public var isHidden: Bool
  /// Whether what is shown is an edit; the untouched original is kept.
  public var isEdited: Bool

  public init(
    id: ID, url: URL, mediaType: AssetMediaType, isLive: Bool, created: Date, utcOffset: Int, size: PixelSize,
    duration: Double?, photoDisplayTime: Double?, movieRange: Range<UInt64>?, fileSize: UInt64, modified: Date,
    cameraName: String?, location: GeoLocation? = nil, isFavorite: Bool = false, isHidden: Bool = false,
    isEdited: Bool = false
  ) {
    self.id = id
    self.url = url
    self.mediaType = mediaType
    self.isLive = isLive
    self.created = created
    self.utcOffset = utcOffset
    self.size = size
    self.duration = duration
    self.photoDisplayTime = photoDisplayTime
    self.movieRange = movieRange
    self.fileSize = fileSize
    self.modified = modified
    self.cameraName = cameraName
    self.location = location
    self.isFavorite = isFavorite
    self.isHidden = isHidden
    self.isEdited = isEdited
  }

  /// The order of the strip: newest first; of the same instant, the later name first.
  public static func isNewer(_ left: Asset, _ right: Asset) -> Bool {
    if left.created != right.created { return left.created > right.created }
    // Bytes, as SQLite compares, so that both orders are one.
    return right.url.path.utf8.lexicographicallyPrecedes(left.url.path.utf8)
  }
}
