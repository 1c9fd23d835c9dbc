// Tells other programs in a JPEG's own XMP what PhotoMe knows of it: favourites as five stars, albums as keywords.

import CameraCore
import Foundation

/// What is to be different in a picture's standard metadata.
struct StandardMetadataChange: Sendable, Hashable {
  enum Rating: Sendable, Hashable {
    case unchanged
    /// Five stars.
    case favourite
    /// No favourite any more: five stars become what the picture had before, `nil` for no rating. Any other number was
    /// given since by another program, and stays.
    case restored(to: Double?)
  }

  var rating: Rating = .unchanged
  /// Keywords that are to be there.
  var addedSubjects: [String] = []
  /// Keywords that are to go: only those that PhotoMe put there, which the caller knows. One that is to be there as well
  /// stays.
  var removedSubjects: [String] = []
}

/// What became of a change of metadata.
enum MetadataRewrite: Sendable, Hashable {
  /// The file's new bytes: `head` first, and then the bytes of `tail` of the old file, which stay as they are.
  struct Bytes: Sendable, Hashable {
    /// From SOI to the first scan.
    var head: Data
    /// From the first scan to the end of the old file, a Motion Photo's movie included.
    var tail: Range<UInt64>
  }

  /// The metadata before and after; `bytes` is `nil` when the file is as it should be already.
  case possible(before: StandardMetadata, after: StandardMetadata, bytes: Bytes?)
  /// The file has to stay as it is. The reason ends a sentence about the file.
  case impossible(reason: String)
}

/// Changes `xmp:Rating` and `dc:subject` of JPEG files, and nothing else in them.
///
///     switch try MetadataRewriter.rewrite(file, StandardMetadataChange(rating: .favourite, addedSubjects: ["Ada"])) {
///     case .possible(let before, let after, let bytes?): // write bytes.head, then bytes.tail of the old file; rename
///     case .possible: // it says so already
///     case .impossible(let reason): // the sidecar alone says it
///     }
///
/// The same change made twice gives the same bytes, and a change that is taken back gives the old ones, unless another
/// program wrote in between. All other metadata stay byte for byte, but for the list of further pictures in the file
/// (MPF), whose distances and sizes are kept right.
enum MetadataRewriter {
  /// The stars of a favourite.
  static let favouriteRating = 5.0
  /// In bytes: the longest packet in one segment (XMP specification, part 3, 1.1.3).
  private static let largestPacket = 65_502
  /// In bytes. Nothing but an attack or a mistake has more than this before its picture.
  static let largestHead: UInt64 = 32 << 20
  static let identifier = Array("http://ns.adobe.com/xap/1.0/\0".utf8)

  /// What a file says; nothing when it is no JPEG, has no XMP, or XMP that can't be read.
  static func standardMetadata(of file: ReadableFile) throws(PhotoLibraryError) -> StandardMetadata {
    guard let xmp = try JPEGHead(file)?.xmp, let packet = try? XMPPacket([UInt8](xmp)) else {
      return StandardMetadata()
    }
    return packet.standardMetadata
  }

  /// Works out a file's new bytes. Writes nothing.
  ///
  /// - Throws: When the file can't be read.
  static func rewrite(
    _ file: ReadableFile, _ change: StandardMetadataChange
  ) throws(PhotoLibraryError) -> MetadataRewrite {
    try rewrite(file) { packet throws(XMPRefusal) in try changed(packet, change) }
  }

  /// Works out the bytes of a picture that says nothing of a movie behind it. Writes nothing.
  ///
  /// - Throws: When the file can't be read.
  static func withoutMovie(_ file: ReadableFile) throws(PhotoLibraryError) -> MetadataRewrite {
    try rewrite(file) { packet throws(XMPRefusal) in
      var new = packet
      try new.forgetMovie()
      return new
    }
  }

