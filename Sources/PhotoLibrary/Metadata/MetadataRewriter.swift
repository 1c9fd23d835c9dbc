// Favorites as ratings and albums as keywords in the XMP of pictures, for other programs.

import CameraCore
import Foundation
import Localization
import MediaFormats

/// A change of a picture's standard metadata.
struct StandardMetadataChange: Sendable, Hashable {
  /// The change of the rating.
  enum Rating: Sendable, Hashable {
    case unchanged
    /// Five stars.
    case favorite
    /// Not a favorite any more: five stars become the rating before, `nil` for none. Any other rating was given by another
    /// program since, and stays.
    case restored(to: Double?)
  }

  var rating: Rating = .unchanged
  /// The change of `GCamera:BurstPrimary`.
  enum BurstPrimary: Sendable, Hashable {
    case unchanged
    /// The picture stands for its burst.
    case set
    /// It no longer does: the mark becomes the one before, `nil` for none, unless another program has changed it since.
    case restored(to: String?)
  }

  var burstPrimary: BurstPrimary = .unchanged
  /// Keywords to add.
  var addedSubjects: [String] = []
  /// Keywords to remove: only those that PhotoMe added, which the caller knows. One that is to be added as well stays.
  var removedSubjects: [String] = []
}

/// The result of a change of metadata.
enum MetadataRewrite: Sendable, Hashable {
  /// The file's new bytes: new ones, and ranges of the old file, a Motion Photo's movie included.
  struct Bytes: Sendable, Hashable {
    enum Piece: Sendable, Hashable {
      case new(Data)
      case old(Range<UInt64>)
    }

    /// In order.
    var pieces: [Piece]

    init(_ parts: [FilePart]) {
      pieces = parts.map { part in
        switch part {
        case .bytes(let data): .new(data)
        case .file(_, let range): .old(range)
        }
      }
    }

    init(head: Data, tail: Range<UInt64>) { pieces = [.new(head), .old(tail)] }

    /// For a file that is written.
    func parts(of file: ReadableFile) -> [FilePart] {
      pieces.map { piece in
        switch piece {
        case .new(let data): .bytes(data)
        case .old(let range): .file(file, range)
        }
      }
    }
  }

  /// The metadata before and after; `bytes` is `nil` when nothing has to change.
  case possible(before: StandardMetadata, after: StandardMetadata, bytes: Bytes?)
  /// The file must not be changed. The reason ends a sentence about the file.
  case impossible(reason: String)
}

/// Changes `xmp:Rating`, `dc:subject` and `GCamera:BurstPrimary` of pictures, and nothing else in them: the XMP segment of
/// a JPEG, the XMP item of a HEIC or AVIF file, the XMP chunk of a PNG.
///
///     switch try MetadataRewriter.rewrite(file, StandardMetadataChange(rating: .favorite, addedSubjects: ["Ada"])) {
///     case .possible(let before, let after, let bytes?): // write bytes.parts(of: file); rename
///     case .possible: // nothing to change
///     case .impossible(let reason): // only the sidecar holds it
///     }
///
/// The same change made twice gives the same bytes, and undoing a change gives the old bytes, unless another program wrote
/// in between. All other metadata stay byte for byte, except the index of further pictures in the file (MPF), whose offsets
/// and sizes are adjusted.
enum MetadataRewriter {
  /// The rating of a favorite.
  static let favoriteRating = 5.0
  /// The mark of a picture that stands for its burst, as phones write it.
  static let burstPrimary = "1"
  /// In bytes: the longest packet in one segment (XMP specification, part 3, 1.1.3).
  static let largestPacket = 65_502
  /// The longest head of a file, in bytes. A longer one is an attack or a mistake.
  static let largestHead: UInt64 = 32 << 20
  static let identifier = Array("http://ns.adobe.com/xap/1.0/\0".utf8)

  /// The standard metadata of a file; empty when it is not a picture, has no XMP, or XMP that can't be parsed.
  ///
  /// - Throws: When the file can't be read.
  static func standardMetadata(of file: ReadableFile) throws(PhotoLibraryError) -> StandardMetadata {
    guard let xmp = try PictureHead(file)?.xmp, let packet = try? XMPPacket([UInt8](xmp)) else {
      return StandardMetadata()
    }
    return packet.standardMetadata
  }

