// The matte of a person in a JPEG file.

import Foundation

/// The matte behind the picture of a JPEG file: a gray JPEG of its own, bright where a person is, in the form of Apple's
/// portrait effects matte. The index of pictures names it, and its own packet tells what it is.
///
///     let matte = try JPEGPortraitMatte.described(gray)
///     // picture with an index + matte:
///     let range = try JPEGPortraitMatte(file, upTo: file.count)?.range
///
/// Sources: see `XMPPacket.portraitMatte`; CIPA DC-007 for the index.
public struct JPEGPortraitMatte: Sendable, Hashable {
  /// Of the matte, in the file.
  public var range: Range<UInt64>

  /// - Parameter limit: The offset at which a movie or a trailer begins, or the file ends.
  /// - Returns: `nil` when the file has none, or one that isn't in the index of its pictures.
  /// - Throws: `FormatError.read`.
  public init?(_ source: any ByteSource, upTo limit: UInt64) throws(FormatError) {
    guard let extent = try JPEGExtent(source, upTo: limit) else { return nil }
    for range in extent.others {
      guard let xmp = try JPEGHead(SourceStretch(source, range: range))?.xmp,
        XMPPacket.describesPortraitMatte(xmp)
      else { continue }
      self.range = range
      return
    }
    return nil
  }

  /// A matte with the packet that tells what it is, instead of all other metadata.
  ///
  /// - Parameter jpeg: Gray.
  /// - Throws: `JPEGStreamError` when it isn't a complete JPEG.
  public static func described(_ jpeg: Data) throws(JPEGStreamError) -> Data {
    let segments = try JPEGSegments(parsing: jpeg)
    precondition(segments.hasOneComponent, "A matte is gray.")
    let packet = try JPEGSegments.segment(
      marker: JPEGMarker.app1, payload: Data("http://ns.adobe.com/xap/1.0/\0".utf8) + XMPPacket.portraitMatte)
    return segments.removing { $0.kind != .tables }.assemble(front: [packet])
  }
}
