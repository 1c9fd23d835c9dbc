// Raw pictures.

import CameraCore
import Foundation
import MediaFormats

extension FuzzedParser {
  static let ofRawPictures = [
    // The directories of a DNG.
    FuzzedParser(name: "dng", seeds: Seeds.rawPictures, words: Words.raw) {
      let file = FuzzedBytes($0)
      guard let head = try DNGHead(file) else { return }
      precondition(head.strips.allSatisfy { $0.upperBound <= file.count }, "samples beyond the file")
      precondition(head.preview.map { $0.upperBound <= file.count } ?? true, "a preview beyond the file")
      precondition(head.size.width > 0 && head.size.height > 0, "a size of nothing")
      precondition(head.uniqueID.map { $0.utf8.count == 32 } ?? true, "an id of another form")
    }
  ]
}

extension Seeds {
  /// Ours, with and without a preview.
  static func rawPictures() throws -> [Data] {
    try [nil, jpeg()].flatMap { preview in
      try [8, 10].compactMap { bits in
        let layout = BayerLayout(pattern: .grbg, bits: bits)
        let stride = 8 * layout.bytesPerSample
        let block = FrameBlock(count: 8 * stride) { $0.initializeMemory(as: UInt8.self, repeating: 1) }
        let size = PixelSize(width: 8, height: 8)
        let frame = BayerFrame(layout: layout, size: size, stride: stride, transfer: .sRGB, block: block)
        let description = DNGFile.Description(
          id: "0123456789abcdef0123456789abcdef", software: "PhotoMe", date: "2026:11:21 07:31:06", subseconds: "123",
          utcOffset: "+01:00", preview: preview)
        return try frame.map { try DNGFile($0, description).data }
      }
    }
  }
}

extension Words {
  /// The heads of TIFF files, and the tags of DNG that lead to others.
  static let raw = ["II*\0", "MM\0*", "\u{1}\u{4}\0\0", "\u{12}\u{c6}", "\u{4a}\u{1}", "\u{11}\u{1}", "\u{17}\u{1}"]
}
