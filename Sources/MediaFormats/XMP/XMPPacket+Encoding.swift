// XMP packets in other encodings than UTF-8.

import Foundation

extension XMPPacket {
  /// Parses a packet in any of the encodings of XMP. One in UTF-16 or UTF-32, which JPEG doesn't allow and some programs
  /// write, is converted to UTF-8.
  ///
  /// Source: XMP specification, part 1, 7.3.2, “Packet wrapper”; part 3, 1.1.3, JPEG.
  ///
  /// - Throws: `FormatError.refused` as `init(_:)`.
  public init(anyEncoding bytes: [UInt8]) throws(FormatError) {
    try self.init(Self.converted(bytes) ?? bytes)
  }

  /// - Returns: `nil` for anything that doesn't begin as UTF-16 or UTF-32.
  private static func converted(_ bytes: [UInt8]) -> [UInt8]? {
    guard bytes.count >= 4, let encoding = encoding(bytes) else { return nil }
    let width = encoding == .utf16LittleEndian || encoding == .utf16BigEndian ? 2 : 4
    guard let text = String(bytes: bytes.prefix(bytes.count / width * width), encoding: encoding) else { return nil }
    var converted = text.trimmingPrefix("\u{feff}")[...]
    // An XML declaration would still state the old encoding, and needs not be there in UTF-8.
    if converted.hasPrefix("<?xml "), let end = converted.range(of: "?>") { converted = converted[end.upperBound...] }
    return Array(converted.utf8.filter { $0 != 0 })
  }

  /// By the mark of byte order, or the zeros of the first letter.
  private static func encoding(_ bytes: [UInt8]) -> String.Encoding? {
    switch (bytes[0], bytes[1], bytes[2], bytes[3]) {
    case (0xff, 0xfe, 0, 0), (1..., 0, 0, 0): .utf32LittleEndian
    case (0, 0, 0xfe, 0xff), (0, 0, 0, 1...): .utf32BigEndian
    case (0xff, 0xfe, _, _), (1..., 0, _, _): .utf16LittleEndian
    case (0xfe, 0xff, _, _), (0, 1..., _, _): .utf16BigEndian
    default: nil
    }
  }
}
