// The frame number in the picture: written, disturbed, and read again.

import CameraCore
import TestSupport
import Testing

@testable import MediaEngine

@Suite struct FrameNumberMarkTests {
  /// A picture with a pattern and the bar.
  private func picture(_ number: UInt32, _ size: PixelSize) -> [UInt8] {
    var pixels = (0..<size.area).map { UInt8(($0 % size.width * 3 + $0 / size.width * 5) & 0xff) }
    pixels.withUnsafeMutableBufferPointer { pixels in
      for row in size.height - FrameNumberMark.height(inPictureOf: size.height)..<size.height {
        FrameNumberMark.write(number, to: .init(rebasing: pixels[row * size.width..<(row + 1) * size.width]))
      }
    }
    return pixels
  }

  private func read(_ pixels: [UInt8], _ size: PixelSize) -> UInt32? {
    pixels.withUnsafeBufferPointer { pixels in
      pixels.baseAddress.flatMap {
        FrameNumberMark.read(luma: $0, width: size.width, height: size.height, stride: size.width)
      }
    }
  }

  private let sizes = [(640, 480), (640, 360), (1280, 720), (320, 180)].map { PixelSize(width: $0.0, height: $0.1) }

  @Test func checksumIsTheStandardOne() {
    // CRC-16/CCITT-FALSE of 12 34 56 78, by the reference implementation.
    #expect(FrameNumberMark.checksum(0x1234_5678) == 0x30ec)
  }

  @Test func numbersComeBack() {
    var numbers = SeededNumbers(state: 1)
    let known: [UInt32] = [0, 1, 29, .max, 0x8000_0000, 0x5a96_c369]
    for number in known + (0..<20).map({ _ in UInt32.random(in: 0 ... .max, using: &numbers) }) {
      for size in [sizes[1], sizes[3]] { #expect(read(picture(number, size), size) == number) }
    }
    for size in sizes { #expect(read(picture(4711, size), size) == 4711) }
  }

  @Test func mirroredNoisyShiftedPicturesAreRead() {
    var numbers = SeededNumbers(state: 2)
    for size in sizes[...1] {
      let original = picture(123_456, size)
      var mirrored = original
      for y in 0..<size.height { mirrored[y * size.width..<(y + 1) * size.width].reverse() }
      #expect(read(mirrored, size) == 123_456)
      let noisy = original.map { UInt8(clamping: Int($0) + Int.random(in: -25...25, using: &numbers)) }
      #expect(read(noisy, size) == 123_456)
      // Contrast and brightness changed, as by a display or an adjustment.
      #expect(read(original.map { UInt8(40 + Int($0) / 2) }, size) == 123_456)
      // A column or two of the letterbox left, or one row too few.
      let shifted = [0, 0] + original.dropLast(2)
      #expect(read(Array(shifted), size) == 123_456)
      let shorter = PixelSize(width: size.width, height: size.height - 1)
      #expect(read(Array(original.prefix(shorter.area)), shorter) == 123_456)
    }
  }

  @Test func picturesWithoutBarGiveNothing() {
    var numbers = SeededNumbers(state: 3)
    let size = PixelSize(width: 320, height: 180)
    #expect(read([UInt8](repeating: 0, count: size.area), size) == nil)
    #expect(read((0..<size.area).map { UInt8($0 & 0xff) }, size) == nil)
    for _ in 0..<100 {
      #expect(read((0..<size.area).map { _ in UInt8.random(in: 0...255, using: &numbers) }, size) == nil)
    }
    let tiny = PixelSize(width: 100, height: 60)
    #expect(read([UInt8](repeating: 9, count: tiny.area), tiny) == nil)
  }

  @Test func oneWrongCellIsNoticed() {
    let size = PixelSize(width: 560, height: 120)
    let original = picture(99, size)
    for cell in 0..<FrameNumberMark.cellCount {
      var pixels = original
      let bar = size.height - FrameNumberMark.height(inPictureOf: size.height)..<size.height
      for y in bar { for x in cell * 10..<cell * 10 + 10 { pixels[y * 560 + x] = 144 - pixels[y * 560 + x] } }
      #expect(read(pixels, size) == nil)
    }
  }
}
