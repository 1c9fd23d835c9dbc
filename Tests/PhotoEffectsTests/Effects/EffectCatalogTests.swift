// The catalog of effects and its look-up by name.

import CameraCore
import TestSupport
import Testing

@testable import PhotoEffects

@Suite struct EffectCatalogTests {
  @Test func namesAreUniqueAndStable() {
    let names = Effect.all.map(\.identifier)
    #expect(Set(names).count == names.count)
    #expect(Set(Effect.all.map(\.title)).count == names.count)
    // Saved edits name them: none of these may ever go.
    for name in [
      "noir", "mono", "silver", "sepia", "vivid", "warm", "cool", "fade", "instant", "thermal", "x-ray", "mirror",
      "bulge", "pinch", "twirl", "fisheye",
    ] { #expect(names.contains(name)) }
    for name in names {
      #expect(name.allSatisfy { $0 == "-" || ($0.isASCII && $0.isLowercase) })
    }
  }

  @Test func groupsStandTogether() {
    var seen: [Effect.Group] = []
    for effect in Effect.all where seen.last != effect.group {
      #expect(!seen.contains(effect.group))
      seen.append(effect.group)
    }
  }

  @Test func namesAreFoundInAnyForm() throws {
    for effect in Effect.all {
      for name in [effect.identifier, effect.identifier.uppercased(), effect.title] {
        #expect(try Effect.named(name) == effect)
      }
    }
    #expect(try Effect.named("xray").title == "X-Ray")
    #expect(try Effect.named("X Ray").identifier == "x-ray")
  }

  @Test func anUnknownNameListsTheKnownOnes() {
    #expect {
      try Effect.named("comical")
    } throws: { error in
      let text = "\(error)"
      return text.contains("“comical”") && Effect.all.allSatisfy { text.contains($0.identifier) }
    }
    #expect(throws: RecipeError.self) { try Effect.named("") }
  }

  /// Intensity 0 changes nothing, 1 something; the same twice; a single pixel is no problem.
  @Test(arguments: Effect.all) func rendersEverySize(effect: Effect) {
    func rendered(_ source: PixelBuffer, _ intensity: Double) -> PixelBuffer {
      var copy = source
      var context = FrameContext(kind: .still, time: 0, fullSize: source.size)
      context.matte = RampMattes.matte(of: source.size)
      copy.withView {
        effect.renderer.apply(to: $0, intensity: intensity, context: context, scratch: EffectScratch())
      }
      return copy
    }
    let source = ProceduralScene.picture(90, 61)
    #expect(rendered(source, 0) == source)
    #expect(rendered(source, 1) != source)
    #expect(rendered(source, 0.6) == rendered(source, 0.6))
    for (width, height) in [(1, 1), (1, 3), (5, 1), (3, 3)] {
      let small = ProceduralScene.noise(width, height)
      #expect(rendered(small, 1).size == small.size)
      #expect(rendered(small, 0) == small)
    }
  }

  /// A non-spatial effect gives a pixel the same result at every position.
  @Test(arguments: Effect.all.filter { !$0.isSpatial }) func colorsDoNotDependOnThePlace(effect: Effect) {
    let source = ProceduralScene.noise(24, 16)
    var whole = source
    let context = FrameContext(kind: .still, time: 0, fullSize: source.size)
    whole.withView { effect.renderer.apply(to: $0, intensity: 0.9, context: context, scratch: EffectScratch()) }
    var reversed = PixelBuffer(size: source.size)
    for y in 0..<16 { for x in 0..<24 { reversed[x, y] = source[23 - x, 15 - y] } }
    reversed.withView { effect.renderer.apply(to: $0, intensity: 0.9, context: context, scratch: EffectScratch()) }
    #expect(whole.pixels.reversed() == reversed.pixels)
  }

  /// What a gain map says of a picture is true of the result: brighter gray gives brighter gray, and the brightest corner
  /// stays the brightest. The other way around for the effects that say they don't.
  @Test(arguments: Effect.all) func keepsLightWhereItSaysSo(effect: Effect) {
    let size = PixelSize(width: 64, height: 64)
    func rendered(_ brightness: (Int, Int) -> Double) -> (Int, Int) -> Double {
      var picture = PixelBuffer(size: size)
      for y in 0..<size.height {
        for x in 0..<size.width {
          let value = UInt32(255 * brightness(x, y))
          picture[x, y] = 0xff00_0000 | value * 0x1_0101
        }
      }
      var context = FrameContext(kind: .still, time: 0, fullSize: size)
      context.matte = RampMattes.matte(of: size)
      picture.withView {
        effect.renderer.apply(to: $0, intensity: 1, context: context, scratch: EffectScratch())
      }
      let result = picture
      return { x, y in
        let pixel = result[x, y]
        let (red, green, blue) = (pixel >> 16 & 255, pixel >> 8 & 255, pixel & 255)
        return Double(2 * red + 7 * green + blue) / 10
      }
    }
    let levels: [Double] = (1...9).map { level in rendered { _, _ in Double(level) / 10 }(32, 32) }
    let isRising = zip(levels, levels.dropFirst()).allSatisfy { $0 <= $1 + 1 }
    // Where effects about people see the background.
    let corner = rendered { x, y in x >= 40 && y < 24 ? 0.9 : 0.2 }
    let stays = corner(50, 14) > max(corner(14, 14), corner(14, 50), corner(50, 50)) + 20
    if effect.keepsLight { #expect(isRising && stays, "\(levels)") }
    if effect.group == .color, !effect.keepsLight { #expect(!isRising, "\(levels)") }
  }
}
