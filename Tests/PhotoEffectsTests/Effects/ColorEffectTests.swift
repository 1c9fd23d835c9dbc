// The color effects against their formulas.

import CameraCore
import TestSupport
import Testing

@testable import PhotoEffects

@Suite struct ColorEffectTests {
  /// Black, white, grays, pure and random colors.
  static let colors: [UInt32] = {
    var numbers = SeededNumbers(state: 3)
    return [0, 0xffffff, 0xff0000, 0x00ff00, 0x0000ff, 0xffff00, 0xff00ff, 0x00ffff]
      + (0..<256).map { $0 * 0x010101 } + (0..<2000).map { _ in UInt32.random(in: 0...0xffffff, using: &numbers) }
  }()

  static func chart(_ colors: [UInt32]) -> PixelBuffer {
    var picture = PixelBuffer(size: PixelSize(width: colors.count, height: 1))
    for (x, color) in colors.enumerated() { picture[x, 0] = color }
    return picture
  }

  @Test(arguments: ColorLook.allCases) func tablesAreTheFormula(look: ColorLook) {
    let source = Self.chart(Self.colors)
    let result = source.applying(ColorEffect(look))
    for (x, color) in Self.colors.enumerated() {
      let exact = look.transform(ProceduralScene.values(color))
      for (value, expected) in zip(ProceduralScene.values(result[x, 0]), exact) {
        // Half a step of rounding, and the table's own eighth of a step times the curve's slope.
        #expect(abs(value - expected) * 255 < 0.85, "\(String(color, radix: 16))")
      }
      #expect(result[x, 0] >> 24 == 255)
    }
  }

  @Test(arguments: ColorLook.allCases) func halfIsHalfWay(look: ColorLook) {
    let source = Self.chart(Self.colors)
    let whole = source.applying(ColorEffect(look))
    let half = source.applying(ColorEffect(look), intensity: 0.5)
    for (x, color) in Self.colors.enumerated() {
      let parts = zip(ProceduralScene.values(color), ProceduralScene.values(whole[x, 0]))
      for (value, (old, new)) in zip(ProceduralScene.values(half[x, 0]), parts) {
        #expect(abs(value - (old + new) / 2) * 255 <= 0.501)
      }
      #expect(half[x, 0] >> 24 == 255)
    }
  }

  @Test(arguments: ColorLook.allCases) func nothingIsNothing(look: ColorLook) {
    let source = ProceduralScene.noise(37, 11)
    #expect(source.applying(ColorEffect(look), intensity: 0) == source)
    #expect(source.applying(ColorEffect(look), intensity: -1) == source)
    #expect(source.applying(ColorEffect(look), intensity: 1) != source)
    #expect(source.applying(ColorEffect(look), intensity: 7) == source.applying(ColorEffect(look), intensity: 1))
  }

  @Test func anIdentityIsExact() {
    let source = Self.chart(Self.colors)
    var result = source
    result.withView { ColorTables(ColorTransform()).apply(to: $0, intensity: 1, threads: 1) }
    #expect(zip(source.pixels, result.pixels).allSatisfy { $0 & 0xffffff == $1 & 0xffffff })
  }

  @Test func sumsFarOutsideStayInTheirChannel() {
    // A matrix whose sums reach from −6 to 7; a field that ran over would change its neighbor.
    let wild = ColorTransform(matrix: [[3, -2, 4], [-2, -2, -2], [0, 0, 0]])
    let source = Self.chart(Self.colors)
    var result = source
    result.withView { ColorTables(wild).apply(to: $0, intensity: 1, threads: 1) }
    for (x, color) in Self.colors.enumerated() {
      for (value, expected) in zip(ProceduralScene.values(result[x, 0]), wild(ProceduralScene.values(color))) {
        #expect(abs(value - expected) * 255 < 1)
      }
    }
  }

  @Test(arguments: [ColorLook.noir, .mono]) func monochromesAreGrey(look: ColorLook) {
    for pixel in ProceduralScene.noise(20, 20).applying(ColorEffect(look)).pixels {
      #expect(pixel & 0xffffff == (pixel & 255) * 0x010101)
    }
  }

  /// A brighter gray is never made darker; in an X-ray never brighter.
  @Test(arguments: ColorLook.allCases) func graysKeepTheirOrder(look: ColorLook) {
    let grays = Self.chart((0..<256).map { $0 * 0x010101 }).applying(ColorEffect(look))
    let brightness = grays.pixels.map { pixel in
      zip(ProceduralScene.values(pixel), [0.299, 0.587, 0.114]).reduce(0) { $0 + $1.0 * $1.1 }
    }
    for (before, after) in zip(brightness, brightness.dropFirst()) {
      // Three channels that are rounded each on its own may differ by a step.
      #expect(look == .xRay ? after <= before + 0.004 : after >= before - 0.004)
    }
  }

  @Test(arguments: ColorLook.allCases) func rowsWithGapsAndSinglePixels(look: ColorLook) throws {
    let source = ProceduralScene.noise(13, 7)
    let scratch = EffectScratch()
    for intensity in [1, 0.3] {
      let wide = source.inWideRows { view in
        ColorEffect(look).apply(
          to: view, intensity: intensity, context: FrameContext(kind: .movieFrame, time: 1, fullSize: view.size),
          scratch: scratch)
      }
      #expect(wide == source.applying(ColorEffect(look), intensity: intensity))
    }
    let single = ProceduralScene.noise(1, 1)
    #expect(single.applying(ColorEffect(look)).pixels == Self.chart(single.pixels).applying(ColorEffect(look)).pixels)
  }

  @Test func threadsChangeNothing() {
    let source = ProceduralScene.noise(600, 500)
    #expect(source.applying(ColorEffect(.vivid), threads: 4) == source.applying(ColorEffect(.vivid)))
    #expect(
      source.applying(ColorEffect(.instant), intensity: 0.4, threads: 3)
        == source.applying(ColorEffect(.instant), intensity: 0.4))
  }
}
