// The adjustments against their formulas.

import CameraCore
import Foundation
import TestSupport
import Testing

@testable import PhotoEffects

@Suite struct AdjustmentTests {
  static func random(_ numbers: inout SeededNumbers, sharpness: Bool = false) -> Adjustments {
    var adjustments = Adjustments()
    for field in Adjustments.fields where sharpness || field.name != "sharpness" {
      // Some stay neutral, so that every one of the loops is used.
      if Bool.random(using: &numbers) {
        adjustments[keyPath: field.keyPath] = Double.random(in: field.range, using: &numbers)
      }
    }
    return adjustments
  }

  static func reference(_ source: PixelBuffer, _ adjustments: Adjustments) -> [[Double]] {
    let formulas = ToneFormulas(adjustments)
    let width = Double(source.size.width)
    let height = Double(source.size.height)
    return source.pixels.enumerated().map { index, pixel in
      let dx = Double(index % source.size.width) - (width - 1) / 2
      let dy = Double(index / source.size.width) - (height - 1) / 2
      return formulas(
        ProceduralScene.values(pixel), square: 4 * (dx * dx + dy * dy) / (width * width + height * height))
    }
  }

  @Test(arguments: 0..<40) func isTheFormula(seed: UInt64) {
    var numbers = SeededNumbers(state: seed)
    let adjustments = Self.random(&numbers)
    let source = ProceduralScene.noise(41, 23, seed: seed)
    let result = source.applying(adjustments)
    for (pixel, exact) in zip(result.pixels, Self.reference(source, adjustments)) {
      for (value, expected) in zip(ProceduralScene.values(pixel), exact) {
        // Half a step of rounding, and a little for single precision and the table of brightnesses.
        #expect(abs(value - expected) * 255 < 0.75, "\(adjustments)")
      }
    }
  }

  // Sharpness looks for detail that so small a picture can't have.
  @Test(arguments: Adjustments.fields.map(\.name).filter { $0 != "sharpness" }) func eachDoesSomething(name: String)
    throws
  {
    let field = try Adjustments.field(named: name)
    let source = ProceduralScene.noise(64, 40)
    for value in [field.range.lowerBound, field.range.upperBound] where value != 0 {
      var adjustments = Adjustments()
      adjustments[keyPath: field.keyPath] = value
      #expect(!adjustments.isNeutral)
      #expect(source.applying(adjustments) != source)
      #expect(source.applying(adjustments).pixels.allSatisfy { $0 >> 24 == 255 })
    }
  }

  @Test func neutralTouchesNothing() {
    let source = ProceduralScene.noise(31, 9)
    #expect(source.applying(Adjustments()) == source)
    #expect(Adjustments().isNeutral)
  }

  /// A tiny adjustment has a tiny effect: the tables themselves add nothing.
  @Test(arguments: Adjustments.fields.map(\.name)) func aTraceIsNoChange(name: String) throws {
    var adjustments = Adjustments()
    adjustments[keyPath: try Adjustments.field(named: name).keyPath] = 1e-9
    let source = ProceduralScene.noise(31, 9)
    #expect(ProceduralScene.distance(source.applying(adjustments), source) == 0)
  }

  @Test func aStopIsTwiceTheLight() {
    var adjustments = Adjustments()
    adjustments.exposure = 1
    for gray in 0..<120 {
      let pixel = UInt32(gray) * 0x010101
      let result = ColorEffectTests.chart([pixel]).applying(adjustments)[0, 0] & 255
      let light = 2 * ToneCurve.linear(Double(gray) / 255)
      #expect(abs(ToneCurve.linear(Double(result) / 255) - light) < 0.006)
    }
  }

  @Test func highlightsBringBackWhatExposurePushedPastWhite() {
    var adjustments = Adjustments()
    adjustments.exposure = 0.4
    let lights = ColorEffectTests.chart([0xe8e8e8, 0xf0f0f0, 0xf8f8f8])
    #expect(Set(lights.applying(adjustments).pixels).count == 1)
    adjustments.highlights = -1
    #expect(Set(lights.applying(adjustments).pixels).count == 3)
  }

