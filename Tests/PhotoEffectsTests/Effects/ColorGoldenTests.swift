// Color effects, mirrors and adjustments against stored means of their approved looks.

import CameraCore
import Testing

@testable import PhotoEffects

@Suite struct ColorGoldenTests {
  /// A picture as 6×4 means of its parts, in hexadecimal.
  static func summary(_ picture: PixelBuffer) -> [UInt32] {
    let width = picture.size.width / 6
    let height = picture.size.height / 4
    return (0..<24).map { part in
      let sums = (0..<width * height).reduce(SIMD3<Int>.zero) { sum, index in
        let pixel = picture[part % 6 * width + index % width, part / 6 * height + index / width]
        return sum &+ SIMD3(Int(pixel >> 16 & 255), Int(pixel >> 8 & 255), Int(pixel & 255))
      }
      let means = (sums &+ width * height / 2) / SIMD3(repeating: width * height)
      return UInt32(means.x << 16 | means.y << 8 | means.z)
    }
  }

  @Test(arguments: GoldenPictures.effects.keys.sorted()) func effects(name: String) throws {
    let effect = try Effect.named(name)
    var picture = ProceduralScene.picture(96, 64)
    let context = FrameContext(kind: .still, time: 0, fullSize: picture.size)
    picture.withView { effect.renderer.apply(to: $0, intensity: 1, context: context, scratch: EffectScratch()) }
    try compare(picture, GoldenPictures.effects[name])
  }

  @Test(arguments: GoldenPictures.adjustments.keys.sorted()) func adjustments(name: String) throws {
    let field = try Adjustments.field(named: name)
    var adjustments = Adjustments()
    adjustments[keyPath: field.keyPath] = 0.8
    try compare(ProceduralScene.picture(96, 64).applying(adjustments), GoldenPictures.adjustments[name])
  }

  private func compare(_ picture: PixelBuffer, _ golden: String?) throws {
    let expected = try #require(golden).split(separator: " ").map { UInt32($0, radix: 16) }
    let summary = Self.summary(picture)
    let text = summary.map { String($0, radix: 16) }.joined(separator: " ")
    #expect(expected.count == 24)
    for (part, color) in zip(summary, expected) {
      // A step of 8 bits, for mathematical libraries that round their sines and powers another way.
      #expect(ProceduralScene.distance(part, try #require(color)) <= 1, "now \(text)")
    }
  }

  @Test func everyColorAndMirrorHasItsPicture() {
    let names = Effect.all.filter { $0.group == .color || $0.group == .mirrorRoom }.map(\.identifier)
    #expect(Set(names) == Set(GoldenPictures.effects.keys))
    // Sharpness has nothing to sharpen in so small a picture.
    #expect(Set(Adjustments.fields.map(\.name)).subtracting(["sharpness"]) == Set(GoldenPictures.adjustments.keys))
  }
}
