// Area averaging keeps brightness and position.

import CameraCore
import TestSupport
import Testing

@testable import PhotoEffects

@Suite struct SizeReductionTests {
  private func reduce(_ source: PixelBuffer, to side: Int) throws -> PixelBuffer {
    let reduction = SizeReduction(longestSide: side)
    var source = source
    var target = PixelBuffer(size: reduction.outputSize(for: source.size))
    let context = FrameContext(kind: .still, time: 0, fullSize: target.size)
    try target.withView { result in
      try source.withView { try reduction.render($0, into: result, context: context, scratch: EffectScratch()) }
    }
    return target
  }

  @Test(arguments: [
    (PixelSize(width: 1920, height: 1080), 1280, PixelSize(width: 1280, height: 720)),
    (PixelSize(width: 1080, height: 1920), 640, PixelSize(width: 360, height: 640)),
    (PixelSize(width: 640, height: 480), 1280, PixelSize(width: 640, height: 480)),
    (PixelSize(width: 641, height: 481), 641, PixelSize(width: 640, height: 480)),
    (PixelSize(width: 3000, height: 10), 100, PixelSize(width: 100, height: 2)),
  ])
  func sidesAreEvenAndFit(source: PixelSize, side: Int, expected: PixelSize) {
    #expect(SizeReduction(longestSide: side).outputSize(for: source) == expected)
  }

  @Test func aPlainPictureStaysPlain() throws {
    for color: UInt32 in [0xFF00_0000, 0xFFFF_FFFF, 0xFF12_80FE] {
      let small = try reduce(PixelBuffer(size: PixelSize(width: 97, height: 61), color: color), to: 40)
      #expect(small.pixels.allSatisfy { $0 == color })
    }
  }

  @Test func aHalfIsTheAverageOfFour() throws {
    var random = SeededNumbers.fresh()
    var source = PixelBuffer(size: PixelSize(width: 64, height: 32))
    for y in 0..<32 { for x in 0..<64 { source[x, y] = .random(in: 0...0xFF_FFFF, using: &random) | 0xFF00_0000 } }
    let small = try reduce(source, to: 32)
    for y in 0..<16 {
      for x in 0..<32 {
        for shift: UInt32 in [0, 8, 16] {
          let four = [(0, 0), (1, 0), (0, 1), (1, 1)].map { Int(source[2 * x + $0.0, 2 * y + $0.1] >> shift & 0xFF) }
          let mean = Double(four.reduce(0, +)) / 4
          #expect(abs(Double(small[x, y] >> shift & 0xFF) - mean) <= 0.51)
        }
      }
    }
  }

  /// The average of all pixels is kept by any scale, up to rounding: nothing counts twice, and nothing is left out.
  @Test(arguments: [16, 30, 44, 62]) func lightIsKept(side: Int) throws {
    var random = SeededNumbers.fresh()
    var source = PixelBuffer(size: PixelSize(width: 64, height: 64))
    for y in 0..<64 { for x in 0..<64 { source[x, y] = UInt32.random(in: 0...255, using: &random) | 0xFF00_0000 } }
    func mean(_ picture: PixelBuffer) -> Double {
      Double(picture.pixels.reduce(0) { $0 + Int($1 & 0xFF) }) / Double(picture.size.area)
    }
    #expect(abs(try mean(reduce(source, to: side)) - mean(source)) < 0.6)
  }

  @Test func whatFitsIsCopied() throws {
    var source = PixelBuffer(size: PixelSize(width: 33, height: 17))
    for y in 0..<17 { for x in 0..<33 { source[x, y] = UInt32(x * 7 + y * 1000) | 0xFF00_0000 } }
    let same = try reduce(source, to: 100)
    #expect(same.size == PixelSize(width: 32, height: 16))
    for y in 0..<16 { for x in 0..<32 { #expect(same[x, y] == source[x, y]) } }
  }
}
