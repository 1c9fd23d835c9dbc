// Rendering with 16 bits a channel: the same picture as with 8, and finer.

import CameraCore
import Foundation
import Testing

@testable import PhotoEffects

@Suite("Rendering with 16 bits a channel")
struct DeepRenderingTests {
  /// A picture with gradients of all channels and an edge.
  private static func picture(_ size: PixelSize = PixelSize(width: 96, height: 64)) -> DeepPixels {
    DeepPixels(size) { pixels in
      for y in 0..<size.height {
        for x in 0..<size.width {
          let edge = x > size.width / 2 ? 12_000 : 0
          let red = 40_000 * x / size.width + edge
          let green = 50_000 * y / size.height + edge
          let blue = 50_000 * (x + y) / (size.width + size.height)
          pixels[y * size.width + x] = DeepPixels.Pixel(UInt16(red), UInt16(green), UInt16(blue), 0)
        }
      }
    }
  }

  private static func recipe(_ change: (inout AdjustmentRecipe) -> Void) -> AdjustmentRecipe {
    var recipe = AdjustmentRecipe()
    change(&recipe)
    return recipe
  }

  private static let recipes: [(name: String, recipe: AdjustmentRecipe)] =
    Adjustments.fields.flatMap { field in
      [field.range.lowerBound * 0.7, field.range.upperBound * 0.7].map { value in
        (
          "\(field.name) \(value)",
          recipe {
            $0.adjustments[keyPath: field.keyPath] = value
            // Something else that follows.
            if field.name != "saturation" { $0.adjustments.saturation = 0.2 }
          }
        )
      }
    } + [
      ("turn", recipe { $0.geometry.turn = .left }),
      ("flip", recipe { ($0.geometry.turn, $0.geometry.isFlipped) = (.right, true) }),
      ("crop", recipe { $0.geometry.crop = Geometry.Crop(x: 0.2, y: 0.1, width: 0.5, height: 0.6) }),
      ("straighten", recipe { $0.geometry.straighten = 7 }),
    ]

  private static func channels(_ image: DecodedImage) -> [Int] {
    image.block.withUnsafeBytes { bytes in
      (0..<image.size.height).flatMap { y in
        (0..<image.size.width).flatMap { x in (0..<3).map { Int(bytes[y * image.stride + 4 * x + $0]) } }
      }
    }
  }

  @Test("It looks as with 8 bits", arguments: recipes.indices)
  func agreement(_ index: Int) throws {
    let (name, recipe) = Self.recipes[index]
    let source = Self.picture()
    let processor = try FrameProcessor(recipe)
    let scratch = EffectScratch(threadCount: 2)
    let context = processor.context(.still, time: 0, fullSize: source.size)
    let deep = try #require(try processor.render(source, context: context, scratch: scratch))
    let plain = try processor.render(source.narrowed, context: context, scratch: scratch)
    #expect(deep.size == plain.size)
    let pairs = zip(Self.channels(deep.narrowed), Self.channels(plain)).map { abs($0 - $1) }
    // Rounding before a curve is stretched with it: 0.7 of two stops make one step of 8 bits to three.
    #expect(pairs.max() ?? 99 <= 5, "\(name): \(pairs.max() ?? 99)")
    #expect(Double(pairs.reduce(0, +)) / Double(pairs.count) < 0.75, "\(name)")
  }

  @Test("An empty recipe changes nothing, and an effect has 8 bits")
  func neutral() throws {
    let source = Self.picture()
    let scratch = EffectScratch(threadCount: 1)
    let processor = try FrameProcessor(AdjustmentRecipe())
    let context = processor.context(.still, time: 0, fullSize: source.size)
    let same = try #require(try processor.render(source, context: context, scratch: scratch))
    #expect(
      source.withPixels { one in same.withPixels { other in (0..<source.size.area).allSatisfy { one[$0] == other[$0] } }
      })
    let effect = try #require(Effect.all.first)
    let drawn = try FrameProcessor(Self.recipe { $0.effect = AdjustmentRecipe.EffectSetting(effect, intensity: 1) })
    #expect(try drawn.render(source, context: context, scratch: scratch) == nil)
  }

  @Test("Shadows that are stretched keep the values between the steps of 8 bits")
  func fineness() throws {
    let size = PixelSize(width: 1024, height: 1)
    let source = DeepPixels(size) { pixels in
      for x in 0..<1024 { pixels[x] = DeepPixels.Pixel(repeating: UInt16(x * 8)) }
    }
    let processor = try FrameProcessor(Self.recipe { $0.adjustments.exposure = 2 })
    let context = processor.context(.still, time: 0, fullSize: size)
    let deep = try #require(try processor.render(source, context: context, scratch: EffectScratch(threadCount: 1)))
    let levels = deep.withPixels { pixels in Set((0..<1024).map { pixels[$0].x }) }
    #expect(levels.count > 1_000)
    // With 8 bits there are as many as the input had.
    let plain = try processor.render(source.narrowed, context: context, scratch: EffectScratch(threadCount: 1))
    #expect(Set(Self.channels(plain)).count < 40)
  }

  @Test("Narrowing and widening are exact", arguments: 1...8)
  func widths(orientation: Int) {
    let image = Self.picture(PixelSize(width: 7, height: 5)).narrowed
    #expect(Self.channels(DeepPixels(widening: image).narrowed) == Self.channels(image))
    let turned = DeepPixels(widening: image).upright(orientation: orientation).narrowed
    #expect(Self.channels(turned) == Self.channels(image.upright(orientation: orientation)))
  }
}
