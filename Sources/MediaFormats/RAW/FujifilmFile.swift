// Fujifilm's raw files.

import CameraCore
import Foundation

/// A RAF file: a header with the offsets of a JPEG, of a list of facts, and of the samples. Untrusted input.
///
/// Source: the tags of RAF files in the documentation of ExifTool.
enum FujifilmFile {
  private static let signature: StaticString = "FUJIFILMCCD-RAW "
  /// In the header: the offset and the length of the JPEG, of the facts and of the samples.
  private static let directoryOffset: UInt64 = 84
  /// The height and the width of the picture, and of the whole sensor.
  private static let croppedSize: UInt64 = 0x111
  private static let sensorSize: UInt64 = 0x100
  private static let mostFacts: UInt64 = 256

  static func begins(in source: any ByteSource) throws(FormatError) -> Bool {
    var window = ByteWindow(source)
    return try window.begins(with: signature, at: 0)
  }

  /// - Throws: `FormatError.read`.
  static func parts(of source: any ByteSource) throws(FormatError) -> RAWHead.Parts {
    var (parts, window) = (RAWHead.Parts(), ByteWindow(source))
    func range(_ number: UInt64) throws(FormatError) -> Range<UInt64>? {
      let at = directoryOffset + 8 * number
      guard let start = try window.number(at: at, bytes: 4), let count = try window.number(at: at + 4, bytes: 4),
        start > 0, count > 0
      else { return nil }
      return start..<start + count
    }
    if let jpeg = try range(0), let head = try JPEGHead(SourceStretch(source, range: jpeg)) {
      (parts.exif, parts.xmp, parts.previews) = (head.exif, head.xmp, [jpeg])
    }
    if let samples = try range(2) { parts.pixels = [samples] }
    guard let facts = try range(1), let count = try window.number(at: facts.lowerBound, bytes: 4) else { return parts }
    var offset = facts.lowerBound + 4
    for _ in 0..<min(count, mostFacts) {
      guard let tag = try window.number(at: offset, bytes: 2), let length = try window.number(at: offset + 2, bytes: 2),
        offset + 4 + length <= facts.upperBound
      else { break }
      if tag == croppedSize || tag == sensorSize && parts.size == nil, length == 4,
        let height = try window.number(at: offset + 4, bytes: 2),
        let width = try window.number(at: offset + 6, bytes: 2),
        width > 0, height > 0
      {
        parts.size = PixelSize(width: Int(width), height: Int(height))
      }
      offset += 4 + length
    }
    return parts
  }
}
