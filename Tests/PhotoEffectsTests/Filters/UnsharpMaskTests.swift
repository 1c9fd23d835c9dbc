// Sharpening against a plain unsharp mask.

import CameraCore
import Foundation
import TestSupport
import Testing

@testable import PhotoEffects

@Suite struct UnsharpMaskTests {
  static func sharpened(_ source: PixelBuffer, _ sharpness: Double, fullSize: PixelSize) -> PixelBuffer {
    var result = source
    result.withView {
      UnsharpMask(sharpness: sharpness).apply(
        to: $0, context: FrameContext(kind: .still, time: 0, fullSize: fullSize), scratch: EffectScratch())
    }
    return result
  }

  /// With an exact Gaussian, in double precision.
  static func reference(_ source: PixelBuffer, _ sharpness: Double, sigma: Double) -> [[Double]] {
    let width = source.size.width
    let height = source.size.height
    let y = source.pixels.map { pixel in
      zip(ProceduralScene.values(pixel), [0.299, 0.587, 0.114]).reduce(0) { $0 + 255 * $1.0 * $1.1 }
    }
    let radius = 12
    func weight(_ distance: Int) -> Double {
      let scale = sigma * 2.0.squareRoot()
      return (erf((Double(distance) + 0.5) / scale) - erf((Double(distance) - 0.5) / scale)) / 2
    }
    func blurred(_ values: [Double], _ place: (Int, Int, Int) -> Int) -> [Double] {
      (0..<width * height).map { index in
        (-radius...radius).reduce(0) { $0 + weight($1) * values[place(index % width, index / width, $1)] }
      }
    }
    let down = blurred(y) { x, y, d in min(max(y + d, 0), height - 1) * width + x }
    let blur = blurred(down) { x, y, d in y * width + min(max(x + d, 0), width - 1) }
    return source.pixels.enumerated().map { index, pixel in
      let difference = y[index] - blur[index]
      let cored = max(0, abs(difference) - 2) * (difference < 0 ? -1 : 1)
      return ProceduralScene.values(pixel).map { min(max($0 * 255 + 2 * sharpness * cored, 0), 255) }
    }
  }

  @Test(arguments: [PixelSize(width: 1920, height: 1080), PixelSize(width: 4000, height: 3000)], [0.4, 1])
  func isTheFormula(fullSize: PixelSize, sharpness: Double) {
    // A part of a picture of the full size: only the two diagonals count.
    let source = ProceduralScene.picture(60, 40)
    let mask = UnsharpMask(sharpness: sharpness)
    var result = source
    result.withView {
      mask.apply(to: $0, sigma: UnsharpMask.sigma(size: fullSize, fullSize: fullSize), scratch: EffectScratch())
    }
    let exact = Self.reference(source, sharpness, sigma: UnsharpMask.sigma(size: fullSize, fullSize: fullSize))
    for (pixel, expected) in zip(result.pixels, exact) {
      for (value, wanted) in zip(ProceduralScene.values(pixel), expected) {
        // The brightness and its blur are rounded to half a step each, and multiplied by up to two; the weights to 1/256.
        #expect(abs(value * 255 - wanted) <= 4)
      }
    }
    #expect(result != source)
  }

  @Test func weightsSumUpToOne() {
    for step in 1...60 {
      let weights = UnsharpMask.weights(sigma: Double(step) / 10)
      #expect(Int(weights[0]) + 2 * weights.dropFirst().reduce(0) { $0 + Int($1) } == 256)
      #expect(zip(weights, weights.dropFirst()).allSatisfy { $0 >= $1 })
    }
  }

  @Test func aPreviewsRadiusIsInProportion() {
    let full = PixelSize(width: 1920, height: 1080)
    let sigma = UnsharpMask.sigma(size: full, fullSize: full)
    #expect(abs(sigma - 1.32) < 0.01)
    #expect(abs(UnsharpMask.sigma(size: PixelSize(width: 960, height: 540), fullSize: full) - sigma / 2) < 1e-9)
  }

  @Test func plainSurfacesAndFaintNoiseAreLeftAlone() {
    let full = PixelSize(width: 1920, height: 1080)
    let plain = PixelBuffer(size: PixelSize(width: 30, height: 30), color: 0xff80_6040)
    #expect(Self.sharpened(plain, 1, fullSize: full) == plain)
    var numbers = SeededNumbers(state: 4)
    var noisy = PixelBuffer(size: full)
    for y in 0..<40 {
      for x in 0..<full.width { noisy[x, y] = 0xff00_0000 | UInt32.random(in: 99...101, using: &numbers) * 0x010101 }
    }
    let result = Self.sharpened(noisy, 1, fullSize: full)
    #expect(
      (0..<30).allSatisfy { y in
        (0..<full.width).allSatisfy { result[$0, y] & 0xffffff == noisy[$0, y] & 0xffffff }
      })
  }
}
