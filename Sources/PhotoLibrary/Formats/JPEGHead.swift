// Reads what stands before the scan of a JPEG file, in small pieces, however large the file is.

import CameraCore
import Foundation

/// The beginning of a JPEG file: its size and its metadata blocks. Nothing is decoded, and nothing of it is believed.
struct JPEGHead: Sendable {
  /// As coded, before any turning.
  var size: PixelSize
  /// The TIFF structure behind `Exif\0\0`.
  var exif: Data?
  /// The XMP packet.
  var xmp: Data?
  /// Where the first scan begins, counted from the start of the file.
  var scanOffset: UInt64
  /// The payload of the frame header, for a digest.
  var frameHeader: Data

  /// More segments than this before the scan is an attempt to keep us busy.
  private static let largestSegmentCount = 4096
  /// The same of bytes that fill the room between segments.
  private static let largestFill = 64 << 10

  /// - Returns: `nil` when the file is no JPEG with a picture in it.
  init?(_ file: ReadableFile) throws(PhotoLibraryError) {
    var window = FileWindow(file)
    guard try window.bytes(at: 0, count: 2).elementsEqual([0xff, JPEGMarker.startOfImage]) else { return nil }
    var frame: (size: PixelSize, payload: Data)?
    var offset: UInt64 = 2
    var fill = 0
    for _ in 0..<Self.largestSegmentCount {
      // Any number of 0xFF may stand before a marker's code.
      var code = try window.byte(at: offset + 1)
      guard try window.byte(at: offset) == 0xff else { return nil }
      while code == 0xff {
        offset += 1
        fill += 1
        guard fill <= Self.largestFill else { return nil }
        code = try window.byte(at: offset + 1)
      }
      guard let code, code >= 0xc0, !(0xd0...0xd9).contains(code) else { return nil }
      let lengthBytes = [UInt8](try window.bytes(at: offset + 2, count: 2))
      guard lengthBytes.count == 2 else { return nil }
      let length = Int(lengthBytes[0]) << 8 | Int(lengthBytes[1])
      guard length >= 2 else { return nil }
      let payload = offset + 4
      switch code {
      case JPEGMarker.startOfScan:
        guard let frame else { return nil }
        (size, frameHeader) = (frame.size, frame.payload)
        scanOffset = offset
        return
      case 0xc0...0xcf where ![0xc4, 0xc8, 0xcc].contains(code):
        let bytes = [UInt8](try window.bytes(at: payload, count: length - 2))
        guard bytes.count >= 6 else { return nil }
        let size = PixelSize(width: Int(bytes[3]) << 8 | Int(bytes[4]), height: Int(bytes[1]) << 8 | Int(bytes[2]))
        guard size.width > 0, size.height > 0 else { return nil }
        frame = (size, Data(bytes))
      case JPEGMarker.app1:
        if exif == nil, try window.begins(with: "Exif\0", at: payload), length > 8 {
          exif = try file.data(at: payload + 6, count: length - 8)
        } else if xmp == nil, try window.begins(with: "http://ns.adobe.com/xap/1.0/\0", at: payload), length > 31 {
          xmp = try file.data(at: payload + 29, count: length - 31)
        }
      default:
        break
      }
      offset += 2 + UInt64(length)
    }
    return nil
  }
}

/// A few kilobytes of a file at a time.
struct FileWindow {
  private let file: ReadableFile
  private var start: UInt64 = 0
  private var buffer = Data()

  init(_ file: ReadableFile) { self.file = file }

  /// Fewer bytes at the end of the file.
  mutating func bytes(at offset: UInt64, count: Int) throws(PhotoLibraryError) -> Data {
    if offset < start || offset + UInt64(count) > start + UInt64(buffer.count) {
      buffer = try file.data(at: offset, count: max(count, 4096))
      start = offset
    }
    let from = buffer.startIndex + Int(offset - start)
    return buffer[from..<min(buffer.endIndex, from + count)]
  }

  mutating func byte(at offset: UInt64) throws(PhotoLibraryError) -> UInt8? {
    try bytes(at: offset, count: 1).first
  }

  mutating func begins(with text: StaticString, at offset: UInt64) throws(PhotoLibraryError) -> Bool {
    let found = try bytes(at: offset, count: text.utf8CodeUnitCount)
    return text.withUTF8Buffer { found.elementsEqual($0) }
  }

  /// The number at an offset, highest byte first; `nil` past the end.
  mutating func number(at offset: UInt64, bytes count: Int) throws(PhotoLibraryError) -> UInt64? {
    let found = try bytes(at: offset, count: count)
    return found.count == count ? found.reduce(0) { $0 << 8 | UInt64($1) } : nil
  }
}
