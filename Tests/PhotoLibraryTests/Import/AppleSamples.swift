// Sample files of Apple's Live Photos: a photo and a movie with the same mark.

import Foundation
import MediaFormats

@testable import PhotoLibrary

enum AppleSamples {
  private static func box(_ type: String, _ parts: [UInt8]...) -> [UInt8] {
    let body = parts.flatMap(\.self)
    return number(body.count + 8) + Array(type.utf8) + body
  }

  private static func number(_ value: Int) -> [UInt8] {
    (0..<4).reversed().map { UInt8(truncatingIfNeeded: value >> (8 * $0)) }
  }

  /// A picture as a phone writes it, with the mark in the maker note.
  static func photo(_ mark: String, shade: UInt8 = 128) throws -> Data {
    let note: [UInt8] =
      Array("Apple iOS\0\0\u{1}MM".utf8) + [0, 1, 0, 0x11, 0, 2] + number(mark.utf8.count + 1) + number(32)
      + number(0) + Array(mark.utf8) + [0]
    let directories: [UInt8] =
      [0, 1, 0x87, 0x69, 0, 4] + number(1) + number(26) + number(0)
      + [0, 1, 0x92, 0x7c, 0, 7] + number(note.count) + number(44) + number(0)
    let exif = Data(Array("Exif\0\0MM\0*".utf8) + number(8) + directories + note)
    return try JPEGSegments(parsing: Samples.jpeg(shade: shade)).assemble(front: [
      JPEGSegments.segment(marker: JPEGMarker.app1, payload: exif)
    ])
  }

  /// A movie with the mark among its keys, in QuickTime's or in the ISO form.
  static func movie(_ mark: String, isISO: Bool = false) -> Data {
    let key = "com.apple.quicktime.content.identifier"
    let handler = box("hdlr", number(0) + number(0) + Array("mdta".utf8) + number(0) + number(0) + number(0))
    let keys = box(
      "keys", number(0) + number(2), box("mdta", Array("com.apple.quicktime.make".utf8)), box("mdta", Array(key.utf8)))
    func item(_ index: Int, _ text: String) -> [UInt8] {
      let data = box("data", number(1) + number(0) + Array(text.utf8))
      return number(data.count + 8) + number(index) + data
    }
    let meta = box("meta", isISO ? number(0) : [], handler, keys, box("ilst", item(1, "Apple"), item(2, mark)))
    var movie = Samples.mp4(brand: "qt  ")
    let start = movie.firstRange(of: Data("moov".utf8))?.lowerBound ?? 4
    let length = movie[start - 4..<start].reduce(0) { $0 << 8 | Int($1) }
    movie.insert(contentsOf: meta, at: start - 4 + length)
    movie.replaceSubrange(start - 4..<start, with: number(length + meta.count))
    return movie
  }

  static let mark = "7B6A0C4E-2D0F-4C5B-9D7B-0123456789AB"
}
