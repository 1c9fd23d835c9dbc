// Automatic enhancement: faults that are found, pictures that stay as they are, and recipes that it sets.

import CameraCore
import Foundation
import TestSupport
import Testing

@testable import PhotoEffects

@Suite struct AutoEnhancementTests {
  /// A picture of a function of the place, 0…1 each way, to sRGB values.
  static func picture(
    _ width: Int = 320, _ height: Int = 240, _ color: (_ x: Double, _ y: Double) -> SIMD3<Double>
  ) -> DecodedImage {
    let block = FrameBlock(count: width * height * 4) { bytes in
      for y in 0..<height {
        for x in 0..<width {
          let value = color((Double(x) + 0.5) / Double(width), (Double(y) + 0.5) / Double(height))
          for channel in 0..<3 {
            bytes[(y * width + x) * 4 + 2 - channel] = UInt8(min(max(value[channel], 0), 1) * 255 + 0.5)
          }
          bytes[(y * width + x) * 4 + 3] = 255
        }
      }
    }
    return DecodedImage(size: PixelSize(width: width, height: height), stride: width * 4, block: block)
  }

  /// Every brightness, half of it gray and half of it in colors: in need of nothing.
  static func good(_ x: Double, _ y: Double) -> SIMD3<Double> {
    let light = 0.02 + 0.96 * x
    guard y > 0.5 else { return SIMD3(repeating: light) }
    let hue = (y - 0.5) * 4 * .pi
    return SIMD3(
      light * (1 - 0.35 * (1 + cos(hue)) / 2), light * (1 - 0.35 * (1 + cos(hue + 2.1)) / 2),
      light * (1 - 0.35 * (1 + cos(hue + 4.2)) / 2))
  }

  /// A color with factors of its linear light.
  static func lit(_ color: SIMD3<Double>, _ gains: SIMD3<Double>) -> SIMD3<Double> {
    var result = color
    for channel in 0..<3 {
      result[channel] = ToneCurve.encoded(ToneCurve.linear(color[channel]) * gains[channel])
    }
    return result
  }

  /// A horizon, turned clockwise by degrees, between a bright sky and textured ground.
  static func horizon(_ degrees: Double, _ width: Int = 480, _ height: Int = 360, isUpright: Bool = false)
    -> DecodedImage
  {
    var numbers = SeededNumbers(state: 7)
    let texture = (0..<4096).map { _ in Double.random(in: -0.04...0.04, using: &numbers) }
    let slope = tan(degrees * .pi / 180)
    return picture(width, height) { x, y in
      let (right, down) = ((x - 0.5) * Double(width), (y - 0.5) * Double(height))
      // The distance from the line in pixels, as a camera's blurred edge.
      let distance = isUpright ? right + slope * down : down - slope * right
      let share = min(max(distance / 1.5 + 0.5, 0), 1)
      let grain = texture[(Int(x * 997) * 31 + Int(y * 991) * 57) & 4095]
      let sky = SIMD3(0.75, 0.8, 0.9) - 0.15 * y
      return sky * (1 - share) + (SIMD3(0.25, 0.3, 0.15) + grain) * share
    }
  }

  static func rendered(_ picture: DecodedImage, _ auto: AutoEnhancement) throws -> DecodedImage {
    try FrameProcessor(auto.applied(to: AdjustmentRecipe())).render(
      picture, kind: .still, time: 0, fullSize: picture.size, scratch: EffectScratch())
  }

  /// The largest change.
  static func strength(_ auto: AutoEnhancement) -> Double {
    AutoEnhancement.keyPaths.map { abs(auto.adjustments[keyPath: $0]) }.max() ?? 0
  }

  // MARK: Light and color

  @Test func aGoodPictureStaysAsItIs() {
    let auto = AutoEnhancement(measuring: Self.picture { Self.good($0, $1) })
    #expect(Self.strength(auto) <= 0.05 && auto.tilt == 0, "\(auto)")
  }

  @Test(arguments: [0.25, 0.4]) func aDarkPictureBecomesLighter(light: Double) throws {
    let picture = Self.picture { Self.lit(Self.good($0, $1), SIMD3(repeating: light)) }
    let auto = AutoEnhancement(measuring: picture)
    #expect(auto.adjustments.exposure > 0.3, "\(auto)")
    let after = PictureSample(try Self.rendered(picture, auto))
    #expect(after.percentile(0.5) >= 0.32 && after.percentile(0.995) >= 0.75)
    #expect(Self.strength(AutoEnhancement(measuring: try Self.rendered(picture, auto))) < 0.12)
  }

