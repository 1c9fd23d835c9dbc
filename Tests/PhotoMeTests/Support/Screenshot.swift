// The pixels of a test's screen.

import Foundation

/// A picture of the X server's screen, from its dump in the XWD format.
struct Screenshot {
  /// The ground of PhotoMe's windows, as in `style-light.css`: the test's desktop prefers neither light nor dark.
  static let windowGround: UInt32 = 0xFAFAFA

  let width: Int
  let height: Int
  private let dump: Data
  /// The offset of the first row, and the length of a row, in bytes.
  private let start: Int
  private let stride: Int

  /// - Throws: The error of reading the dump, or of a malformed one.
  init(of dump: URL) throws {
    self.dump = try Data(contentsOf: dump)
    let bytes = self.dump
    // The header: 32-bit numbers, big-endian; then `ncolors` entries of 12 bytes, then the rows.
    func header(_ index: Int) -> Int {
      bytes[(index * 4)..<(index * 4 + 4)].reduce(0) { $0 << 8 | Int($1) }
    }
    guard bytes.count > 100, header(11) == 32 else { throw CocoaError(.fileReadCorruptFile) }
    (width, height) = (header(4), header(5))
    (start, stride) = (header(0) + header(19) * 12, header(12))
    guard bytes.count >= start + height * stride, stride >= width * 4 else { throw CocoaError(.fileReadCorruptFile) }
  }

  /// The color of a pixel, 0xRRGGBB; `nil` outside of the screen.
  func pixel(x: Int, y: Int) -> UInt32? {
    guard (0..<width).contains(x), (0..<height).contains(y) else { return nil }
    let index = start + y * stride + x * 4
    // Xvfb stores pixels in the machine's byte order: blue, green, red.
    return UInt32(dump[index + 2]) << 16 | UInt32(dump[index + 1]) << 8 | UInt32(dump[index])
  }

  /// The ranges of a row whose pixels all pass a test, from left to right.
  func runs(inRow y: Int, _ test: (UInt32) -> Bool) -> [Range<Int>] {
    var runs: [Range<Int>] = []
    for x in 0..<width where pixel(x: x, y: y).map(test) == true {
      if let last = runs.last, last.upperBound == x {
        runs[runs.count - 1] = last.lowerBound..<x + 1
      } else {
        runs.append(x..<x + 1)
      }
    }
    return runs
  }

  /// The colors of every few pixels in a part of the screen.
  func colors(x: Range<Int>, y: Range<Int>, step: Int = 10) -> [UInt32] {
    Swift.stride(from: y.lowerBound, to: y.upperBound, by: step).flatMap { y in
      Swift.stride(from: x.lowerBound, to: x.upperBound, by: step).compactMap { pixel(x: $0, y: y) }
    }
  }
}
