// The chunks of a PNG file.

import CameraCore
import Foundation
import Localization

/// Walks the chunks of a PNG file. Untrusted input.
///
/// Source: Portable Network Graphics (PNG) Specification, third edition, 5.
struct PNGFile: Sendable {
  /// One chunk.
  struct Chunk: Sendable, Hashable {
    var type: MP4Type
    /// From its length to its checksum.
    var range: Range<UInt64>
    var content: Range<UInt64> { range.lowerBound + 8..<range.upperBound - 4 }

    /// Whether a decoder needs it, or it says how the pixels are meant.
    var isNeeded: Bool {
      [
        "IHDR", "PLTE", "IDAT", "IEND", "tRNS", "gAMA", "cHRM", "sRGB", "iCCP", "cICP", "sBIT", "pHYs", "bKGD", "mDCv",
        "cLLi",
      ].contains(type)
    }
  }

  static let signature: [UInt8] = [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]
  /// Encoders make a chunk for each 8 KiB: this many are half a gigabyte.
  private static let mostChunks = 1 << 16
  /// In pixels, on either side.
  private static let mostPixels: UInt64 = 1 << 24
  static let xmpKeyword = Array("XML:com.adobe.xmp\0".utf8)

  /// Up to `IEND`, or to the first damage.
  private(set) var chunks: [Chunk] = []
  /// Whether the last one is `IEND`.
  private(set) var isComplete = false
  let size: PixelSize

  static func begins(in source: any ByteSource) throws(FormatError) -> Bool {
    try source.prefix(at: 0, count: signature.count) == signature
  }

  /// - Returns: `nil` when it isn't a PNG with pixels in it.
  /// - Throws: `FormatError.read`.
  init?(_ source: any ByteSource) throws(FormatError) {
    guard try Self.begins(in: source) else { return nil }
    var window = ByteWindow(source)
    var offset = UInt64(Self.signature.count)
    while chunks.count < Self.mostChunks {
      guard let length = try window.number(at: offset, bytes: 4), length <= 0x7fff_ffff,
        let code = try window.number(at: offset + 4, bytes: 4), offset + 12 + length <= source.count
      else { break }
      let chunk = Chunk(type: MP4Type(code: UInt32(code)), range: offset..<offset + 12 + length)
      chunks.append(chunk)
      offset = chunk.range.upperBound
      if chunk.type == "IEND" {
        isComplete = true
        break
      }
    }
    guard let head = chunks.first, head.type == "IHDR", head.range.count == 25,
      let width = try window.number(at: head.content.lowerBound, bytes: 4),
      let height = try window.number(at: head.content.lowerBound + 4, bytes: 4), (1...Self.mostPixels).contains(width),
      (1...Self.mostPixels).contains(height), chunks.contains(where: { $0.type == "IDAT" })
    else { return nil }
    size = PixelSize(width: Int(width), height: Int(height))
  }

  /// All chunks that are XMP packets, in whatever form.
  ///
  /// - Throws: `FormatError.read`.
  func packets(in source: any ByteSource) throws(FormatError) -> [Chunk] {
    var packets: [Chunk] = []
    for chunk in chunks where ["iTXt", "zTXt", "tEXt"].contains(chunk.type) {
      let keyword = try source.prefix(at: chunk.content.lowerBound, count: Self.xmpKeyword.count)
      if keyword == Self.xmpKeyword { packets.append(chunk) }
    }
    return packets
  }

  /// Refuses a change of the position or the dates in EXIF when they could be in a block that isn't changed.
  ///
  /// - Throws: `FormatError.refused`.
  func checkEXIF() throws(FormatError) {
    // `zxIf` was an early name of a compressed block.
    let blocks = chunks.filter { $0.type == "eXIf" || $0.type == "zxIf" }
    guard blocks.count <= 1, blocks.first?.type != "zxIf" else {
      throw .refused(reason: localized("the metadata (EXIF) is compressed or stored more than once"))
    }
    guard blocks.allSatisfy({ $0.content.count <= PNGHead.longestBlock }) else {
      throw .refused(reason: localized("the metadata (EXIF) is too long"))
    }
  }

