// The index of further pictures in a JPEG file, such as gain maps and previews.

import Foundation

/// The APP2 `MPF` block of the CIPA Multi-Picture Format (DC-007), which refers to the other pictures in the file by their
/// distance from the block. It has to be adjusted when metadata before them grow or shrink.
public enum MultiPictureIndex {
  /// The tag of the list of pictures, 16 bytes each: attributes, size, offset, two dependencies.
  private static let entriesTag = 0xb002
  /// `MPF` and a zero, in bytes.
  public static let identifierLength = 4

  /// The pictures behind the first one.
  ///
  /// - Parameter payload: From `MPF\0` on.
  /// - Returns: Their offsets from the block's byte order mark, and their sizes, in bytes; `nil` when the block can't be
  ///   read.
  static func others(_ payload: [UInt8]) -> [(offset: Int, size: Int)]? {
    guard let (tiff, list) = entries(of: payload) else { return nil }
    var others: [(offset: Int, size: Int)] = []
    for entry in stride(from: list.lowerBound, to: list.upperBound, by: 16) {
      guard let size = tiff.number(at: entry + 4, bytes: 4), let offset = tiff.number(at: entry + 8, bytes: 4) else {
        return nil
      }
      if offset != 0 { others.append((offset, size)) }
    }
    return others
  }

  private static func entries(of payload: [UInt8]) -> (tiff: TIFFStructure, list: Range<Int>)? {
    guard let tiff = TIFFStructure(Array(payload.dropFirst(identifierLength))),
      let list = tiff.entries(at: tiff.firstDirectory).first(where: { $0.tag == entriesTag }),
      list.value.count >= 16, list.value.count % 16 == 0
    else { return nil }
    return (tiff, list.value)
  }

  /// The block for pictures that follow one another.
  ///
  /// Source: CIPA DC-007-2009, 5.2: a big-endian TIFF structure with version, number and entries.
  ///
  /// - Parameters:
  ///   - sizes: Of the pictures, in bytes, the first one with this block.
  ///   - distance: From the block's byte order mark to the second picture, in bytes.
  public static func block(sizes: [Int], distance: Int) -> Data {
    func field(_ tag: UInt64, _ type: UInt64, _ count: Int) -> [UInt8] {
      BigEndian.halves(tag, type) + BigEndian.words(UInt64(count))
    }
    // The list lies behind the directory: 2 bytes, three entries of 12, and 4.
    let directory: [[UInt8]] = [
      BigEndian.halves(3), field(0xb000, 7, 4), Array("0100".utf8), field(0xb001, 4, 1),
      BigEndian.words(UInt64(sizes.count)), field(UInt64(entriesTag), 7, 16 * sizes.count), BigEndian.words(50, 0),
    ]
    var offset = distance
    let list = sizes.enumerated().map { index, size in
      defer { if index > 0 { offset += size } }
      // A baseline primary picture in the format of JPEG; other pictures have no type.
      return BigEndian.words(
        index == 0 ? 0x3_0000 : 0, UInt64(size), index == 0 ? 0 : UInt64(offset), 0)
    }
    return Data(Array("MPF\0MM\0*".utf8) + BigEndian.words(8) + (directory + list).flatMap(\.self))
  }

  /// The block for a file whose first picture has become longer or shorter.
  ///
  /// - Parameters:
  ///   - payload: From `MPF\0` on.
  ///   - growth: Of the first picture, in bytes.
  ///   - growthBehind: The part of it that lies behind this block: by that the other pictures move away from it.
  /// - Returns: `nil` when the block can't be read.
  public static func adjusted(_ payload: [UInt8], growth: Int, growthBehind: Int) -> [UInt8]? {
    guard let (known, list) = entries(of: payload) else { return nil }
    var tiff = known
    for entry in stride(from: list.lowerBound, to: list.upperBound, by: 16) {
      guard let size = tiff.number(at: entry + 4, bytes: 4), let offset = tiff.number(at: entry + 8, bytes: 4) else {
        return nil
      }
      // By definition, the first picture has the offset 0.
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