  /// The new bytes of a file for a change. Writes nothing.
  ///
  /// - Throws: When the file can't be read.
  static func rewrite(
    _ file: ReadableFile, _ change: StandardMetadataChange
  ) throws(PhotoLibraryError) -> MetadataRewrite {
    try rewrite(file) { packet throws(FormatError) in try changed(packet, change) }
  }

  /// The new bytes of a file without the description of a movie behind its picture. Writes nothing.
  ///
  /// - Throws: When the file can't be read.
  static func withoutMovie(_ file: ReadableFile) throws(PhotoLibraryError) -> MetadataRewrite {
    try rewrite(file) { packet throws(FormatError) in
      var new = packet
      try new.removeMovie(keepsPictures: true)
      return new
    }
  }

  private static func rewrite(
    _ file: ReadableFile, _ change: (XMPPacket) throws(FormatError) -> XMPPacket
  ) throws(PhotoLibraryError) -> MetadataRewrite {
    guard let picture = try PictureHead(file) else { return .impossible(reason: localized("it isn’t a picture")) }
    guard let head = picture.jpeg else { return try rewrite(file, picture, change) }
    guard head.scanOffset <= largestHead else {
      return .impossible(reason: localized("it contains too much data before its picture"))
    }
    let bytes = [UInt8](try file.data(at: 0, count: Int(head.scanOffset)))
    guard bytes.count == Int(head.scanOffset) else { return .impossible(reason: localized("it has become shorter")) }
    do throws(FormatError) {
      let segments = try segments(of: bytes)
      let old = segments.first { $0.kind == .xmp }.map { Array(bytes[$0.payload].dropFirst(identifier.count)) }
      let packet = try XMPPacket(old ?? XMPPacket.empty)
      try check(segments, packet)
      let new = try change(packet)
      let (before, after) = (packet.standardMetadata, new.standardMetadata)
      guard new.bytes != packet.bytes else { return .possible(before: before, after: after, bytes: nil) }
      let result = try replacing(
        .xmp, in: bytes, segments, with: new.bytes == XMPPacket.empty ? nil : identifier + new.bytes)
      return .possible(
        before: before, after: after,
        bytes: MetadataRewrite.Bytes(head: Data(result), tail: head.scanOffset..<file.size))
    } catch {
      return .impossible(reason: error.reason)
    }
  }

  /// The same for pictures whose metadata are in items or chunks.
  private static func rewrite(
    _ file: ReadableFile, _ head: PictureHead, _ change: (XMPPacket) throws(FormatError) -> XMPPacket
  ) throws(PhotoLibraryError) -> MetadataRewrite {
    do throws(FormatError) {
      let packet = try XMPPacket(head.xmp.map { [UInt8]($0) } ?? XMPPacket.empty)
      let new = try change(packet)
      let (before, after) = (packet.standardMetadata, new.standardMetadata)
      guard new.bytes != packet.bytes else { return .possible(before: before, after: after, bytes: nil) }
      let xmp = MetadataBlock(new.bytes == XMPPacket.empty ? nil : Data(new.bytes))
      var parts = try PictureCopy.pieces(of: file, head.format, PictureMetadata(xmp: xmp))
      if let end = head.end, end < file.size { parts.append(.file(file, end..<file.size)) }
      return .possible(before: before, after: after, bytes: MetadataRewrite.Bytes(parts))
    } catch {
      if case .read = error { throw PhotoLibraryError(error, path: file.path) }
      return .impossible(reason: error.reason)
    }
  }

  // MARK: The packet

