// When and where a movie was taken, in its XMP packets.

import Localization

extension MovieCaptureMetadata {
  /// In bytes, at the top level.
  private static let largestPacket: UInt64 = 16 << 20

  /// Removes the place from the XMP packets at the top level, which keep their lengths.
  static func packetEdits(
    _ source: any ByteSource, _ range: Range<UInt64>
  ) throws(FormatError) -> [Edit] {
    var edits: [Edit] = []
    for packet in try MoviePackets(source, range: range).top {
      guard packet.upperBound - packet.lowerBound <= largestPacket else {
        throw .refused(reason: localized("the metadata (XMP) is too long"))
      }
      let old = try source.bytes(at: packet.lowerBound, count: packet.count)
      if let new = try XMPPacket.withoutPosition(old) { edits.append(Edit(range: packet, bytes: new.bytes)) }
    }
    return edits
  }
}