  @Test func aNightStaysDark() {
    let picture = Self.picture { Self.lit(Self.good($0, $1), SIMD3(repeating: 0.05)) }
    let auto = AutoEnhancement(measuring: picture)
    #expect(auto.adjustments.exposure == 1.5 && auto.adjustments.brightness <= 0.5)
  }

  @Test func aFlatPictureGetsContrast() throws {
    let picture = Self.picture { 0.35 + 0.3 * Self.good($0, $1) }
    let auto = AutoEnhancement(measuring: picture)
    #expect(auto.adjustments.contrast > 0.2, "\(auto)")
    func spread(_ picture: DecodedImage) -> Double {
      let sample = PictureSample(picture)
      return sample.percentile(0.98) - sample.percentile(0.02)
    }
    #expect(spread(try Self.rendered(picture, auto)) > 1.4 * spread(picture))
  }

  @Test(arguments: [0.3, 0.5, 0.8]) func aBlueCastIsTakenBack(cast: Double) throws {
    // The light that `warmth` corrects by that amount.
    var warm = Adjustments()
    warm.warmth = -cast
    let gains = ToneFormulas(warm).gains
    let picture = Self.picture { Self.lit(Self.good($0, $1), SIMD3(gains[0], gains[1], gains[2])) }
    let auto = AutoEnhancement(measuring: picture)
    #expect(auto.adjustments.warmth > 0.5 * cast && auto.adjustments.warmth <= 0.6, "\(auto)")
    let again = AutoEnhancement(measuring: try Self.rendered(picture, auto))
    #expect(abs(again.adjustments.warmth) < 0.06 + max(0, cast - 0.7), "\(again)")
  }

  @Test func aGreenCastIsTakenBack() {
    let picture = Self.picture { Self.lit(Self.good($0, $1), SIMD3(0.92, 1.1, 0.92)) }
    #expect(AutoEnhancement(measuring: picture).adjustments.tint > 0.1)
  }

  /// An evening, faces that fill the picture, a meadow: their color isn't that of the light.
  @Test(arguments: [SIMD3(0.95, 0.55, 0.2), SIMD3(0.88, 0.67, 0.54), SIMD3(0.45, 0.3, 0.22), SIMD3(0.3, 0.6, 0.2)])
  func colorsOfThingsStay(color: SIMD3<Double>) {
    let auto = AutoEnhancement(measuring: Self.picture { x, y in color * (0.3 + 0.7 * x) + 0.02 * y })
    #expect(abs(auto.adjustments.warmth) <= 0.1 && abs(auto.adjustments.tint) <= 0.1, "\(auto)")
  }

  @Test func warmLightStaysWarm() {
    let picture = Self.picture { Self.lit(Self.good($0, $1), SIMD3(1.2, 1, 0.75)) }
    let auto = AutoEnhancement(measuring: picture)
    #expect(auto.adjustments.warmth >= -0.25 && auto.adjustments.warmth <= 0, "\(auto)")
  }

  @Test func whatIsGrayStaysGray() {
    let auto = AutoEnhancement(measuring: Self.picture { x, _ in SIMD3(repeating: x) })
    #expect(auto.adjustments.saturation == 0 && auto.adjustments.warmth == 0 && auto.adjustments.tint == 0)
  }

  /// There is nothing to measure in them.
  @Test(arguments: [(1, 1), (1, 300), (300, 1), (2, 2), (64, 64), (700, 3)])
  func emptyPicturesStay(width: Int, height: Int) {
    for value in [0, 0.5, 1.0] {
      let auto = AutoEnhancement(measuring: Self.picture(width, height) { _, _ in SIMD3(repeating: value) })
      #expect(auto.isNeutral, "\(width)×\(height), \(value): \(auto)")
    }
  }