  /// A content that is compressed as zlib's format demands, in pieces that are stored as they are (RFC 1950, RFC 1951, 3.2.4).
  static func stored(_ bytes: [UInt8]) -> [UInt8] {
    var result: [UInt8] = [0x78, 0x01]
    var rest = bytes[...]
    repeat {
      let piece = rest.prefix(0xffff)
      rest = rest.dropFirst(piece.count)
      let count = UInt16(piece.count)
      result.append(rest.isEmpty ? 1 : 0)
      result += [UInt8(count & 255), UInt8(count >> 8), UInt8(~count & 255), UInt8(~count >> 8)]
      result += piece
    } while !rest.isEmpty
    var (low, high): (UInt32, UInt32) = (1, 0)
    for byte in bytes {
      low = (low + UInt32(byte)) % 65_521
      high = (high + low) % 65_521
    }
    return result + BigEndian.words(UInt64(high << 16 | low))
  }

  /// The chunk of an XMP packet; compressed ones are not read.
  ///
  /// - Throws: `FormatError.read`.
  func xmp(in source: any ByteSource) throws(FormatError) -> (chunk: Chunk, packet: Range<UInt64>)? {
    for chunk in chunks where chunk.type == "iTXt" {
      let content = chunk.content
      guard try source.prefix(at: content.lowerBound, count: Self.xmpKeyword.count) == Self.xmpKeyword else { continue }
      // Two bytes about compression, then the language and the translated keyword, each up to a zero.
      var offset = content.lowerBound + UInt64(Self.xmpKeyword.count)
      let head = try source.prefix(at: offset, count: 1024)
      guard head.count >= 4, head[0] == 0, let first = head[2...].firstIndex(of: 0),
        let second = head[(first + 1)...].firstIndex(of: 0)
      else { continue }
      offset += UInt64(second + 1)
      guard offset <= content.upperBound else { continue }
      return (chunk, offset..<content.upperBound)
    }
    return nil
  }

  private static let creationTime = Array("Creation Time\0".utf8)

  /// The texts of the time of creation that say a former date, with the new one (PNG, 11.3.3.2). Compressed ones stay.
  ///
  /// - Throws: `FormatError.read`.
  func creationTimes(
    in source: any ByteSource, _ change: DateChange
  ) throws(FormatError) -> [(chunk: Chunk, bytes: [UInt8])] {
    var found: [(chunk: Chunk, bytes: [UInt8])] = []
    for chunk in chunks where ["tEXt", "iTXt"].contains(chunk.type) && chunk.content.count < 1024 {
      let content = [UInt8](try source.prefix(at: chunk.content.lowerBound, count: chunk.content.count))
      guard content.starts(with: Self.creationTime) else { continue }
      var start = Self.creationTime.count
      if chunk.type == "iTXt" {
        // No compression; the language and the translated keyword, each up to a zero.
        guard content.count > start + 2, content[start] == 0,
          let language = content[(start + 2)...].firstIndex(of: 0),
          let keyword = content[(language + 1)...].firstIndex(of: 0)
        else { continue }
        start = keyword + 1
      }
      guard let new = change.text(instead: String(decoding: content[start...], as: UTF8.self)) else { continue }
      let bytes = content[..<start] + Array(new.utf8)
      found.append((chunk, Self.chunk(chunk.type == "iTXt" ? "iTXt" : "tEXt", Array(bytes))))
    }
    return found
  }

  /// A whole chunk with its checksum.
  static func chunk(_ type: StaticString, _ content: [UInt8]) -> [UInt8] {
    var result = BigEndian.words(UInt64(content.count))
    type.withUTF8Buffer { result += $0 }
    result += content
    var sum = PNGChecksum()
    result[4...].withUnsafeBytes { sum.add($0) }
    return result + BigEndian.words(UInt64(sum.value))
  }
}

/// The checksum of PNG's chunks: CRC-32 with the polynomial 0xEDB88320 (PNG, annex D).
struct PNGChecksum: Sendable {
  private static let table: [UInt32] = (0..<256).map { number in
    (0..<8).reduce(UInt32(number)) { value, _ in value & 1 == 1 ? 0xedb8_8320 ^ value >> 1 : value >> 1 }
  }

  private var state = UInt32.max

  var value: UInt32 { ~state }

  mutating func add(_ bytes: UnsafeRawBufferPointer) {
    var state = state
    Self.table.withUnsafeBufferPointer { table in
      for byte in bytes { state = table[Int((state ^ UInt32(byte)) & 255)] ^ state >> 8 }
    }
    self.state = state
  }
}
