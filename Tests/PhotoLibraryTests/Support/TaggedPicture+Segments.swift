// Segments of metadata, made by hand.

import Foundation
import MediaFormats
import TestSupport

extension TaggedPicture {
  static func xmp(_ attributes: String) throws -> Data {
    let text = """
      http://ns.adobe.com/xap/1.0/\0<r:RDF xmlns:r="http://www.w3.org/1999/02/22-rdf-syntax-ns#"><r:Description r:about="" \
      xmlns:p="http://ns.adobe.com/photoshop/1.0/" xmlns:xmp="http://ns.adobe.com/xap/1.0/" xmp:Label="Ada" \
      \(attributes)/></r:RDF>
      """
    return try JPEGSegments.segment(marker: JPEGMarker.app1, payload: Data(text.utf8))
  }

  /// A TIFF structure with tags of the first directory.
  static func exif(_ tags: [(tag: UInt64, type: UInt64, value: [UInt8])]) throws -> Data {
    var directory = HandMadeMovie.bytes(UInt64(tags.count), 2)
    var values: [UInt8] = []
    let start = 8 + 2 + 12 * tags.count + 4
    for (tag, type, value) in tags {
      // Short values stand in the entry itself.
      let place =
        value.count <= 4
        ? value + [UInt8](repeating: 0, count: 4 - value.count) : HandMadeMovie.words(UInt64(start + values.count))
      directory += HandMadeMovie.bytes(tag, 2) + HandMadeMovie.bytes(type, 2)
      directory += HandMadeMovie.words(UInt64(value.count)) + place
      if value.count > 4 { values += value + (value.count % 2 == 1 ? [0] : []) }
    }
    let block = Array("Exif\0\0MM".utf8) + [0, 42, 0, 0, 0, 8] + directory + HandMadeMovie.words(0) + values
    return try JPEGSegments.segment(marker: JPEGMarker.app1, payload: Data(block))
  }
}