  @Test(arguments: 0..<40) func anyPictureGetsValidValues(seed: UInt64) throws {
    var numbers = SeededNumbers(state: seed)
    func color() -> SIMD3<Double> {
      SIMD3(
        .random(in: 0...1, using: &numbers), .random(in: 0...1, using: &numbers), .random(in: 0...1, using: &numbers))
    }
    let (from, to, gamma) = (color(), color(), Double.random(in: 0.2...4, using: &numbers))
    let size = (Int.random(in: 1...90, using: &numbers), Int.random(in: 1...90, using: &numbers))
    let noise = Double.random(in: 0...0.5, using: &numbers)
    let picture = Self.picture(size.0, size.1) { x, y in
      from + (to - from) * pow(x * y, gamma) + Double.random(in: -noise...noise, using: &numbers)
    }
    let auto = AutoEnhancement(measuring: picture)
    let recipe = auto.applied(to: AdjustmentRecipe())
    try recipe.validate()
    #expect(auto.applied(to: recipe) == recipe, "it adds nothing")
    #expect(AutoEnhancement(measuring: picture) == auto)
    #expect(abs(auto.tilt) <= 8)
  }

  // MARK: Tilt

  @Test(arguments: [-7.5, -5.2, -3, -1.3, -0.6, 0.6, 1.3, 2.1, 3.7, 5.5, 7.6], [false, true])
  func aTiltIsFound(degrees: Double, isUpright: Bool) throws {
    let picture = Self.horizon(degrees, isUpright: isUpright)
    let auto = AutoEnhancement(measuring: picture)
    #expect(abs(auto.tilt - degrees) <= 0.5, "\(auto.tilt) instead of \(degrees)")
    #expect(AutoEnhancement(measuring: try Self.rendered(picture, auto)).tilt == 0, "taken back")
  }

  @Test func aTiltIsFoundInALargePicture() {
    #expect(abs(AutoEnhancement(measuring: Self.horizon(2.4, 1500, 900)).tilt - 2.4) <= 0.5)
  }

  @Test func whatIsNoTiltStays() {
    #expect(AutoEnhancement(measuring: Self.horizon(0)).tilt == 0)
    #expect(AutoEnhancement(measuring: Self.horizon(0.1)).tilt == 0, "nobody sees it")
    #expect(AutoEnhancement(measuring: Self.horizon(14)).tilt == 0, "it was meant so")
    var numbers = SeededNumbers(state: 3)
    let noise = Self.picture { _, _ in SIMD3(repeating: Double.random(in: 0...1, using: &numbers)) }
    #expect(AutoEnhancement(measuring: noise).tilt == 0)
    // The rays of a fan go in all directions.
    let fan = Self.picture { x, y in SIMD3(repeating: sin(40 * atan2(y - 0.5, x + 0.3)) > 0 ? 0.8 : 0.2) }
    #expect(AutoEnhancement(measuring: fan).tilt == 0)
    // A circle has a bit of every direction.
    let circle = Self.picture { x, y in
      SIMD3(repeating: (x - 0.5) * (x - 0.5) * 1.78 + (y - 0.5) * (y - 0.5) < 0.16 ? 0.8 : 0.2)
    }
    #expect(AutoEnhancement(measuring: circle).tilt == 0)
  }

  // MARK: Recipes

  @Test func itSetsARecipeAndTakesItBack() {
    let auto = AutoEnhancement(measuring: Self.horizon(3))
    var before = AdjustmentRecipe(.init(Effect.all[0]))
    (before.adjustments.sharpness, before.adjustments.contrast) = (0.4, 0.9)
    let after = auto.applied(to: before)
    #expect(after.effect == before.effect && after.adjustments.sharpness == 0.4)
    #expect(after.geometry.straighten == -auto.tilt && auto.tilt > 2)
    #expect(auto.isApplied(to: after) && !auto.isApplied(to: before))
    #expect(auto.removed(from: after, before: before) == before)
    var changed = after
    changed.adjustments.vignette = 0.2
    #expect(auto.isApplied(to: changed), "it doesn't set that")
    changed.adjustments.exposure = -1
    #expect(!auto.isApplied(to: changed))
  }

  @Test func aCropThatSomebodyMadeStays() {
    let auto = AutoEnhancement(measuring: Self.horizon(3))
    var recipe = AdjustmentRecipe()
    recipe.geometry.crop = Geometry.Crop(x: 0.1, y: 0.1, width: 0.5, height: 0.5)
    #expect(auto.applied(to: recipe).geometry == recipe.geometry)
    recipe.geometry = Geometry()
    recipe.geometry.straighten = 20
    #expect(auto.applied(to: recipe).geometry == recipe.geometry)
    recipe.geometry = Geometry()
    recipe.geometry.isFlipped = true
    #expect(auto.applied(to: recipe).geometry.straighten == auto.tilt, "the flip reverses it")
  }
}
