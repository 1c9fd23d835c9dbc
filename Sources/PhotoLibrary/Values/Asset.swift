// An asset of the library: a photo, a live photo or a movie.

import CameraCore
import Foundation

/// The kind of an asset, apart from being live.
public enum AssetMediaType: String, Sendable, Hashable, Codable {
  case photo
  case video
}

/// A snapshot of one photo or movie in the library, taken when it was fetched.
///
/// Everything here comes from the file or from its record: with the index deleted, the same files give the same value
/// again.
public struct Asset: Sendable, Hashable, Identifiable, Codable {
  public typealias ID = String

  /// 32 lowercase hexadecimal digits: the picture's EXIF `ImageUniqueID`, which PhotoMe writes, or a digest of the
  /// image data for files from other programs. It survives renaming, moving and the loss of the index.
  public var id: ID
  /// The location of the file.
  public var url: URL
  public var mediaType: AssetMediaType
  /// Whether it is a photo with a movie.
  public var isLive: Bool
  /// The time at which it was taken, to the millisecond.
  public var created: Date
  /// Seconds east of Greenwich where it was taken: local time is `created` plus this.
  public var utcOffset: Int
  /// In pixels, with the orientation applied.
  public var size: PixelSize
  /// The movie's duration in seconds; `nil` for a plain photo.
  public var duration: Double?
  /// For a live photo, the presentation time of the still's frame, in seconds from the movie's start.
  public var photoDisplayTime: Double?
  /// The movie's byte range in the file: the tail of a live photo, all of a video; `nil` without a movie.
  public var movieRange: Range<UInt64>?
  /// In bytes.
  public var fileSize: UInt64
  /// The file's modification time.
  public var modified: Date
  /// The time of the last change of the file or its attributes, which no program can set: an edit keeps `modified`.
  /// Another time may mean other pixels.
  public var changed: Date
  /// Make and model of the camera, if the file has them.
  public var cameraName: String?
  /// The place where it was taken, if the file has one.
  public var location: GeoLocation?
  public var isFavorite: Bool
  /// Whether it is excluded from all collections but `hidden`.
  public var isHidden: Bool
  /// Whether the file is the result of an edit; the untouched original is kept.
  public var isEdited: Bool

  public init(
    id: ID, url: URL, mediaType: AssetMediaType, isLive: Bool, created: Date, utcOffset: Int, size: PixelSize,
    duration: Double?, photoDisplayTime: Double?, movieRange: Range<UInt64>?, fileSize: UInt64, modified: Date,
    changed: Date? = nil, cameraName: String?, location: GeoLocation? = nil, isFavorite: Bool = false,
    isHidden: Bool = false,
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
    self.changed = changed ?? modified
    self.cameraName = cameraName
    self.location = location
    self.isFavorite = isFavorite
    self.isHidden = isHidden
    self.isEdited = isEdited
  }

  /// The order of the strip: newest first; at the same instant, the later name first.
  public static func isNewer(_ left: Asset, _ right: Asset) -> Bool {
    if left.created != right.created { return left.created > right.created }
    // By bytes, as SQLite compares, so that both orders agree.
    return right.url.path.utf8.lexicographicallyPrecedes(left.url.path.utf8)
  }
}
