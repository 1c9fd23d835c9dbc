// The facts of a picture or movie file that the index keeps.

import CExiv2
import CameraCore
import Foundation
import MediaFormats

/// The facts read from one file. The same bytes always give the same facts.
struct FileFacts: Sendable, Hashable {
  /// The id of the content; copies of a file share it.
  var contentID: Asset.ID
  /// The id by which earlier versions knew it: a digest of the first stretch of its coded picture alone. `nil` where that
  /// is the same, and for files that tell their id.
  var formerContentID: Asset.ID?
  var mediaType: AssetMediaType
  var created: LocalTime
  var size: PixelSize
  var duration: Double?
  /// When the still's frame is shown, in seconds from the movie's start; of a movie file, if it is that of a live photo.
  var photoDisplayTime: Double?
  var movieRange: Range<UInt64>?
  var cameraName: String?
  var location: GeoLocation?
  /// The content identifier that the two files of an Apple Live Photo share; `nil` for other files.
  var pairID: String?
  /// The id that all pictures of a burst share.
  var burstID: String?
  /// Whether the file says that it stands for its burst.
  var isBurstPrimary = false
  /// Whether it is PhotoMe's sheet of the other pictures of its burst.
  var isSheet = false
  /// Whether PhotoMe wrote it.
  var isOwn = false
  /// Whether the id is written in the file, and isn't a digest of its image data.
  var hasOwnID = false
  /// Whether the file itself says when it was taken.
  var isDated = false

  var isLive: Bool { mediaType == .photo && movieRange != nil }

  /// Whether what is shown has the same size, length and movie. In a damaged file, metadata may lie where these are read from.
  func isShown(as other: FileFacts) -> Bool {
    size == other.size && duration == other.duration && isLive == other.isLive
  }

  /// The kinds of files that are read, by file extension.
  enum Kind: Hashable {
    case picture(PhotoFormat)
    case movie(MovieFormat)

    init?(name: String) {
      guard !name.isHiddenName, let dot = name.utf8.lastIndex(of: UInt8(ascii: ".")) else { return nil }
      let ending = name[name.utf8.index(after: dot)...].lowercased()
      if let format = PhotoFormat(fileExtension: ending) {
        self = .picture(format)
      } else if let format = MovieFormat(fileExtension: ending) {
        self = .movie(format)
      } else {
        return nil
      }
    }
  }
}

extension FileFacts {
  /// Reads a file.
  ///
  /// - Returns: `nil` when it is not a picture or movie: empty, cut short before its picture, the DNG of another picture, or
  ///   something else.
  /// - Throws: When the file can't be read.
  init?(_ file: ReadableFile) throws(PhotoLibraryError) {
    let name = file.path.utf8.lastIndex(of: UInt8(ascii: "/")).map { file.path[file.path.utf8.index(after: $0)...] }
    try self.init(file, named: name.map(String.init) ?? file.path)
  }

  /// The same for a file that is going to have another name.
  init?(_ file: ReadableFile, named name: String) throws(PhotoLibraryError) {
    switch Kind(name: name) {
    case .picture(let format): try self.init(picture: file, format, name: name)
    case .movie(let format): try self.init(movie: file, format, name: name)
    case nil: return nil
    }
  }

  private init?(picture file: ReadableFile, _ format: PhotoFormat, name: String) throws(PhotoLibraryError) {
    // Phones and programs name HEIC and AVIF files as it comes.
    guard let head = try PictureHead(file), head.format == format || head.format.isHEIF && format.isHEIF else {
      return nil
    }
    let exif = head.exif.flatMap { MetadataToolkit.facts(exif: $0) } ?? ExifFacts()
    // The raw frame of another picture has no facts of its own.
    if format == .raw, try Self.isRawOfShot(file) { return nil }
    let motion = try MotionPhoto(file, head: head)
    if let id = exif.uniqueID { contentID = id } else { (contentID, formerContentID) = try Self.digests(head, file) }
    hasOwnID = exif.uniqueID != nil
    isDated = exif.time != nil
    mediaType = .photo
    created = exif.time ?? Self.time(name: name) ?? Self.time(nanoseconds: file.status.modified)
    size = head.size.turned(orientation: head.orientation(exif))
    cameraName = exif.cameraName
    location = exif.location
    pairID = head.exif.flatMap { AppleContentIdentifier.photo(exif: $0) }
    burstID = head.xmp.flatMap(XMPPacket.burstID)
    isBurstPrimary = burstID != nil && head.xmp.map(XMPPacket.isBurstPrimary) == true
    isOwn = exif.software?.hasPrefix("PhotoMe") == true
    // Phones say the same of pictures that they blend from several of a burst.
    isSheet = isOwn && burstID != nil && head.xmp.map(XMPPacket.isCompositeCapture(in:)) == true
    if let motion {
      movieRange = motion.movieRange
      duration = try MP4Head(file, range: motion.movieRange)?.duration
      // The format's default: the frame in the middle.
      photoDisplayTime = motion.presentationTime.map { min($0, duration ?? $0) } ?? duration.map { $0 / 2 }
    }
  }

  /// Whether a file is the raw frame of another picture: a DNG that PhotoMe has written. Those of other programs have ids as
  /// well, and are pictures of their own.
  ///
  /// - Throws: When the file can't be read.
  static func isRawOfShot(_ file: ReadableFile) throws(PhotoLibraryError) -> Bool {
    guard file.path.ends(with: ".dng") else { return false }
    return try file.parse { file throws(FormatError) in try DNGHead.isOfShot(file) }
  }