  private static func rewrite(
    _ file: ReadableFile, _ change: (XMPPacket) throws(XMPRefusal) -> XMPPacket
  ) throws(PhotoLibraryError) -> MetadataRewrite {
    guard let head = try JPEGHead(file) else { return .impossible(reason: "it is no JPEG") }
    guard head.scanOffset <= largestHead else { return .impossible(reason: "it has too much before its picture") }
    let bytes = [UInt8](try file.data(at: 0, count: Int(head.scanOffset)))
    guard bytes.count == Int(head.scanOffset) else { return .impossible(reason: "it has become shorter") }
    do throws(XMPRefusal) {
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

  // MARK: The packet

  private static func changed(_ packet: XMPPacket, _ change: StandardMetadataChange) throws(XMPRefusal) -> XMPPacket {
    var new = packet
    switch change.rating {
    case .unchanged: break
    case .favourite: try new.setRating(favouriteRating)
    case .restored(let rating):
      if packet.standardMetadata.rating == favouriteRating { try new.setRating(rating) }
    }
    let added = change.addedSubjects.map { cleaned($0) }.filter { !$0.isEmpty }
    for subject in change.removedSubjects.map({ cleaned($0) }) where !added.contains(subject) {
      try new.removeSubject(subject)
    }
    for subject in added { try new.addSubject(subject) }
    // Whoever finds the movie by this packet must find it as before.
    let (before, after) = (packet, new)
    guard MotionPhotoDescription(xmp: Data(before.bytes)) == MotionPhotoDescription(xmp: Data(after.bytes)) else {
      throw XMPRefusal(reason: "its XMP is in a form that can't be changed safely")
    }
    return new
  }

  /// A title as it is written: without what XML can't hold, and without white space around it.
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

  static func segments(of head: [UInt8]) throws(XMPRefusal) -> [JPEGSegments.Segment] {
    // An empty scan and an end make it a whole picture, which is what the parser takes.
    let scan: [UInt8] = [0xff, JPEGMarker.startOfScan, 0, 2, 0xff, JPEGMarker.endOfImage]
    do throws(JPEGStreamError) {
      return try JPEGSegments(parsing: Data(head + scan)).segments
    } catch {
      throw XMPRefusal(reason: error.description)
    }
  }

  static func check(_ segments: [JPEGSegments.Segment], _ packet: XMPPacket) throws(XMPRefusal) {
    guard segments.count(where: { $0.kind == .xmp }) <= 1 else {
      throw XMPRefusal(reason: "it has more than one XMP packet")
    }
    guard !packet.hasExtension, !segments.contains(where: { $0.kind == .extendedXMP }) else {
      throw XMPRefusal(reason: "its XMP goes on in further segments")
    }
  }

  /// The head with another EXIF block or XMP packet, or with none.
  ///
  /// - Parameter payload: With its identifier.
  static func replacing(
    _ kind: JPEGSegments.Kind, in head: [UInt8], _ segments: [JPEGSegments.Segment], with payload: [UInt8]?
  ) throws(XMPRefusal) -> [UInt8] {
    var segment: [UInt8] = []
    if let payload {
      guard payload.count <= largestPacket + identifier.count else {
        throw XMPRefusal(
          reason: kind == .xmp
            ? "its XMP has no room left, \(largestPacket) bytes being the most that a JPEG takes"
            : "its EXIF block has no room left")
      }
      let length = payload.count + 2
      segment = [0xff, JPEGMarker.app1, UInt8(length >> 8), UInt8(length & 0xff)] + payload
    }
    // A new one follows what has to stand first.
    let before: Set<JPEGSegments.Kind> = kind == .xmp ? [.jfif, .exif] : [.jfif]
    let first = segments.prefix { before.contains($0.kind) }.last?.range.upperBound ?? 2
    let place = segments.first { $0.kind == kind }?.range ?? first..<first
    let growth = segment.count - place.count
    var result = head
    for other in segments where other.kind == .multiPicture {
      let behind = place.lowerBound >= other.range.upperBound ? growth : 0
      guard let list = MultiPictureIndex.adjusted(Array(head[other.payload]), growth: growth, growthBehind: behind)
      else { throw XMPRefusal(reason: "its list of further pictures can't be read") }
      result.replaceSubrange(other.payload, with: list)
    }
    result.replaceSubrange(place, with: segment)
    return result
  }
}
