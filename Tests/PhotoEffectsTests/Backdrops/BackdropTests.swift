// Backdrops: names, and pictures that are alike at every size.

import CameraCore
import Foundation
import TestSupport
import Testing

@testable import PhotoEffects

@Suite(.timeLimit(.minutes(30))) struct BackdropTests {
  private static func values(_ image: DecodedImage) -> [[Double]] {
    let bytes = image.block.bytes
    return (0..<image.size.area).map { index in (0..<3).map { Double(bytes[4 * index + $0]) } }
  }

  @Test("Names are read back", arguments: Backdrop.suggestions + [.color(red: 1, green: 2, blue: 0xff)])
  func names(_ backdrop: Backdrop) throws {
    #expect(try Backdrop(named: backdrop.name) == backdrop)
    #expect(!backdrop.title.isEmpty)
  }

  @Test(
    "Other names are refused, and the scenes listed",
    arguments: ["", "beach", "#12345", "#1234567", "#12345g", "1a5fb4", "Sunset"])
  func badNames(_ name: String) {
    #expect(throws: RecipeError.unknownBackdrop(name, known: BackdropScene.allCases.map(\.rawValue))) {
      try Backdrop(named: name)
    }
    #expect("\(RecipeError.unknownBackdrop(name, known: ["sunset"]))".contains("sunset"))
  }

  @Test("A small picture is the large one, reduced", arguments: BackdropScene.allCases)
  func sizes(_ scene: BackdropScene) throws {
    let large = try Backdrop.scene(scene).picture(of: PixelSize(width: 640, height: 360))
    let small = Self.values(try Backdrop.scene(scene).picture(of: PixelSize(width: 160, height: 90)))
    let reduced = Self.values(large.averaged(to: PixelSize(width: 160, height: 90)))
    let difference = zip(small, reduced).map { one, other in zip(one, other).map { abs($0 - $1) }.reduce(0, +) / 3 }
    #expect(difference.reduce(0, +) / Double(difference.count) < 5)
    // A scene is not a color.
    let first = small[0]
    #expect(small.contains { zip($0, first).contains { abs($0 - $1) > 20 } })
  }

  @Test("A wide picture shows more of the scene", arguments: BackdropScene.allCases)
  func shapes(_ scene: BackdropScene) throws {
    let wide = Self.values(try Backdrop.scene(scene).picture(of: PixelSize(width: 160, height: 90)))
    let narrow = Self.values(try Backdrop.scene(scene).picture(of: PixelSize(width: 60, height: 90)))
    for y in 0..<90 {
      for x in 0..<60 {
        for (one, other) in zip(narrow[y * 60 + x], wide[y * 160 + x + 50]) { #expect(abs(one - other) <= 2) }
      }
    }
  }

  @Test("Any size can be painted", arguments: BackdropScene.allCases)
  func anySize(_ scene: BackdropScene) throws {
    for (width, height) in [(1, 1), (1, 7), (9, 1), (3, 200), (300, 3)] {
      let size = PixelSize(width: width, height: height)
      let image = try Backdrop.scene(scene).picture(of: size)
      #expect(image.size == size && image.block.count == 4 * size.area)
    }
  }

  @Test("The person stands before it", arguments: [Backdrop.scene(.sunset), .color(red: 10, green: 200, blue: 30)])
  func effect(_ backdrop: Backdrop) throws {
    let size = PixelSize(width: 90, height: 60)
    let source = ProceduralScene.picture(90, 60)
    let processor = try FrameProcessor(AdjustmentRecipe(.init(try Effect.named("backdrop"), backdrop: backdrop)))
    var context = processor.context(.still, time: 0, fullSize: size)
    context.matte = RampMattes.matte(of: size)
    let result = try processor.render(source, context: context, scratch: EffectScratch())
    let picture = Self.values(try backdrop.picture(of: size))
    for y in 0..<60 {
      for x in 0..<28 { #expect(result[x, y] & 0xff_ffff == source[x, y] & 0xff_ffff) }
      for x in 62..<90 {
        let pixel = result[x, y]
        let values = [Double(pixel & 255), Double(pixel >> 8 & 255), Double(pixel >> 16 & 255)]
        #expect(values == picture[y * 90 + x])
      }
    }
  }

  @Test("Other effects have none") func otherEffects() throws {
    let setting = AdjustmentRecipe.EffectSetting(try Effect.named("noir"), backdrop: .scene(.sky))
    #expect(throws: RecipeError.badBackdrop(effect: "Noir")) { try AdjustmentRecipe(setting).validate() }
    let recipe = AdjustmentRecipe(.init(try Effect.named("backdrop"), intensity: 0.5, backdrop: .scene(.sky)))
    #expect(AdjustmentRecipe(.init(try Effect.named("backdrop"))).effect?.backdrop == .standard)
    let text = String(decoding: try recipe.data(), as: UTF8.self)
    #expect(text == #"{"effect":{"backdrop":"sky","intensity":0.5,"name":"backdrop"}}"#)
    #expect(try AdjustmentRecipeTests.read(text) == recipe)
  }
}
