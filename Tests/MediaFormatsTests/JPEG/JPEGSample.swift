// Hand-made JPEGs, of which each piece can be left out or damaged.

import CameraCore
import Foundation

@testable import MediaFormats

/// The pieces of a valid JPEG; the scan data are meaningless.
struct JPEGSample {
  var front: [[UInt8]] = []
  var quantization = true
  var huffman = true
  var size = PixelSize(width: 640, height: 480)
  var scans = 1
  var ending: [UInt8] = [0xff, 0xd9]
  var trailer: [UInt8] = []

  static func segment(_ marker: UInt8, _ payload: [UInt8]) -> [UInt8] {
    [0xff, marker, UInt8((payload.count + 2) >> 8), UInt8((payload.count + 2) & 0xff)] + payload
  }

  static let avi = segment(0xe0, Array("AVI1".utf8) + [UInt8](repeating: 0, count: 10))
  static let exif = segment(0xe1, Array("Exif\0\0II*\0".utf8))
  static let xmp = segment(0xe1, Array("http://ns.adobe.com/xap/1.0/\0<x/>".utf8))

  var quantizationTables: [UInt8] {
    Self.segment(0xdb, [0] + [UInt8](repeating: 3, count: 64) + [1] + [UInt8](repeating: 5, count: 64))
  }

  var frameHeader: [UInt8] {
    let (width, height) = (size.width, size.height)
    return Self.segment(
      0xc0,
      [
        8, UInt8(height >> 8), UInt8(height & 255), UInt8(width >> 8), UInt8(width & 255), 3, 1, 0x21, 0, 2, 0x11, 1, 3,
        0x11, 1,
      ])
  }

  /// Header and data, with stuffed zeros, restart markers, and bytes that look like markers but are stuffed.
  var scan: [UInt8] {
    Self.segment(0xda, [3, 1, 0x00, 2, 0x11, 3, 0x11, 0, 63, 0])
      + [0x12, 0xff, 0x00, 0xd9, 0x55, 0xff, 0xd0, 0x77, 0x00, 0xff, 0x00, 0xff, 0xd1, 0xab]
  }

  /// From the first SOS to EOI.
  var picture: [UInt8] { [[UInt8]](repeating: scan, count: scans).flatMap { $0 } + ending }

  var bytes: [UInt8] {
    var result: [UInt8] = [0xff, 0xd8] + front.flatMap { $0 }
    if quantization { result += quantizationTables }
    result += frameHeader
    if huffman { result += JPEGStream.standardHuffmanTables }
    return result + picture + trailer
  }
}