  @Test func grayStaysGrayWithoutWarmthAndTint() {
    var numbers = SeededNumbers(state: 5)
    for _ in 0..<30 {
      var adjustments = Self.random(&numbers)
      adjustments.warmth = 0
      adjustments.tint = 0
      for pixel in ColorEffectTests.chart((0..<256).map { $0 * 0x010101 }).applying(adjustments).pixels {
        #expect(ProceduralScene.distance(pixel, 0xff00_0000 | (pixel & 255) * 0x010101) <= 1)
      }
    }
  }

  /// A lighter gray is never made darker than a darker one, whatever is combined.
  @Test(arguments: 0..<60) func graysKeepTheirOrder(seed: UInt64) {
    var numbers = SeededNumbers(state: 77 + seed)
    var adjustments = Self.random(&numbers)
    adjustments.vignette = 0
    adjustments.tint = 0
    adjustments.warmth = 0
    let grays = ColorEffectTests.chart((0..<256).map { $0 * 0x010101 }).applying(adjustments).pixels.map { $0 & 255 }
    #expect(zip(grays, grays.dropFirst()).allSatisfy { $0 <= $1 }, "\(adjustments)")
  }

  @Test func directions() {
    let skin = ColorEffectTests.chart([0xd0a080])
    func changed(_ name: WritableKeyPath<Adjustments, Double>, _ value: Double) -> [Double] {
      var adjustments = Adjustments()
      adjustments[keyPath: name] = value
      return ProceduralScene.values(skin.applying(adjustments)[0, 0])
    }
    let plain = ProceduralScene.values(skin[0, 0])
    #expect(changed(\.warmth, 1)[0] > plain[0] && changed(\.warmth, 1)[2] < plain[2])
    #expect(changed(\.tint, 1)[1] < plain[1] && changed(\.tint, 1)[2] > plain[2])
    let gray = changed(\.saturation, -1)
    #expect(gray[0] == gray[1] && gray[1] == gray[2])
    #expect(changed(\.brightness, 1)[0] > plain[0] && changed(\.exposure, -1)[0] < plain[0])
    #expect(changed(\.highlights, -1)[0] < plain[0])
  }

  @Test func theVignetteDarkensCornersAndLeavesTheMiddle() {
    var adjustments = Adjustments()
    adjustments.vignette = 1
    let result = PixelBuffer(size: PixelSize(width: 161, height: 91), color: 0xffc8_c8c8).applying(adjustments)
    #expect(result[80, 45] == 0xffc8_c8c8)
    #expect(result[0, 0] & 255 < 60)
    #expect(result[0, 0] == result[160, 90] && result[160, 0] == result[0, 90] && result[0, 0] == result[160, 0])
  }

  @Test func rowsWithGapsThreadsAndOddSizes() {
    var numbers = SeededNumbers(state: 9)
    var adjustments = Self.random(&numbers, sharpness: true)
    adjustments.sharpness = 0.7
    adjustments.vignette = 0.4
    for (width, height) in [(1, 1), (1, 9), (7, 1), (3, 3), (19, 12)] {
      let source = ProceduralScene.noise(width, height)
      let wide = source.inWideRows { view in
        let context = FrameContext(kind: .still, time: 0, fullSize: view.size)
        AdjustmentRenderer(adjustments, isLast: true).apply(to: view, context: context, scratch: EffectScratch())
      }
      #expect(wide == source.applying(adjustments))
    }
    let large = ProceduralScene.noise(500, 700)
    #expect(large.applying(adjustments, threads: 4) == large.applying(adjustments))
  }

  @Test func badValuesAreNamed() {
    for (field, value) in [
      ("exposure", 2.1), ("contrast", -1.01), ("sharpness", -0.1), ("warmth", .nan), ("vignette", .infinity),
    ] {
      var adjustments = Adjustments()
      guard let found = try? Adjustments.field(named: field) else {
        Issue.record("no field \(field)")
        continue
      }
      adjustments[keyPath: found.keyPath] = value
      #expect {
        try adjustments.validate()
      } throws: { error in
        guard case RecipeError.outOfRange(field, _, found.range.lowerBound, found.range.upperBound) = error else {
          return false
        }
        return "\(error)".contains(field)
      }
    }
    #expect(throws: RecipeError.unknownAdjustment("glare", known: Adjustments.fields.map(\.name))) {
      try Adjustments.field(named: "glare")
    }
    #expect((try? Adjustments.field(named: "Exposure"))?.name == "exposure")
  }
}
