// Thumbnails of other programs, and the PNGs that they write.

import CameraCore
import Foundation
import Testing

@testable import PhotoLibrary

/// The chunks in which programs write the address of a thumbnail's file, before or behind the pixels.
enum ThumbnailText: CaseIterable {
  case plain
  case compressed
  case international
  case internationalCompressed
  case compressedBehind
}

extension Scratch {
  private static let places = [
    "normal", "large", "x-large", "xx-large", "fail/gnome-thumbnail-factory", "fail/other-1.0",
  ]

  /// Puts thumbnails of a path into every size, and notes of failures, as other programs do.
  func plantThumbnails(of path: String, _ text: ThumbnailText = .plain) throws {
    try plantThumbnails(uri: #require(DesktopThumbnails.uri(path: path)), text)
  }

  /// The same for an address.
  func plantThumbnails(uri: String, _ text: ThumbnailText = .plain) throws {
    let png = try PNGFile.thumbnail(of: uri, text)
    for folder in Self.places {
      let parent = thumbnails.appendingPathComponent(folder)
      try FileManager.default.createDirectory(at: parent, withIntermediateDirectories: true)
      try png.write(to: parent.appendingPathComponent(DesktopThumbnails.digest(uri) + ".png"))
    }
  }

  /// The files of the thumbnails of a path.
  func thumbnails(of path: String) throws -> [String] {
    thumbnails(uri: try #require(DesktopThumbnails.uri(path: path)))
  }

  func thumbnails(uri: String) -> [String] {
    let name = DesktopThumbnails.digest(uri) + ".png"
    return thumbnailFiles().filter { $0.hasSuffix(name) }
  }
}

extension PNGFile {
  /// A thumbnail with an address in one of the forms.
  static func thumbnail(of uri: String, _ text: ThumbnailText) throws -> Data {
    let image = DecodedImage.plain(PixelSize(width: 128, height: 72), green: 255)
    if text == .plain {
      return try #require(ThumbnailPNG.encode(image, texts: ["Thumb::URI": uri, "Thumb::MTime": "1"]))
    }
    var png = try #require(ThumbnailPNG.encode(image, texts: ["Thumb::MTime": "1"]))
    let key = Array("Thumb::URI\0".utf8)
    let words = Array(uri.utf8)
    let part =
      switch text {
      case .plain: chunk("tEXt", key + words)
      case .compressed, .compressedBehind: chunk("zTXt", key + [0] + stored(words))
      // Compression flag and method, language, translated keyword.
      case .international: chunk("iTXt", key + [0, 0] + Array("en\0URI\0".utf8) + words)
      case .internationalCompressed: chunk("iTXt", key + [1, 0, 0, 0] + stored(words))
      }
    // Behind the signature and IHDR, or before IEND.
    png.insert(contentsOf: part, at: text == .compressedBehind ? png.count - 12 : 33)
    return png
  }

  static func chunk(_ type: String, _ content: [UInt8]) -> Data {
    let body = Array(type.utf8) + content
    return Data(bytes(UInt32(content.count)) + body + bytes(checkSum(body[...])))
  }

  /// A zlib stream (RFC 1950) of one block that isn't compressed, with Adler's checksum.
  private static func stored(_ bytes: [UInt8]) -> [UInt8] {
    let count = UInt16(bytes.count)
    var head: [UInt8] = [0x78, 0x01, 0x01]
    for number in [count, ~count] { head += [UInt8(number & 0xff), UInt8(number >> 8)] }
    return head + bytes + self.bytes(adler(bytes))
  }

  private static func adler(_ bytes: some Sequence<UInt8>) -> UInt32 {
    var (low, high): (UInt32, UInt32) = (1, 0)
    for byte in bytes {
      low = (low + UInt32(byte)) % 65521
      high = (high + low) % 65521
    }
    return high << 16 | low
  }

  /// A zlib stream that says one letter millions of times: a literal, then copies of 258 bytes, in the fixed code of
  /// RFC 1951, 3.2.6.
  static func flood(copies: Int) -> [UInt8] {
    var stream: [UInt8] = [0x78, 0x01]
    var (bits, count): (UInt32, UInt32) = (0, 0)
    func put(_ bit: UInt32) {
      bits |= bit << count
      count += 1
      if count == 8 {
        stream.append(UInt8(bits))
        (bits, count) = (0, 0)
      }
    }
    // Codes begin with their highest bit, everything else with its lowest. The last block, with the fixed code.
    for bit in [1, 1, 0] as [UInt32] { put(bit) }
    func code(_ value: UInt32, _ length: UInt32) { for index in (0..<length).reversed() { put(value >> index & 1) } }
    code(0x30 + UInt32(UInt8(ascii: "f")), 8)
    for _ in 0..<copies {
      code(0b1100_0101, 8)
      code(0, 5)
    }
    code(0, 7)
    while count > 0 { put(0) }
    return stream + bytes(adler(repeatElement(UInt8(ascii: "f"), count: copies * 258 + 1)))
  }

  private static func bytes(_ number: UInt32) -> [UInt8] {
    (0..<4).map { UInt8(truncatingIfNeeded: number >> (24 - 8 * $0)) }
  }
}
