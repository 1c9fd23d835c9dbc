// Dithered films: close to the original, and stable where nothing moves.

import CameraCore
import TestSupport
import Testing

@testable import PhotoEffects

@Suite struct PatternDitherTests {
  private let size = PixelSize(width: 32, height: 16)

  private func image(_ color: (Int, Int) -> SIMD3<Int>) -> DecodedImage {
    let block = FrameBlock(count: size.area * 4) { bytes in
      for y in 0..<size.height {
        for x in 0..<size.width {
          let pixel = color(x, y)
          let at = (y * size.width + x) * 4
          (bytes[at], bytes[at + 1], bytes[at + 2], bytes[at + 3]) = (
            UInt8(clamping: pixel.z), UInt8(clamping: pixel.y), UInt8(clamping: pixel.x), 0
          )
        }
      }
    }
    return DecodedImage(size: size, stride: size.width * 4, block: block)
  }

  private let grays: [SIMD3<UInt8>] = [0, 85, 170, 255].map { SIMD3(repeating: $0) }

  @Test(arguments: Array(stride(from: 0, through: 255, by: 15)))
  func theMeanOfAPatternIsTheColor(level: Int) {
    var dither = PatternDither(palette: grays, size: size)
    dither.show(image { _, _ in SIMD3(repeating: level) })
    let mean = dither.indexes.reduce(0) { $0 + Double(grays[Int($1)].x) } / Double(size.area)
    // Six bits of it are seen, and a sixteenth of a step is the finest.
    #expect(abs(mean - Double(level)) <= 85.0 / 16 + 4, "\(mean)")
    // The same in every 4 × 4 pixels.
    for y in 0..<size.height {
      for x in 0..<size.width {
        #expect(dither.indexes[y * size.width + x] == dither.indexes[(y & 3) * size.width + x & 3])
      }
    }
  }

  @Test func noiseChangesNothingAndAChangeDoes() {
    var dither = PatternDither(palette: grays, size: size)
    var random = SeededNumbers(state: 3)
    func scene() -> DecodedImage {
      image { x, y in SIMD3(repeating: 6 * x + y + Int.random(in: -2...2, using: &random)) }
    }
    dither.show(scene())
    let first = dither.indexes
    for _ in 0..<5 {
      dither.show(scene())
      #expect(dither.indexes == first)
    }
    // Small steps that add up are seen.
    for step in 1...10 { dither.show(image { x, y in SIMD3(repeating: 6 * x + y + 4 * step) }) }
    #expect(dither.indexes != first)
    var fresh = PatternDither(palette: grays, size: size)
    fresh.show(image { x, y in SIMD3(repeating: 6 * x + y + 40) })
    let changed = zip(fresh.indexes, dither.indexes).count { $0 != $1 }
    #expect(changed < size.area / 4)
  }

  @Test func everyColorIsCounted() {
    var count = ColorCount()
    count.add(image { x, _ in x < 8 ? SIMD3(255, 0, 128) : SIMD3(0, 64, 0) })
    count.add(image { _, _ in SIMD3(255, 0, 128) })
    let colors = count.colors
    #expect(colors.map(\.count) == [24 * 16, 8 * 16 + UInt32(size.area)])
    #expect(colors.map(\.color) == [SIMD3(0, 65, 0), SIMD3(255, 0, 130)])
  }
}
