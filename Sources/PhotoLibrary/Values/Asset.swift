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
  /// The movie's byte range in the file at `movieURL`: the tail of a live photo, all of a video or of a movie beside the
  /// photo; `nil` without a movie.
  public var movieRange: Range<UInt64>?
  /// The movie of a live photo of two files, as iPhones write them; `nil` where it is in the photo's file.
  public internal(set) var pairedVideo: URL?
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
  /// The id that all pictures of a burst share, `GCamera:BurstID` in their XMP; `nil` for a picture that is in none.
  public var burstID: String?
  /// Whether it is the one that stands for its burst: a person's pick, or the sharpest when the burst was taken.
  public var isKeyPhoto: Bool { isPicked || isBurstPrimary }
  /// The pick of the record, which outranks the file's own.
  public internal(set) var isPicked = false
  /// Whether the file says so, `GCamera:BurstPrimary`.
  public internal(set) var isBurstPrimary = false
  /// Whether it is a sheet of the other pictures of its burst: see `PhotoLibrary.createSheet`.
  public internal(set) var isSheet = false
  /// The number of pictures that it stands for in the list that it was fetched from: more than 1 for a burst in a list
  /// whose bursts are grouped. See `FetchOptions.groupsBursts`.
  public internal(set) var groupCount = 1

  /// The file that contains the movie, if there is one.
  public var movieURL: URL { pairedVideo ?? url }
  /// The files that other programs need of it: also the video of a live photo of two files.
  public var files: [URL] { [url] + [pairedVideo].compactMap(\.self) }

  /// Whether it stands for several pictures of a burst.
  public var representsBurst: Bool { groupCount > 1 }

  public init(
    id: ID, url: URL, mediaType: AssetMediaType, isLive: Bool, created: Date, utcOffset: Int, size: PixelSize,
    duration: Double?, photoDisplayTime: Double?, movieRange: Range<UInt64>?, fileSize: UInt64, modified: Date,
    changed: Date? = nil, cameraName: String?, location: GeoLocation? = nil, isFavorite: Bool = false,
    isHidden: Bool = false,
    isEdited: Bool = false, burstID: String? = nil
  ) {
    self.burstID = burstID
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

  /// The one of a burst's pictures that stands for all of them: the pick, else what a file says, else the first.
  ///
  /// - Parameter frames: In the order in which they were taken.
  public static func keyPhoto(of frames: [Asset]) -> Asset? {
    frames.first(where: \.isPicked) ?? frames.first(where: \.isBurstPrimary) ?? frames.first
  }

  /// The order of the strip: newest first; at the same instant, the later name first.
  public static func isNewer(_ left: Asset, _ right: Asset) -> Bool {
    if left.created != right.created { return left.created > right.created }
    // By bytes, as SQLite compares, so that both orders agree.
    return right.url.path.utf8.lexicographicallyPrecedes(left.url.path.utf8)
  }
}
