// A TIFF that takes long to decode, for its length.

import Foundation

/// A picture that is much larger than its file.
public enum LongTIFF {
  /// A gray TIFF of 200 megapixels in floating-point numbers, all rows of which are the same bytes.
  public static var data: Data {
    let (width, height) = (UInt32(20_000), UInt32(10_000))
    let fields: [(tag: UInt16, type: UInt16, count: UInt32, value: UInt32)] = [
      (256, 4, 1, width), (257, 4, 1, height), (258, 3, 1, 32), (259, 3, 1, 1), (262, 3, 1, 1), (273, 4, height, 200),
      (277, 3, 1, 1), (278, 4, 1, 1), (279, 4, height, 200 + 4 * height), (339, 3, 1, 3),
    ]
    var file = Data()
    func put(_ value: some FixedWidthInteger) {
      withUnsafeBytes(of: value.littleEndian) { file.append(contentsOf: $0) }
    }
    file.append(contentsOf: Data("II*\0".utf8))
    put(UInt32(8))
    put(UInt16(fields.count))
    for field in fields {
      put(field.tag)
      put(field.type)
      put(field.count)
      put(field.value)
    }
    put(UInt32(0))
    file.append(Data(count: 200 - file.count))
    for value in [200 + 8 * height, 4 * width] { for _ in 0..<height { put(value) } }
    file.append(Data(count: Int(4 * width)))
    return file
  }
}
