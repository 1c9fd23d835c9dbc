// The four-character code of a box.

/// The type of a box, a handler or a sample description: four Latin-1 characters in 32 bits.
///
///     if box.type == "moov" { … }
public struct MP4Type: Hashable, Sendable, ExpressibleByStringLiteral, CustomStringConvertible {
  public var code: UInt32

  public init(code: UInt32) { self.code = code }

  /// - Parameter value: Of Latin-1 characters, as `©xyz`.
  @inline(__always)
  public init(stringLiteral value: StaticString) {
    // Latin-1 in UTF-8: from 0x80 on a lead byte comes first, which adds 0x40 from 0xC0 on.
    var (code, high) = (UInt32(0), UInt32(0))
    value.withUTF8Buffer { bytes in
      for byte in bytes {
        switch byte {
        case 0xc2: high = 0
        case 0xc3: high = 0x40
        default:
          code = code << 8 | (UInt32(byte) + high)
          high = 0
        }
      }
    }
    self.code = code
  }

  public var description: String {
    String(String.UnicodeScalarView([24, 16, 8, 0].map { UnicodeScalar(UInt8(truncatingIfNeeded: code >> $0)) }))
  }
}
