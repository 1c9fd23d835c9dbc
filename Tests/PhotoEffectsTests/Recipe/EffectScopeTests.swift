// Effects on the person or the background alone.

import CameraCore
import Foundation
import TestSupport
import Testing

@testable import PhotoEffects

@Suite(.timeLimit(.minutes(30))) struct EffectScopeTests {
  private static func rendered(
    _ source: PixelBuffer, _ recipe: AdjustmentRecipe, presence: Double = 1, matte: PixelSize? = nil, threads: Int = 1
  ) throws -> PixelBuffer {
    let processor = try FrameProcessor(recipe)
    var context = processor.context(.still, time: 0, fullSize: source.size)
    context.matte = RampMattes.matte(of: matte ?? source.size, presence: presence)
    return try processor.render(source, context: context, scratch: EffectScratch(threadCount: threads))
  }

  private static func recipe(_ name: String, on scope: EffectScope) throws -> AdjustmentRecipe {
    AdjustmentRecipe(.init(try Effect.named(name), scope: scope))
  }

  private static func isNear(_ one: UInt32, _ other: UInt32, within limit: Int) -> Bool {
    (0..<3).allSatisfy { abs(channel(one, $0) - channel(other, $0)) <= limit }
  }

  private static func channel(_ pixel: UInt32, _ index: Int) -> Int {
    let shifted: UInt32 = pixel >> UInt32(index * 8)
    return Int(shifted & 255)
  }

  @Test("Person and background together are everywhere", arguments: Effect.all.filter(\.hasScope))
  func parts(_ effect: Effect) throws {
    let source = ProceduralScene.picture(90, 60)
    let whole = try Self.rendered(source, Self.recipe(effect.identifier, on: .everywhere))
    let person = try Self.rendered(source, Self.recipe(effect.identifier, on: .person))
    let background = try Self.rendered(source, Self.recipe(effect.identifier, on: .background))
    for y in 0..<60 {
      for x in 0..<90 where x < 30 || x >= 60 {
        // The unused byte is the effect's own.
        let (own, changed) = (source[x, y] & 0xff_ffff, whole[x, y] & 0xff_ffff)
        #expect(person[x, y] & 0xff_ffff == (x < 30 ? changed : own))
        #expect(background[x, y] & 0xff_ffff == (x < 30 ? own : changed))
      }
    }
  }

  @Test("Skin has a matte of its own, which strokes on the person don’t change")
  func skin() throws {
    let source = ProceduralScene.picture(90, 60)
    #expect(
      try Self.rendered(source, Self.recipe("sepia", on: .skin))
        == Self.rendered(source, Self.recipe("sepia", on: .person)))
    let mattes = RampMattes(kinds: [.person, .skin])
    for (scope, kind) in [(EffectScope.skin, MatteKind.skin), (.person, .person), (.background, .person)] {
      var recipe = try Self.recipe("sepia", on: scope)
      let point = MatteStroke.Point(x: 0.9, y: 0.5)
      recipe.matteStrokes = [MatteStroke(.add, radius: 0.1, points: [point])]
      let processor = try FrameProcessor(recipe, mattes: mattes)
      #expect(processor.matteKind == kind)
      let (picture, bytes) = (PixelSize(width: 30, height: 20), [UInt8](repeating: 0, count: 4 * 600))
      let matte = try bytes.withUnsafeBytes {
        try processor.makeTracker(.still).matte(of: LentPixels($0, size: picture, stride: 120), time: 0)
      }
      #expect(mattes.questions.last?.kind == kind)
      #expect((processor.corrected(matte) == matte) == (kind == .skin))
    }
    #expect(
      try AdjustmentRecipeTests.read(#"{"effect":{"name":"sepia","intensity":1,"on":"skin"}}"#).effect?.scope == .skin)
  }

  @Test("Somebody is expected in the still that was taken, and at the beginning of the movie")
  func expected() throws {
    var recipe = try Self.recipe("stage", on: .everywhere)
    recipe.hasPerson = true
    for (quality, start, isExpected) in [
      (MatteQuality.still, 0, true), (.movie, 0.03, true), (.live, 5, false),
    ] {
      let mattes = RampMattes()
      _ = try FrameProcessor(recipe, mattes: mattes).makeTracker(quality, from: start)
      #expect(mattes.expectations == (isExpected ? 1 : 0))
    }
    recipe.keyPhotoTime = 1
    #expect(recipe.hasPerson && !recipe.withoutMovieChanges.hasPerson)
    let pasted = recipe.pasted(onto: AdjustmentRecipe())
    #expect(!pasted.hasPerson)
  }

  @Test("Between them both are mixed by the matte") func softEdge() throws {
    let source = ProceduralScene.picture(90, 60)
    let whole = try Self.rendered(source, Self.recipe("x-ray", on: .everywhere))
    let person = try Self.rendered(source, Self.recipe("x-ray", on: .person))
    for x in 30..<60 {
      let share = 2 - 3 * (Double(x) + 0.5) / 90
      let expected = (0..<3).map { channel -> Double in
        let own = Double(Self.channel(source[x, 7], channel))
        let changed = Double(Self.channel(whole[x, 7], channel))
        return own + (changed - own) * share
      }
      for channel in 0..<3 {
        #expect(abs(Double(Self.channel(person[x, 7], channel)) - expected[channel]) < 2)
      }
    }
  }

  @Test("With nobody there nothing changes", arguments: ["noir", "portrait", "studio", "stage", "color-pop"])
  func nobody(_ name: String) throws {
    let source = ProceduralScene.noise(40, 30)
    let effect = try Effect.named(name)
    for scope in EffectScope.allCases where effect.hasScope || scope == .everywhere {
      let recipe = try Self.recipe(name, on: scope)
      guard recipe.effect?.needsMatte == true else { continue }
      #expect(try Self.rendered(source, recipe, presence: 0) == source)
      #expect(try Self.rendered(source, recipe, presence: 1) != source)
    }
  }

  @Test("The matte goes where the geometry puts the person", arguments: 0..<40)
  func geometry(_ seed: UInt64) throws {
    var numbers = SeededNumbers(state: seed)
    let source = ProceduralScene.noise(64, 48)
    let colored = try Self.rendered(source, Self.recipe("sepia", on: .background))
    var recipe = try Self.recipe("sepia", on: .background)
    recipe.geometry = GeometryTests.random(&numbers)
    // A color of each pixel alone: it doesn't matter what comes first.
    let expected = try GeometryTests.render(colored, recipe.geometry)
    #expect(try Self.rendered(source, recipe) == expected)
    #expect(try Self.rendered(source, recipe, threads: 3) == expected)
  }

  @Test("A smaller matte serves a larger picture") func sizes() throws {
    let source = ProceduralScene.picture(90, 60)
    let recipe = try Self.recipe("mono", on: .person)
    let (whole, small) = (
      try Self.rendered(source, recipe), try Self.rendered(source, recipe, matte: PixelSize(width: 30, height: 20))
    )
    for index in whole.pixels.indices { #expect(Self.isNear(whole.pixels[index], small.pixels[index], within: 6)) }
  }

  @Test("Transparent pictures, too") func transparency() throws {
    let size = PixelSize(width: 30, height: 20)
    let source = ProceduralScene.noise(30, 20)
    func image(_ picture: PixelBuffer) -> DecodedImage {
      DecodedImage(
        size: picture.size, stride: picture.size.width * 4,
        block: FrameBlock(count: picture.size.area * 4) { bytes in
          picture.pixels.withUnsafeBytes { bytes.copyMemory(from: $0) }
        })
    }
    let alpha = try #require(
      AlphaPlane(
        size: size, block: FrameBlock(count: size.area) { $0.initializeMemory(as: UInt8.self, repeating: 254) }))
    var recipe = try Self.recipe("noir", on: .person)
    recipe.geometry.turn = .right
    let processor = try FrameProcessor(recipe)
    var context = processor.context(.still, time: 0, fullSize: size)
    context.matte = RampMattes.matte(of: size)
    let result = try processor.render(image(source), alpha, context: context, scratch: EffectScratch())
    let expected = try Self.rendered(source, recipe)
    let bytes = result.block.bytes
    for index in expected.pixels.indices {
      for place in 0..<3 {
        #expect(abs(Int(bytes[4 * index + place]) - Self.channel(expected.pixels[index], place)) <= 3)
      }
    }
  }

  @Test("Without mattes there is a reason") func absence() throws {
    let source = ProceduralScene.noise(8, 8)
    for recipe in [try Self.recipe("portrait", on: .everywhere), try Self.recipe("noir", on: .person)] {
      let processor = try FrameProcessor(recipe)
      #expect(processor.needsMatte)
      #expect(throws: RecipeError.noMattes) { try processor.makeTracker(.still) }
      #expect(throws: RecipeError.noMattes) {
        try processor.render(
          source, context: processor.context(.still, time: 0, fullSize: source.size), scratch: EffectScratch())
      }
    }
    #expect(try !FrameProcessor(Self.recipe("noir", on: .everywhere)).needsMatte)
    var weak = try Self.recipe("portrait", on: .everywhere)
    weak.effect?.intensity = 0
    #expect(try !FrameProcessor(weak).needsMatte)
  }

  @Test("What moves pixels, or is about both, has no parts", arguments: ["mirror", "bulge", "portrait", "stage"])
  func whole(_ name: String) throws {
    let effect = try Effect.named(name)
    #expect(!effect.hasScope)
    #expect(throws: RecipeError.badScope(effect: effect.title)) { try Self.recipe(name, on: .person).validate() }
  }
}
