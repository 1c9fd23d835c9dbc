// The chunks of a WebP file.

import CameraCore
import Foundation

/// Walks the chunks of a WebP file. Untrusted input.
///
/// Source: Google, WebP Container Specification.
struct WebPFile: Sendable {
  /// One chunk.
  struct Chunk: Sendable, Hashable {
    var type: MP4Type
    /// From its type to its padding.
    var range: Range<UInt64>
    var content: Range<UInt64>
    /// Whether it lacks the byte that makes its length even.
    var lacksPadding: Bool { range.upperBound == content.upperBound && content.count % 2 == 1 }
  }

  /// The bits of an extended file's first chunk.
  enum Feature {
    static let animation: UInt8 = 0x02
    static let xmp: UInt8 = 0x04
    static let exif: UInt8 = 0x08
    static let opacity: UInt8 = 0x10
    static let profile: UInt8 = 0x20
  }

  /// Of the RIFF header: its name, the length of the rest, and what it is.
  static let headLength: UInt64 = 12
  private static let mostChunks = 1 << 16

  private(set) var chunks: [Chunk] = []
  /// Behind the last byte that belongs to it, as its head says.
  let end: UInt64
  /// Whether the file ends before that, or a chunk reaches beyond it.
  let isCutShort: Bool
  let size: PixelSize
  /// Of the picture itself, which an extended file may put on a larger canvas; `nil` for animated ones.
  let frameSize: PixelSize?
  /// Of an extended file.
  let features: UInt8?
  /// Whether the picture says that it is partly transparent, in a file that isn't extended.
  let hasOpacity: Bool
  let isLossless: Bool

  static func begins(in source: any ByteSource) throws(FormatError) -> Bool {
    let head = try source.prefix(at: 0, count: Int(headLength))
    return head.count == headLength && head.starts(with: "RIFF".utf8) && head.dropFirst(8).elementsEqual("WEBP".utf8)
  }

  /// - Returns: `nil` when it isn't a WebP with pixels in it.
  /// - Throws: `FormatError.read`.
  init?(_ source: any ByteSource) throws(FormatError) {
    guard try Self.begins(in: source) else { return nil }
    var window = ByteWindow(source)
    func little(_ offset: UInt64, _ count: Int) throws(FormatError) -> UInt64? {
      let bytes = try window.bytes(at: offset, count: count)
      return bytes.count == count ? bytes.reversed().reduce(0) { $0 << 8 | UInt64($1) } : nil
    }
    let stated = 8 + (try little(4, 4) ?? 0)
    end = min(stated, source.count)
    var (offset, isCut) = (Self.headLength, stated > source.count)
    while offset + 8 <= end, chunks.count < Self.mostChunks {
      guard let code = try window.number(at: offset, bytes: 4), let length = try little(offset + 4, 4) else { break }
      let content = offset + 8..<offset + 8 + length
      guard content.upperBound <= end else {
        isCut = true
        break
      }
      let chunk = Chunk(
        type: MP4Type(code: UInt32(code)), range: offset..<min(end, content.upperBound + length % 2), content: content)
      chunks.append(chunk)
      offset = chunk.range.upperBound
    }
    isCutShort = isCut
    guard let first = chunks.first else { return nil }
    let picture = chunks.first { ["VP8 ", "VP8L", "ANMF"].contains($0.type) }
    guard let picture else { return nil }
    var (size, opacity): (PixelSize?, Bool) = (nil, false)
    if first.type == "VP8X" {
      guard let width = try little(first.content.lowerBound + 4, 3), first.content.count >= 10,
        let height = try little(first.content.lowerBound + 7, 3)
      else { return nil }
      size = PixelSize(width: Int(width) + 1, height: Int(height) + 1)
      features = try window.byte(at: first.content.lowerBound)
    } else {
      features = nil
    }
    var (lossless, frame): (Bool, PixelSize?) = (picture.type == "VP8L", nil)
    let start = picture.content.lowerBound
    if picture.type == "VP8L" {
      guard try window.byte(at: start) == 0x2f, let bits = try little(start + 1, 4) else { return nil }
      frame = PixelSize(width: Int(bits & 0x3fff) + 1, height: Int(bits >> 14 & 0x3fff) + 1)
      opacity = bits >> 28 & 1 == 1
    } else if picture.type == "VP8 " {
      // A key frame: its tag, a start code, and 14 bits each of width and height (RFC 6386, 9.1).
      guard try window.number(at: start + 3, bytes: 3) == 0x9d012a, let width = try little(start + 6, 2),
        let height = try little(start + 8, 2), width & 0x3fff > 0, height & 0x3fff > 0
      else { return nil }
      frame = PixelSize(width: Int(width & 0x3fff), height: Int(height & 0x3fff))
    } else {
      // A frame's area and duration are before its own chunks.
      lossless = try window.begins(with: "VP8L", at: start + 16)
    }
    guard let size = size ?? frame else { return nil }
    (self.size, frameSize, hasOpacity, isLossless) = (size, frame, opacity, lossless)
  }

  /// Whether a file that begins as a WebP ends before its head says.
  ///
  /// - Throws: `FormatError.read`.
  static func isCutShort(_ source: any ByteSource) throws(FormatError) -> Bool {
    guard try begins(in: source) else { return false }
    let length = try source.bytes(at: 4, count: 4)
    return length.reversed().reduce(0) { $0 << 8 | UInt64($1) } + 8 > source.count
  }

  /// The chunks in a frame of an animation, and the bytes behind the last whole one.
  ///
  /// - Throws: `FormatError.read`.
  static func chunks(
    inFrame frame: Chunk, of source: any ByteSource
  ) throws(FormatError) -> (chunks: [Chunk], rest: Range<UInt64>) {
    // Position, size, duration and flags come first.
    var offset = frame.content.lowerBound + 16
    let end = frame.content.upperBound
    guard offset <= end else { return ([], end..<end) }
    var (chunks, window): ([Chunk], ByteWindow) = ([], ByteWindow(source))
    while end - offset >= 8, chunks.count < mostChunks, let code = try window.number(at: offset, bytes: 4) {
      let bytes = try window.bytes(at: offset + 4, count: 4)
      let length = bytes.reversed().reduce(0) { $0 << 8 | UInt64($1) }
      guard bytes.count == 4, length <= end - offset - 8 else { break }
      let content = offset + 8..<offset + 8 + length
      let range = offset..<min(end, content.upperBound + length % 2)
      chunks.append(Chunk(type: MP4Type(code: UInt32(code)), range: range, content: content))
      offset = range.upperBound
    }
    return (chunks, offset..<end)
  }

  func first(_ type: MP4Type) -> Chunk? { chunks.first { $0.type == type } }

  /// A whole chunk.
  static func chunk(_ type: StaticString, _ content: [UInt8]) -> [UInt8] {
    var bytes: [UInt8] = []
    type.withUTF8Buffer { bytes += $0 }
    bytes += LittleEndian.bytes(UInt64(content.count), 4) + content
    if content.count % 2 == 1 { bytes.append(0) }
    return bytes
  }
}