  private static func changed(_ packet: XMPPacket, _ change: StandardMetadataChange) throws(FormatError) -> XMPPacket {
    var new = packet
    switch change.rating {
    case .unchanged: break
    case .favorite: try new.setRating(favoriteRating)
    case .restored(let rating):
      if packet.standardMetadata.rating == favoriteRating { try new.setRating(rating) }
    }
    switch change.burstPrimary {
    case .unchanged: break
    // One that says so in other words stays.
    case .set: if !packet.isBurstPrimary { try new.setBurstPrimary(burstPrimary) }
    case .restored(let mark): if packet.burstPrimary == burstPrimary { try new.setBurstPrimary(mark) }
    }
    let added = change.addedSubjects.map { cleaned($0) }.filter { !$0.isEmpty }
    for subject in change.removedSubjects.map({ cleaned($0) }) where !added.contains(subject) {
      try new.removeSubject(subject)
    }
    for subject in added { try new.addSubject(subject) }
    // Readers must find the movie by this packet as before.
    let (before, after) = (packet, new)
    guard MotionPhotoDescription(xmp: Data(before.bytes)) == MotionPhotoDescription(xmp: Data(after.bytes)) else {
      throw XMPPacket.unsafeForm
    }
    return new
  }

  /// A title without characters that XML can't hold, and without white space around it.
  static func cleaned(_ title: String) -> String {
    let scalars = title.unicodeScalars.filter { scalar in
      switch scalar.value {
      case 0x9, 0xa, 0xd: true
      case 0..<0x20, 0xfffe, 0xffff: false
      default: true
      }
    }
    return String(String.UnicodeScalarView(scalars)).trimmingCharacters(in: .whitespacesAndNewlines)
  }

  // MARK: The file

  static func segments(of head: [UInt8]) throws(FormatError) -> [JPEGSegments.Segment] {
    // The parser takes complete pictures only, hence an empty scan and EOI.
    let scan: [UInt8] = [0xff, JPEGMarker.startOfScan, 0, 2, 0xff, JPEGMarker.endOfImage]
    do throws(JPEGStreamError) {
      return try JPEGSegments(parsing: Data(head + scan)).segments
    } catch {
      throw FormatError(error)
    }
  }

  static func check(_ segments: [JPEGSegments.Segment], _ packet: XMPPacket) throws(FormatError) {
    guard segments.count(where: { $0.kind == .xmp }) <= 1 else {
      throw .refused(reason: localized("it has more than one XMP packet"))
    }
    guard !packet.hasExtension, !segments.contains(where: { $0.kind == .extendedXMP }) else {
      throw .refused(reason: localized("its XMP metadata spans several segments"))
    }
  }

  /// The head with a replaced or removed EXIF block or XMP packet.
  ///
  /// - Parameter payload: With its identifier.
  static func replacing(
    _ kind: JPEGSegments.Kind, in head: [UInt8], _ segments: [JPEGSegments.Segment], with payload: [UInt8]?
  ) throws(FormatError) -> [UInt8] {
    var segment: [UInt8] = []
    if let payload {
      guard payload.count <= largestPacket + identifier.count else {
        throw .refused(
          reason: kind == .xmp
            ? localized(
              """
              its XMP metadata has no room left (a JPEG holds at most \(largestPacket) bytes)
              """)
            : localized("its EXIF metadata has no room left"))
      }
      let length = payload.count + 2
      segment = [0xff, JPEGMarker.app1, UInt8(length >> 8), UInt8(length & 0xff)] + payload
    }
    // A new one follows the segments that have to come first.
    let before: Set<JPEGSegments.Kind> = kind == .xmp ? [.jfif, .exif] : [.jfif]
    let first = segments.prefix { before.contains($0.kind) }.last?.range.upperBound ?? 2
    let range = segments.first { $0.kind == kind }?.range ?? first..<first
    return try replacing(range, in: head, segments, with: segment)
  }

  /// The head with other bytes instead of a segment, and the index of further pictures adjusted.
  static func replacing(
    _ range: Range<Int>, in head: [UInt8], _ segments: [JPEGSegments.Segment], with segment: [UInt8]
  ) throws(FormatError) -> [UInt8] {
    let growth = segment.count - range.count
    var result = head
    for other in segments where other.kind == .multiPicture {
      let behind = range.lowerBound >= other.range.upperBound ? growth : 0
      guard let list = MultiPictureIndex.adjusted(Array(head[other.payload]), growth: growth, growthBehind: behind)
      else { throw .refused(reason: localized("its index of additional pictures can’t be read")) }
      result.replaceSubrange(other.payload, with: list)
    }
    result.replaceSubrange(range, with: segment)
    return result
  }
}
