// The alpha of pictures: colors come back from over white, edges keep theirs, and renderings stay transparent.

import CameraCore
import PhotoEffects
import Testing

@Suite struct AlphaPlaneTests {
  private func image(_ pixels: [(UInt8, UInt8, UInt8)], width: Int) -> DecodedImage {
    let size = PixelSize(width: width, height: pixels.count / width)
    var bytes: [UInt8] = []
    for (red, green, blue) in pixels { bytes += [blue, green, red, 0] }
    return DecodedImage(size: size, stride: 4 * width, block: bytes.withUnsafeBytes { FrameBlock(copying: $0) })
  }

  private func plane(_ bytes: [UInt8], width: Int) -> AlphaPlane? {
    AlphaPlane(
      size: PixelSize(width: width, height: bytes.count / width),
      block: bytes.withUnsafeBytes { FrameBlock(copying: $0) })
  }

  @Test func whatIsOpaqueEverywhereHasNone() throws {
    #expect(plane([255, 255, 255, 255], width: 2) == nil)
    let corner = try #require(plane([255, 255, 255, 254], width: 2))
    let upper = corner.changed { image in
      DecodedImage(size: PixelSize(width: 2, height: 1), stride: image.stride, block: image.block)
    }
    #expect(upper == nil)
  }

  @Test func colorsComeBackFromOverWhite() throws {
    let alpha = try #require(plane([255, 128, 64, 0], width: 4))
    let colors = image([(10, 20, 30), (200, 100, 0), (0, 255, 80), (255, 255, 255)], width: 4)
    let white = alpha.overWhite(colors)
    #expect(white.block.bytes[4..<7].elementsEqual([127, 177, 227]))
    let back = alpha.straight(white).block.bytes
    for (found, wanted) in zip(back, colors.block.bytes) { #expect(abs(Int(found) - Int(wanted)) <= 2) }
    // What can't have been over white is cut off.
    let dark = alpha.straight(image([(0, 0, 0), (0, 0, 0), (0, 0, 0), (0, 0, 0)], width: 4)).block.bytes
    #expect(dark == [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 255, 255, 255, 0])
  }

  @Test func wideColorsComeBackExactly() throws {
    let alpha = try #require(plane([255, 128, 0, 255], width: 2))
    // 20,000, half over white.
    let half = 128 * 257
    let mixed = UInt16((20_000 * half + 65_535 * (65_535 - half)) / 65_535)
    let white = DeepPixels(alpha.size) { pixels in
      pixels[0] = .init(1_000, 2_000, 3_000, 0)
      pixels[1] = .init(repeating: mixed)
      pixels[2] = .init(repeating: .max)
      pixels[3] = .init(4_000, 5_000, 6_000, 0)
    }
    alpha.straight(white).withPixels { pixels in
      #expect(pixels[0] == .init(1_000, 2_000, 3_000, 0) && pixels[3] == .init(4_000, 5_000, 6_000, 0))
      #expect(abs(Int(pixels[1].x) - 20_000) <= 2 && pixels[1].w == 0)
      #expect(pixels[2] == .init(.max, .max, .max, 0))
    }
  }

  @Test func edgesKeepTheirColorsWhenTheyAreAveraged() throws {
    // A black pixel beside a transparent one.
    let alpha = try #require(plane([255, 0], width: 2))
    let size = PixelSize(width: 1, height: 1)
    let white = image([(0, 0, 0), (255, 255, 255)], width: 2).averaged(to: size)
    let small = try #require(alpha.changed { $0.averaged(to: size) })
    #expect(small.block.bytes == [128])
    // As far as the two are rounded.
    #expect(small.straight(white).block.bytes.allSatisfy { $0 <= 2 })
  }

  @Test("Transparent parts move with the pixels", arguments: Effect.all.filter { $0.group == .mirrorRoom })
  func effectsThatMovePixels(effect: Effect) throws {
    // A black disc on the left, and nothing elsewhere.
    let size = PixelSize(width: 64, height: 48)
    func isInside(_ index: Int) -> Bool {
      let (x, y) = (index % size.width - 20, index / size.width - 24)
      return x * x + y * y < 200
    }
    let alpha = try #require(plane((0..<size.area).map { isInside($0) ? 255 : 0 }, width: size.width))
    let white = image((0..<size.area).map { isInside($0) ? (0, 0, 0) : (255, 255, 255) }, width: size.width)
    let processor = try FrameProcessor(AdjustmentRecipe(.init(effect, intensity: 1)))
    let context = processor.context(.still, time: 0, fullSize: size)
    let shown = try processor.render(white, alpha, context: context, scratch: EffectScratch()).block.bytes
    // Over white it is as if there were no plane.
    let plain = try processor.render(white, context: context, scratch: EffectScratch()).block.bytes
    let most = zip(shown, plain).enumerated().map { $0 % 4 == 3 ? 0 : abs(Int($1.0) - Int($1.1)) }.max() ?? 0
    #expect(most <= 2)
    #expect(plain != white.block.bytes)
  }

  @Test func adjustmentsChangeTheColorsAndTransparentPartsStayWhite() throws {
    var recipe = AdjustmentRecipe()
    recipe.adjustments.exposure = -1
    recipe.geometry.turn = .right
    let processor = try FrameProcessor(recipe)
    let alpha = try #require(plane([255, 128, 0, 0], width: 4))
    let white = alpha.overWhite(image([(100, 100, 100), (100, 100, 100), (9, 9, 9), (9, 9, 9)], width: 4))
    let context = processor.context(.still, time: 0, fullSize: white.size)
    let shown = try processor.render(white, alpha, context: context, scratch: EffectScratch())
    #expect(shown.size == PixelSize(width: 1, height: 4))
    let opaque = Int(shown.block.bytes[0])
    #expect(opaque < 90)
    // The same gray, half over white.
    #expect(abs(Int(shown.block.bytes[4]) - (opaque * 128 + 255 * 127) / 255) <= 2)
    #expect(shown.block.bytes[8] == 255 && shown.block.bytes[12] == 255)
    // Without transparent parts it is the plain rendering.
    let plain = try processor.render(white, context: context, scratch: EffectScratch())
    let same = try processor.render(white, nil, context: context, scratch: EffectScratch())
    #expect(plain.block.bytes == same.block.bytes && plain.block.bytes[12] < 255)
  }
}
