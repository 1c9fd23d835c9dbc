// The pixels of a Wayland output, and the number of the camera's frame among them.

import Foundation
import MediaEngine

/// A rectangle of an output, in the layout's pixels.
struct ScreenPart: Equatable {
  var x: Int
  var y: Int
  var width: Int
  var height: Int
}

/// A picture in the PPM format with 8 bits a channel, as grim writes it.
struct ScreenCapture {
  let width: Int
  let height: Int
  private let pixels: [UInt8]

  /// - Throws: The error of reading the file, or of a malformed one.
  init(of file: URL) throws {
    let bytes = [UInt8](try Data(contentsOf: file))
    // "P6", width, height and the largest value, each followed by one space or line end.
    let fields = bytes.prefix(40).split(maxSplits: 4, omittingEmptySubsequences: false) { $0 == 0x20 || $0 == 0x0A }
      .prefix(4).map { String(decoding: $0, as: UTF8.self) }
    guard fields.count == 4, fields[0] == "P6", fields[3] == "255", let width = Int(fields[1]),
      let height = Int(fields[2])
    else { throw CocoaError(.fileReadCorruptFile) }
    let start = fields.reduce(0) { $0 + $1.utf8.count + 1 }
    guard bytes.count == start + width * height * 3 else { throw CocoaError(.fileReadCorruptFile) }
    (self.width, self.height, pixels) = (width, height, Array(bytes[start...]))
  }

  /// The color of a pixel, 0xRRGGBB.
  func pixel(x: Int, y: Int) -> UInt32 {
    let at = (y * width + x) * 3
    return UInt32(pixels[at]) << 16 | UInt32(pixels[at + 1]) << 8 | UInt32(pixels[at + 2])
  }

  /// The ranges of a row whose pixels all pass a test, from left to right.
  func runs(inRow y: Int, _ test: (UInt32) -> Bool) -> [Range<Int>] {
    var runs: [Range<Int>] = []
    for x in 0..<width where test(pixel(x: x, y: y)) {
      if let last = runs.last, last.upperBound == x {
        runs[runs.count - 1] = last.lowerBound..<x + 1
      } else {
        runs.append(x..<x + 1)
      }
    }
    return runs
  }

  /// The number of the test camera's frame whose lower edge is near a row.
  private func frameNumber(atRow y: Int) -> UInt32? {
    // The view is black beside the frame, and the bar isn't.
    guard y >= 15, let bar = runs(inRow: y, { $0 != 0 }).max(by: { $0.count < $1.count }) else { return nil }
    var luma: [UInt8] = []
    luma.reserveCapacity(bar.count * 16)
    for row in (y - 15)...y {
      for x in bar {
        let color = pixel(x: x, y: row)
        luma.append(UInt8((77 * (color >> 16 & 255) + 150 * (color >> 8 & 255) + 29 * (color & 255)) >> 8))
      }
    }
    return luma.withUnsafeBufferPointer { luma in
      luma.baseAddress.flatMap { FrameNumberMark.read(luma: $0, width: bar.count, height: 16, stride: bar.count) }
    }
  }

  /// The lowest row with a frame's number, and the number.
  func findFrameNumber() -> (row: Int, number: UInt32)? {
    for row in stride(from: height - 1, through: 15, by: -2) {
      if let number = frameNumber(atRow: row) { return (row, number) }
    }
    return nil
  }
}