  private init?(movie file: ReadableFile, _ format: MovieFormat, name: String) throws(PhotoLibraryError) {
    guard let head = try MovieHead(file), head.format.structure == format.structure, let size = head.size else {
      return nil
    }
    mediaType = .video
    self.size = size
    duration = head.duration
    movieRange = 0..<file.size
    location = head.position.flatMap { GeoLocation(iso6709: $0) }
    cameraName = MetadataToolkit.cameraName(make: head.make, model: head.model)
    let made =
      head.created.flatMap { (1...Self.latestSecond).contains($0) ? Self.time(milliseconds: $0 * 1000) : nil }
      ?? head.createdLocally.flatMap { LocalTime(exif: $0, subseconds: nil, offset: nil) }
    // With its offset from UTC it is the most exact one, and what a person has set.
    let stated = head.date.flatMap { LocalTime(iso8601: $0) }
    created = stated ?? Self.time(name: name) ?? made ?? Self.time(nanoseconds: file.status.modified)
    isDated = stated != nil || Self.time(name: name) == nil && made != nil
    if format.structure == .boxes {
      pairID = try AppleContentIdentifier.movie(file)
      if pairID != nil { photoDisplayTime = try AppleLivePhotoTrack.stillTime(of: file) }
    }
    if let id = head.assetID {
      contentID = id
      hasOwnID = true
      return
    }
    // The beginning of the media data, which stays the same when a program changes metadata.
    let media = head.mediaRange ?? 0..<file.size
    let following = try file.data(at: media.lowerBound, count: Self.digestSample)
    func digest(_ sample: Data) -> Asset.ID { AssetIdentity.digest(sample + Data("\(media.count)".utf8)) }
    contentID = digest(following.prefix(media.count))
    // Earlier versions took what is behind short media with it, which may be the metadata.
    if following.count > media.count { formerContentID = digest(following) }
  }

  // MARK: Identity

  private static let digestSample = 64 << 10

  /// The samples of a picture in several stretches, or a long one.
  private static let digestPieces = 8

  /// The digest of the frame header and of samples of the coded picture, which stay the same when a program changes metadata.
  ///
  /// Of a JPEG they are its beginning, up to its end: behind it may be a movie, whose metadata are changed. The stretches of other formats may be short, and the same in different pictures: a
  /// PNG's chunk is often 8 KiB, and a tile of a HEIC may be sky. There it is the whole picture up to 64 KiB, or as much in
  /// eight pieces from its first byte to its last, and the length of all.
  private static func digests(
    _ head: PictureHead, _ file: ReadableFile
  ) throws(PhotoLibraryError) -> (Asset.ID, former: Asset.ID?) {
    let count = head.imageRange.map { min(digestSample, $0.count) } ?? digestSample
    let beginning = try file.data(at: head.imageOffset, count: count)
    let first = AssetIdentity.digest(head.frameHeader + beginning)
    if head.format == .jpeg {
      // Earlier versions took what is behind a short picture with it.
      guard let end = JPEGExtent.end(ofScans: beginning), end < beginning.count else { return (first, nil) }
      return (AssetIdentity.digest(head.frameHeader + beginning.prefix(end)), first)
    }
    let ranges = head.imageRanges
    let total = ranges.reduce(UInt64(0)) { $0 &+ ($1.upperBound - $1.lowerBound) }
    if ranges.isEmpty || ranges.count == 1 && total <= UInt64(digestSample) { return (first, nil) }
    let length = total <= UInt64(digestSample) ? total : UInt64(digestSample / digestPieces)
    var sample = head.frameHeader
    for piece in 0..<(length == total ? 1 : UInt64(digestPieces)) {
      var start = (total - length) / UInt64(digestPieces - 1) * piece
      if piece == UInt64(digestPieces - 1) { start = total - length }
      try append(start..<start + length, of: ranges, in: file, to: &sample)
    }
    sample.append(contentsOf: "\(total)".utf8)
    return (AssetIdentity.digest(sample), first)
  }

  /// Appends a part of what some stretches of a file are together.
  private static func append(
    _ part: Range<UInt64>, of ranges: [Range<UInt64>], in file: ReadableFile, to data: inout Data
  ) throws(PhotoLibraryError) {
    var offset: UInt64 = 0
    for range in ranges {
      let count = range.upperBound - range.lowerBound
      let wanted = part.clamped(to: offset..<offset + count)
      if !wanted.isEmpty {
        data += try file.data(at: range.lowerBound + (wanted.lowerBound - offset), count: wanted.count)
      }
      offset += count
      if offset >= part.upperBound { return }
    }
  }

  /// Whether it is the picture with this content id, be it one that an earlier version noted.
  func holds(_ content: Asset.ID) -> Bool { contentID == content || formerContentID == content }

  /// The ids that its asset may have at a path, relative to the library's folder.
  func possibleIDs(at path: String) -> [Asset.ID] {
    [contentID, formerContentID].compactMap(\.self).flatMap { AssetIdentity.possibleIDs($0, at: path) }
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

extension PictureHead {
  /// The EXIF orientation that still has to be applied to what a decoder gives, 1…8.
  func orientation(_ exif: ExifFacts?) -> Int { orientationCounts ? exif?.orientation ?? 1 : 1 }

  /// The same, from its EXIF block.
  var orientation: Int {
    orientationCounts ? exif.flatMap { MetadataToolkit.facts(exif: $0) }?.orientation ?? 1 : 1
  }
}
