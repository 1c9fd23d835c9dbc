// A cursor over the markers of a JPEG, which copies nothing and checks every length.

import Localization

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

/// The reason why bytes are not a JPEG that can be used.
public enum JPEGStreamError: Error, Equatable, Sendable, CustomStringConvertible {
  /// The bytes don't begin with SOI.
  case notJPEG
  /// The bytes end before EOI, or the next picture begins before it.
  case cutShort
  /// The bytes at this offset are not allowed there.
  case damaged(offset: Int)
  /// A kind of JPEG that no camera sends and no viewer shows: lossless, hierarchical, or of unknown height. The byte is
  /// the frame header's marker.
  case unsupported(marker: UInt8)
  /// A component's quantization table is missing.
  case noQuantizationTable
  /// A Huffman table is missing, and it isn't one of the standard's.
  case noHuffmanTable
  /// More bytes than a JPEG segment holds (65,533).
  case segmentTooLong(count: Int)

  public var description: String {
    switch self {
    case .notJPEG: localized("it isn’t a JPEG")
    case .cutShort: localized("the JPEG is incomplete")
    case .damaged(let offset): localized("the JPEG is damaged at byte \(offset)")
    case .unsupported(let marker): localized("JPEGs of type 0x\(String(marker, radix: 16)) aren’t supported")
    case .noQuantizationTable: localized("the JPEG has no quantization table")
    case .noHuffmanTable: localized("the JPEG has no Huffman table")
    case .segmentTooLong(let count): localized("\(count) bytes are too many for a JPEG segment")
    }
  }
}

extension FormatError {
  /// A JPEG's own error as a refusal.
  public init(_ error: JPEGStreamError) { self = .refused(reason: error.description) }
}

/// The second bytes of JPEG markers (ITU-T T.81, table B.1).
public enum JPEGMarker {
  public static let startOfImage: UInt8 = 0xd8
  public static let endOfImage: UInt8 = 0xd9
  public static let startOfScan: UInt8 = 0xda
  public static let quantizationTables: UInt8 = 0xdb
  public static let huffmanTables: UInt8 = 0xc4
  public static let restartInterval: UInt8 = 0xdd
  public static let comment: UInt8 = 0xfe
  public static let app0: UInt8 = 0xe0
  public static let app1: UInt8 = 0xe1
  public static let app2: UInt8 = 0xe2
  public static let app14: UInt8 = 0xee

  /// SOF0 … SOF15: the frame header, which holds the size.
  static func isFrameHeader(_ code: UInt8) -> Bool {
    (0xc0...0xcf).contains(code) && code != huffmanTables && code != 0xc8 && code != 0xcc
  }

  /// Baseline, extended and progressive, with Huffman or arithmetic coding: the kinds that libjpeg decodes.
  static func isUsualFrameHeader(_ code: UInt8) -> Bool { [0xc0, 0xc1, 0xc2, 0xc9, 0xca].contains(code) }

  /// A marker without a length: TEM, RST0 … RST7, SOI, EOI.
  static func standsAlone(_ code: UInt8) -> Bool { code == 0x01 || (0xd0...0xd9).contains(code) }
}

/// A cursor over the markers of one picture.
///
/// Every step moves forward by at least two bytes, so a walk ends after at most as many steps as there are bytes,
/// whatever they are. Entropy-coded data are skipped with `memchr`, some 10 GB/s.
struct JPEGMarkerReader {
  /// One marker with its segment.
  struct Step {
    var code: UInt8
    /// From the marker's 0xFF to the end of its segment, without fill bytes before it.
    var range: Range<Int>
    /// The bytes behind the length.
    var payload: Range<Int>
  }

  let bytes: UnsafeRawBufferPointer
  /// The offset of the next marker.
  private(set) var position: Int
  /// The restart markers in the scan that was skipped last.
  private(set) var restartCount = 0

  /// Starts behind SOI.
  init(_ bytes: UnsafeRawBufferPointer) throws(JPEGStreamError) {
    guard bytes.count >= 2, bytes[0] == 0xff, bytes[1] == JPEGMarker.startOfImage else { throw .notJPEG }
    self.bytes = bytes
    position = 2
  }

  /// Reads the marker here, and moves behind its segment.
  mutating func next() throws(JPEGStreamError) -> Step {
    guard position < bytes.count else { throw .cutShort }
    guard bytes[position] == 0xff else { throw .damaged(offset: position) }
    var codeAt = position + 1
    // Any number of 0xFF may precede a marker's code.
    while codeAt < bytes.count, bytes[codeAt] == 0xff { codeAt += 1 }
    guard codeAt < bytes.count else { throw .cutShort }
    let code = bytes[codeAt]
    guard code != JPEGMarker.startOfImage else { throw .cutShort }
    guard code >= 0xc0 else { throw .damaged(offset: position) }
    if JPEGMarker.standsAlone(code) {
      position = codeAt + 1
      return Step(code: code, range: codeAt - 1..<position, payload: position..<position)
    }
    guard let length = bytes.bigEndian16(at: codeAt + 1) else { throw .cutShort }
    guard length >= 2 else { throw .damaged(offset: codeAt + 1) }
    let end = codeAt + 1 + length
    guard end <= bytes.count else { throw .cutShort }
    position = end
    return Step(code: code, range: codeAt - 1..<end, payload: codeAt + 3..<end)
  }

  /// Skips entropy-coded data with their stuffed zeros and restart markers, up to the 0xFF of the next marker.
  mutating func skipScanData() throws(JPEGStreamError) {
    guard findScanEnd() else { throw .cutShort }
  }

  /// Skips entropy-coded data likewise, or all bytes that are left when no marker follows.
  ///
  /// - Returns: Whether a marker follows.
  mutating func findScanEnd() -> Bool {
    restartCount = 0
    guard let base = bytes.baseAddress else { return false }
    var offset = position
    while offset + 1 < bytes.count, let found = memchr(base + offset, 0xff, bytes.count - offset) {
      offset = UnsafeRawPointer(found) - base
      guard offset + 1 < bytes.count else { break }
      let code = bytes[offset + 1]
      if code != 0 {
        guard (0xd0...0xd7).contains(code) else {
          position = offset
          return true
        }
        restartCount += 1
      }
      offset += 2
    }
    position = bytes.count
    return false
  }
}

extension UnsafeRawBufferPointer {
  /// Whether the range begins with these bytes.
  func has(_ text: StaticString, at range: Range<Int>) -> Bool {
    guard range.count >= text.utf8CodeUnitCount, let base = baseAddress else { return false }
    return memcmp(base + range.lowerBound, text.utf8Start, text.utf8CodeUnitCount) == 0
  }
}
