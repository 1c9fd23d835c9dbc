// The facts of a picture or movie file that the index keeps.

import CExiv2
import CameraCore
import Foundation
import MediaFormats

/// The facts read from one file. The same bytes always give the same facts.
struct FileFacts: Sendable, Hashable {
  /// The id of the content; copies of a file share it.
  var contentID: Asset.ID
  var mediaType: AssetMediaType
  var created: LocalTime
  var size: PixelSize
  var duration: Double?
  var photoDisplayTime: Double?
  var movieRange: Range<UInt64>?
  var cameraName: String?
  var location: GeoLocation?
  /// Whether PhotoMe wrote it.
  var isOwn = false
  /// Whether the id is written in the file, and isn't a digest of its image data.
  var hasOwnID = false
  /// Whether the file itself says when it was taken.
  var isDated = false

  var isLive: Bool { mediaType == .photo && movieRange != nil }

  /// The kinds of files that are read, by file extension.
  enum Kind {
    case jpeg
    case movie

    init?(name: String) {
      guard !name.isHiddenName, let dot = name.utf8.lastIndex(of: UInt8(ascii: ".")) else { return nil }
      switch name[name.utf8.index(after: dot)...].lowercased() {
      case "jpg", "jpeg": self = .jpeg
      case "mp4", "m4v", "mov": self = .movie
      default: return nil
      }
    }
  }
}

extension FileFacts {
  /// Reads a file.
  ///
  /// - Returns: `nil` when it is not a picture or movie: empty, cut short before its picture, or something else.
  /// - Throws: When the file can't be read.
  init?(_ file: ReadableFile) throws(PhotoLibraryError) {
    let name = file.path.utf8.lastIndex(of: UInt8(ascii: "/")).map { file.path[file.path.utf8.index(after: $0)...] }
    let fileName = name.map(String.init) ?? file.path
    switch Kind(name: fileName) {
    case .jpeg: try self.init(jpeg: file, name: fileName)
    case .movie: try self.init(movie: file, name: fileName)
    case nil: return nil
    }
  }

  private init?(jpeg file: ReadableFile, name: String) throws(PhotoLibraryError) {
    guard let head = try JPEGHead(file) else { return nil }
    let exif = head.exif.flatMap { MetadataToolkit.facts(exif: $0) } ?? ExifFacts()
    let motion = try MotionPhoto(file, head: head)
    if let id = exif.uniqueID { contentID = id } else { contentID = try Self.digest(head, file) }
    hasOwnID = exif.uniqueID != nil
    isDated = exif.time != nil
    mediaType = .photo
    created = exif.time ?? Self.time(name: name) ?? Self.time(nanoseconds: file.status.modified)
    size = exif.orientation >= 5 ? PixelSize(width: head.size.height, height: head.size.width) : head.size
    cameraName = exif.cameraName
    location = exif.location
    isOwn = exif.software?.hasPrefix("PhotoMe") == true
    if let motion {
      movieRange = motion.movieRange
      duration = try MP4Head(file, range: motion.movieRange)?.duration
      // The format's default: the frame in the middle.
      photoDisplayTime = motion.presentationTime.map { min($0, duration ?? $0) } ?? duration.map { $0 / 2 }
    }
  }

  private init?(movie file: ReadableFile, name: String) throws(PhotoLibraryError) {
    guard let head = try MP4Head(file, range: 0..<file.size), let size = head.size else { return nil }
    mediaType = .video
    self.size = size
    duration = head.duration
    movieRange = 0..<file.size
    location = head.position.flatMap { GeoLocation(iso6709: $0) }
    let made = head.created.flatMap { (1...Self.latestSecond).contains($0) ? Self.time(milliseconds: $0 * 1000) : nil }
    created = Self.time(name: name) ?? made ?? Self.time(nanoseconds: file.status.modified)
    isDated = Self.time(name: name) == nil && made != nil
    if let id = head.assetID {
      contentID = id
      hasOwnID = true
      return
    }
    // The beginning of the media data, which stays the same when a program changes metadata.
    let media = head.mediaRange ?? 0..<file.size
    var sample = try file.data(at: media.lowerBound, count: Self.digestSample)
    sample.append(contentsOf: "\(media.count)".utf8)
    contentID = AssetIdentity.digest(sample)
  }

  // MARK: Identity

  private static let digestSample = 64 << 10

  /// The digest of the frame header and the beginning of the scan, which stay the same when a program changes metadata.
  private static func digest(_ head: JPEGHead, _ file: ReadableFile) throws(PhotoLibraryError) -> Asset.ID {
    try AssetIdentity.digest(head.frameHeader + file.data(at: head.scanOffset, count: digestSample))
  }

  // MARK: Time

  /// The time in names like `IMG_20261121_073106_123.jpg`, as PhotoMe and phones write them.
  static func time(name: String) -> LocalTime? {
    let parts = name.split(whereSeparator: { !$0.isASCII || !($0.isLetter || $0.isNumber) })
    guard parts.count >= 3, ["IMG", "VID", "PXL", "MVIMG", "PHOTO"].contains(parts[0].uppercased()) else { return nil }
    func number(_ text: Substring, _ start: Int, _ count: Int) -> Int {
      Int(text.dropFirst(start).prefix(count)) ?? -1
    }
    let (day, time) = (parts[1], parts[2])
    guard day.utf8.count == 8, [6, 9].contains(time.utf8.count) else { return nil }
    // Pixel phones write the milliseconds right behind the seconds.
    let milliseconds =
      time.utf8.count == 9 ? number(time, 6, 3) : parts.count > 3 && parts[3].utf8.count == 3 ? Int(parts[3]) : nil
    return LocalTime(
      year: number(day, 0, 4), month: number(day, 4, 2), day: number(day, 6, 2), hour: number(time, 0, 2),
      minute: number(time, 2, 2), second: number(time, 4, 2), millisecond: milliseconds ?? 0, utcOffset: nil)
  }

  /// The last second of the year 9999, since 1970.
  private static let latestSecond: Int64 = 253_402_300_799

  private static func time(nanoseconds: Int64) -> LocalTime { time(milliseconds: nanoseconds / 1_000_000) }

  private static func time(milliseconds: Int64) -> LocalTime {
    let date = Date(millisecondsSince1970: milliseconds)
    return LocalTime(milliseconds: milliseconds, utcOffset: TimeZone.current.secondsFromGMT(for: date))
  }
}
