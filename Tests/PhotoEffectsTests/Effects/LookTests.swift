// Single effects against plain implementations of their formulas.

import CameraCore
import Foundation
import Testing

@testable import PhotoEffects

@Suite("Single effects")
struct LookTests {
  let scene = SampleScene.picture(width: 150, height: 84)
  /// The scene is a preview of this.
  let fullSize = PixelSize(width: 300, height: 168)
  /// A thousandth of the long side.
  let unit = 0.15

  /// Luma, or a part of the color, as a plane from 0 to 255.
  private func plane(_ part: @escaping ([Int]) -> Double) -> TestPlane {
    TestPlane(width: 150, height: 84) { x, y in part(PixelBuffer.parts(scene[x, y])) }
  }

  /// Compares each part of each pixel.
  private func expect(
    _ result: PixelBuffer, within tolerance: Double, margin: Int = 0, _ expected: (_ x: Int, _ y: Int) -> [Double],
    sourceLocation: SourceLocation = #_sourceLocation
  ) {
    var largest = 0.0
    for y in margin..<result.size.height - margin {
      for x in margin..<result.size.width - margin {
        for (part, value) in zip(PixelBuffer.parts(result[x, y]), expected(x, y)) {
          largest = max(largest, abs(Double(part) - value))
        }
      }
    }
    #expect(largest <= tolerance, sourceLocation: sourceLocation)
  }

  @Test("Blur is a bell curve, however the picture is reduced for it", arguments: [0.3, 1])
  func blur(intensity: Double) {
    // In gray: one plane to smooth plainly, which is slow.
    var gray = scene
    for y in 0..<84 { for x in 0..<150 { gray[x, y] = (scene[x, y] & 0xff) * 0x010101 } }
    let plain = plane { Double($0[0]) }
    // Reduced not at all, to a half, and to a quarter at the highest intensity.
    for unit in [0.15, 0.5, 0.8] {
      let sigma = 12 * unit * intensity
      let radius = Int((sigma * 3).rounded(.up))
      let blurred = plain.blurred(sigma: sigma, radius: radius)
      let fullSize = PixelSize(width: 150, height: Int(unit * 1000))
      // Beyond the border it is the last pixel here, and the mean of the last square there.
      expect(gray.with(BlurEffect(), intensity: intensity, fullSize: fullSize), within: 6, margin: radius) { x, y in
        [Double](repeating: blurred.at(x, y), count: 3)
      }
    }
  }

  @Test("Glow adds the smoothed light of bright places")
  func glow() {
    let sigma = 14 * unit
    let light = (0..<3).map { part in
      plane { parts in
        let luma = (0.114 * Double(parts[0]) + 0.587 * Double(parts[1]) + 0.299 * Double(parts[2])) / 255
        let x = min(max((luma - 0.4) * 2, 0), 1)
        return Double(parts[part]) * x * x * (3 - 2 * x) * 0.75
      }.blurred(sigma: sigma, radius: Int((sigma * 3).rounded(.up)))
    }
    expect(scene.with(GlowEffect(), fullSize: fullSize), within: 3) { x, y in
      zip(PixelBuffer.parts(scene[x, y]), light).map { own, light in
        255 - (255 - Double(own)) * (255 - light.at(x, y)) / 255
      }
    }
  }

  @Test("Vignette darkens with the distance from the middle")
  func vignette() {
    expect(scene.with(VignetteEffect(), fullSize: fullSize), within: 0.6) { x, y in
      let (dx, dy) = (Double(x) - 74.5, Double(y) - 41.5)
      let distance = (dx * dx + dy * dy) / (75 * 75 + 42 * 42)
      let s = min(max((distance - 0.35 * 0.35) / (1 - 0.35 * 0.35), 0), 1)
      return PixelBuffer.parts(scene[x, y]).map { Double($0) * (1 - 0.75 * s * s * (3 - 2 * s)) }
    }
  }

  @Test("Pixelate fills squares with their means")
  func pixelate() {
    let side = 150.0 / 60
    func square(_ position: Int, _ limit: Int) -> Range<Int> {
      var index = 0
      while Int((Double(index + 1) * side).rounded()) <= position { index += 1 }
      return Int((Double(index) * side).rounded())..<min(limit, Int((Double(index + 1) * side).rounded()))
    }
    expect(scene.with(PixelateEffect(), fullSize: fullSize), within: 0.6) { x, y in
      var sum = [0.0, 0.0, 0.0]
      let (columns, rows) = (square(x, 150), square(y, 84))
      for row in rows {
        for column in columns {
          for (part, value) in PixelBuffer.parts(scene[column, row]).enumerated() { sum[part] += Double(value) }
        }
      }
      return sum.map { $0 / Double(columns.count * rows.count) }
    }
  }

  @Test("Halftone turns darkness into covered paper")
  func halftone() {
    // Pitch and pixels as in a full picture of 1000 pixels: dots of 5 pixels.
    let full = PixelSize(width: 120, height: 1000)
    var coverages: [Double] = []
    for gray: UInt32 in [0, 40, 90, 130, 170, 220, 255] {
      let flat = PixelBuffer(size: PixelSize(width: 120, height: 120), color: gray | gray << 8 | gray << 16)
      let result = flat.with(HalftoneEffect(), fullSize: full)
      let mean = result.pixels.reduce(0.0) { $0 + Double($1 & 0xff) } / Double(result.pixels.count)
      coverages.append((Double(0xe0) - mean) / Double(0xe0 - 0x1a))
    }
    #expect(coverages == coverages.sorted(by: >))
    #expect(coverages.first! > 0.97)
    #expect(coverages.last! < 0.06)
    #expect(abs(coverages[3] - 0.5) < 0.05, "dots touch in the middle")
  }

  /// A gray on the left, and white on the right for the picture to be bright as a whole.
  private func flat(_ gray: UInt32) -> PixelBuffer {
    var flat = PixelBuffer(size: PixelSize(width: 160, height: 120), color: 0xffffff)
    for y in 0..<120 { for x in 0..<100 { flat[x, y] = gray | gray << 8 | gray << 16 } }
    return flat
  }

  @Test("Pop art prints its inks and little else")
  func popArt() {
    for (gray, ink) in [
      (UInt32(20), UInt32(0x1b1250)), (76, 0xd4145a), (127, 0xff7a1a), (178, 0xffd91f), (245, 0xfff6c8),
    ] {
      let result = flat(gray).with(PopArtEffect(), fullSize: PixelSize(width: 160, height: 1000))
      for y in 0..<120 { #expect((0..<70).allSatisfy { result[$0, y] == ink }) }
    }
  }

  @Test("Pencil leaves white paper white and covers black")
  func pencil() {
    func mean(_ gray: UInt32) -> Double {
      let result = flat(gray).with(PencilEffect(), fullSize: PixelSize(width: 160, height: 1000))
      var sum = 0
      for y in 0..<120 { for x in 0..<70 { sum += Int(result[x, y] >> 8 & 0xff) } }
      return Double(sum) / (120 * 70)
    }
    let means = [UInt32(0), 40, 80, 120, 160, 200, 255].map(mean)
    #expect(means == means.sorted())
    #expect(means.first! < 100)
    #expect(means.last! > 240)
  }
}
