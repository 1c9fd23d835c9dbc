// The gain map in a JPEG file.

import Foundation

/// The gain map behind the picture of a JPEG file: a JPEG of its own, whose samples tell how much brighter the picture's
/// parts are on screens that can show more than white.
///
/// Source: Ultra HDR Image Format v1.1 (developer.android.com); ISO/TS 21496-1:2025, annex C; Apple, “Applying Apple HDR
/// effect to your photos”.
public struct JPEGGainMap: Sendable, Hashable {
  /// Of the map, in the file.
  public var range: Range<UInt64>
  /// The payload of the segment by which the picture itself tells of an ISO gain map; `nil` without one.
  public var isoMark: Data?
  /// Whether the map is described by XMP in the form of Ultra HDR, of which the picture's own packet has to tell.
  public var isUltraHDR: Bool

  /// XMP's namespace of Ultra HDR.
  public static let namespace = XMPNamespace.gainMap
  /// The identifier of ISO's segment.
  public static let isoIdentifier = Data("urn:iso:std:iso:ts:21496:-1\0".utf8)
  private static let apple = Data("urn:com:apple:photo:2020:aux:hdrgainmap".utf8)
  /// Of the head of a picture that is looked at, in bytes.
  private static let longestHead: UInt64 = 1 << 20

  /// - Parameter limit: The offset at which a movie or a trailer begins, or the file ends.
  /// - Returns: `nil` when the file has none, or one that isn't in the index of its pictures.
  /// - Throws: `FormatError.read`.
  public init?(_ source: any ByteSource, upTo limit: UInt64) throws(FormatError) {
    guard let extent = try JPEGExtent(source, upTo: limit) else { return nil }
    for range in extent.others {
      let part = SourceStretch(source, range: range)
      guard let head = try JPEGHead(part) else { continue }
      let bytes = try part.data(at: 0, count: Int(min(head.scanOffset, Self.longestHead)))
      let hasXMP = head.xmp?.range(of: Data(Self.namespace.utf8)) != nil
      let isISO = bytes.range(of: Self.isoIdentifier) != nil
      guard hasXMP || isISO || head.xmp?.range(of: Self.apple) != nil else { continue }
      (self.range, isUltraHDR) = (range, hasXMP)
      if isISO { isoMark = try Self.isoMark(of: source) }
      return
    }
    return nil
  }

  private static func isoMark(of source: any ByteSource) throws(FormatError) -> Data? {
    guard let head = try JPEGHead(source), head.scanOffset <= longestHead else { return nil }
    let bytes = [UInt8](try source.data(at: 0, count: Int(head.scanOffset)))
    var offset = 2
    while offset + 4 <= bytes.count, bytes[offset] == 0xff {
      let length = Int(bytes[offset + 2]) << 8 | Int(bytes[offset + 3])
      let payload = bytes[min(offset + 4, bytes.count)..<min(offset + 2 + length, bytes.count)]
      if bytes[offset + 1] == JPEGMarker.app2, payload.starts(with: isoIdentifier) { return Data(payload) }
      offset += 2 + length
    }
    return nil
  }
}
