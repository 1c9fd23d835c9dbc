// Keeps the list of further pictures in a JPEG right (gain maps, previews) when its metadata grow or shrink.

import Foundation

/// The APP2 `MPF` block of the CIPA Multi-Picture Format (DC-007), in which other pictures of the file are named by their
/// distance from the block.
enum MultiPictureIndex {
  /// The tag of the list of pictures, 16 bytes for each: attributes, size, offset, two dependencies.
  private static let entriesTag = 0xb002
  private static let identifierLength = 4

  /// The block for a file whose first picture has become longer or shorter.
  ///
  /// - Parameters:
  ///   - payload: From `MPF\0` on.
  ///   - growth: Of the first picture, in bytes.
  ///   - growthBehind: How much of it lies behind this block: by that the other pictures move away from it.
  /// - Returns: `nil` when the block can't be read.
  static func adjusted(_ payload: [UInt8], growth: Int, growthBehind: Int) -> [UInt8]? {
    guard var tiff = TIFFStructure(Array(payload.dropFirst(identifierLength))),
      let list = tiff.entries(at: tiff.firstDirectory).first(where: { $0.tag == entriesTag }),
      list.value.count >= 16, list.value.count % 16 == 0
    else { return nil }
    for entry in stride(from: list.value.lowerBound, to: list.value.upperBound, by: 16) {
      guard let size = tiff.number(at: entry + 4, bytes: 4), let offset = tiff.number(at: entry + 8, bytes: 4) else {
        return nil
      }
      // The first picture is the one at distance 0, by definition.
      if offset == 0 {
        if size > 0, let size = UInt32(exactly: size + growth) { tiff.setNumber(size, at: entry + 4) }
      } else {
        guard let offset = UInt32(exactly: offset + growthBehind) else { return nil }
        tiff.setNumber(offset, at: entry + 8)
      }
    }
    return payload.prefix(identifierLength) + tiff.bytes
  }
}
