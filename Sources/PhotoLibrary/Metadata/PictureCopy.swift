// Copies of JPEG pictures with other things said before the same scan: no movie, no place, or half of a pair.

import CameraCore
import EngineInterface
import Foundation

/// A picture that is written anew without being encoded again.
enum PictureCopy {
  /// What is different in the copy.
  struct Changes: Sendable, Hashable {
    /// Says nothing of a movie behind it.
    var dropsMovie = false
    /// The length of the movie that will follow it, in bytes; `nil` when that stays.
    var movieLength: UInt64?
    /// Keeps of what stands around the picture only what is known to name no place. Further pictures in the file go too,
    /// since they carry metadata of their own.
    var dropsLocation = false
    /// Makes it half of an Apple Live Photo: a UUID in capital letters.
    var contentIdentifier: String?
  }

  /// A picture that is longer than this is not taken apart, in bytes.
  private static let largestPicture = StillSource.largestByteCount

  /// The pieces of the copy, without the movie.
  ///
  /// - Parameter end: Where the movie begins, or the file ends.
  /// - Throws: `unusableFile` when the changes can't be made.
  static func parts(
    of file: ReadableFile, end: UInt64, _ changes: Changes
  ) throws(PhotoLibraryError) -> [FilePart] {
    if changes == Changes() { return [.file(file, 0..<end)] }
    guard let head = try JPEGHead(file), head.scanOffset <= min(end, MetadataRewriter.largestHead) else {
      throw .unusableFile(path: file.path, reason: "it is no JPEG")
    }
    do throws(XMPRefusal) {
      return changes.dropsLocation
        ? try withoutLocation(file, end: end, head, changes) : try keepingAll(file, end: end, head, changes)
    } catch {
      throw .unusableFile(path: file.path, reason: error.reason)
    }
  }

  private static func keepingAll(
    _ file: ReadableFile, end: UInt64, _ head: JPEGHead, _ changes: Changes
  ) throws(XMPRefusal) -> [FilePart] {
    var bytes = try read(file, count: head.scanOffset)
    let segments = try MetadataRewriter.segments(of: bytes)
    let packet = try packet(head)
    try MetadataRewriter.check(segments, packet)
    let new = try changed(packet, changes)
    if new.bytes != packet.bytes {
      let payload = new.bytes == XMPPacket.empty ? nil : MetadataRewriter.identifier + new.bytes
      bytes = try MetadataRewriter.replacing(.xmp, in: bytes, segments, with: payload)
    }
    if changes.contentIdentifier != nil {
      let exif = Array("Exif\0\0".utf8) + (try exif(head, changes))
      bytes = try MetadataRewriter.replacing(
        .exif, in: bytes, try MetadataRewriter.segments(of: bytes), with: exif)
    }
    return [.bytes(Data(bytes)), .file(file, head.scanOffset..<end)]
  }

  /// JFIF, EXIF, XMP and colours, the tables and the scan, and nothing else.
  private static func withoutLocation(
    _ file: ReadableFile, end: UInt64, _ head: JPEGHead, _ changes: Changes
  ) throws(XMPRefusal) -> [FilePart] {
    guard end <= largestPicture else { throw XMPRefusal(reason: "its \(end >> 20) MiB are too many to be taken apart") }
    let bytes = Data(try read(file, count: end))
    let picture: JPEGSegments
    do throws(JPEGStreamError) { picture = try JPEGSegments(parsing: bytes) } catch {
      throw XMPRefusal(reason: error.description)
    }
    guard changes.movieLength == nil || picture.end == Int(end) else {
      throw XMPRefusal(
        reason: "there are further pictures in it, which may name the place; export its still or its movie alone")
    }
    let new = try changed(try packet(head), changes)
    let exif = Data("Exif\0\0".utf8) + (try exif(head, changes))
    do throws(JPEGStreamError) {
      var front: [Data] = []
      if let jfif = picture.payload(of: .jfif) {
        front.append(try JPEGSegments.segment(marker: JPEGMarker.app0, payload: jfif))
      }
      front.append(try JPEGSegments.segment(marker: JPEGMarker.app1, payload: exif))
      if new.bytes != XMPPacket.empty {
        let payload = Data(MetadataRewriter.identifier + new.bytes)
        front.append(try JPEGSegments.segment(marker: JPEGMarker.app1, payload: payload))
      }
      let kept: Set<JPEGSegments.Kind> = [.colorProfile, .adobe, .tables]
      return [.bytes(picture.removing { !kept.contains($0.kind) }.assemble(front: front))]
    } catch {
      throw XMPRefusal(reason: error.description)
    }
  }

  static func packet(_ head: JPEGHead) throws(XMPRefusal) -> XMPPacket {
    try XMPPacket(head.xmp.map { [UInt8]($0) } ?? XMPPacket.empty)
  }

  static func changed(_ packet: XMPPacket, _ changes: Changes) throws(XMPRefusal) -> XMPPacket {
    var new = packet
    if changes.dropsMovie { try new.forgetMovie() }
    if changes.dropsLocation { try new.forgetLocation() }
    if let length = changes.movieLength { try new.setMovieLength(length) }
    return new
  }

  private static func exif(_ head: JPEGHead, _ changes: Changes) throws(XMPRefusal) -> Data {
    do throws(PhotoLibraryError) {
      return try MetadataToolkit.exif(
        copying: head.exif,
        MetadataToolkit.CopyChanges(
          dropsLocation: changes.dropsLocation, contentIdentifier: changes.contentIdentifier))
    } catch {
      throw XMPRefusal(reason: "its EXIF block can't be changed")
    }
  }

  private static func read(_ file: ReadableFile, count: UInt64) throws(XMPRefusal) -> [UInt8] {
    let bytes: Data
    do throws(PhotoLibraryError) { bytes = try file.data(at: 0, count: Int(count)) } catch {
      throw XMPRefusal(reason: "it can't be read")
    }
    guard bytes.count == Int(count) else { throw XMPRefusal(reason: "it has become shorter") }
    return [UInt8](bytes)
  }
}
