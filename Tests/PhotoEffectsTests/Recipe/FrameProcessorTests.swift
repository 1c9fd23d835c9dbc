// A recipe on pictures: order, sizes, and the neutral recipe.

import CameraCore
import Foundation
import TestSupport
import Testing

@testable import PhotoEffects

@Suite struct FrameProcessorTests {
  static func rendered(_ source: PixelBuffer, _ recipe: AdjustmentRecipe, isEven: Bool = false) throws -> PixelBuffer {
    let processor = try FrameProcessor(recipe, isEven: isEven)
    let context = processor.context(.still, time: 0, fullSize: source.size)
    return try processor.render(source, context: context, scratch: EffectScratch())
  }

  @Test func anEmptyRecipeCopiesEveryByte() throws {
    for (width, height) in [(1, 1), (7, 5), (64, 48)] {
      let source = ProceduralScene.noise(width, height)
      #expect(try Self.rendered(source, AdjustmentRecipe()) == source)
    }
    // Settings of the movie change no pixel.
    var recipe = AdjustmentRecipe()
    recipe.keyPhotoTime = 1
    recipe.isMuted = true
    recipe.playbackStyle = .bounce
    let source = ProceduralScene.noise(20, 10)
    #expect(try Self.rendered(source, recipe) == source)
  }

  @Test func theOrderIsGeometryAdjustmentsEffectVignette() throws {
    let source = ProceduralScene.picture(90, 60)
    var recipe = AdjustmentRecipe()
    recipe.geometry.turn = .right
    recipe.geometry.crop = Geometry.Crop(x: 0, y: 0.1, width: 0.9, height: 0.7)
    recipe.adjustments.exposure = 0.4
    recipe.adjustments.saturation = 0.5
    recipe.adjustments.sharpness = 0.5
    recipe.adjustments.vignette = 0.8
    recipe.effect = AdjustmentRecipe.EffectSetting(try Effect.named("thermal"), intensity: 0.7)

    var expected = try GeometryTests.render(source, recipe.geometry)
    var before = recipe.adjustments
    before.vignette = 0
    expected = expected.applying(before).applying(ColorEffect(.thermal), intensity: 0.7)
    var after = Adjustments()
    after.vignette = 0.8
    expected = expected.applying(after)
    #expect(try Self.rendered(source, recipe) == expected)

    recipe.effect?.intensity = 0
    let withoutEffect = try GeometryTests.render(source, recipe.geometry).applying(recipe.adjustments)
    #expect(try Self.rendered(source, recipe) == withoutEffect)
  }

  @Test func moviesAreEven() throws {
    var recipe = AdjustmentRecipe()
    recipe.geometry.crop = Geometry.Crop(x: 0.1, y: 0.1, width: 0.51, height: 0.37)
    let processor = try FrameProcessor(recipe, isEven: true)
    for width in 2...60 {
      let size = processor.outputSize(for: PixelSize(width: width, height: 61 - width + 1))
      #expect(size.width % 2 == 0 && size.height % 2 == 0)
    }
    let source = ProceduralScene.noise(15, 9)
    let result = try Self.rendered(source, AdjustmentRecipe(), isEven: true)
    #expect(result.size == PixelSize(width: 14, height: 8))
    #expect((0..<8).allSatisfy { y in (0..<14).allSatisfy { result[$0, y] == source[$0, y] } })
  }

  @Test func theContextHasTheSizeThatIsSaved() throws {
    var recipe = AdjustmentRecipe()
    recipe.geometry.turn = .left
    let processor = try FrameProcessor(recipe)
    let context = processor.context(.movieFrame, time: 1.5, fullSize: PixelSize(width: 1920, height: 1080))
    #expect(context == FrameContext(kind: .movieFrame, time: 1.5, fullSize: PixelSize(width: 1080, height: 1920)))
  }

  @Test func aWrongTargetIsRefusedAndLeftAlone() throws {
    var recipe = AdjustmentRecipe()
    recipe.geometry.turn = .right
    recipe.adjustments.exposure = 1
    let processor = try FrameProcessor(recipe)
    var source = ProceduralScene.noise(8, 6)
    var target = PixelBuffer(size: PixelSize(width: 8, height: 6), color: 3)
    let context = processor.context(.still, time: 0, fullSize: source.size)
    #expect(throws: RecipeError.self) {
      try source.withView { source in
        try target.withView { try processor.render(source, into: $0, context: context, scratch: EffectScratch()) }
      }
    }
    #expect(target.pixels.allSatisfy { $0 == 3 })
  }

  @Test func longSidesAreRenderedToTheLastPixelOrRefused() throws {
    var recipe = AdjustmentRecipe()
    recipe.effect = AdjustmentRecipe.EffectSetting(try Effect.named("fisheye"), intensity: 1e-7)
    let source = ProceduralScene.noise(FrameProcessor.longestSide, 2)
    // So little of an effect moves nothing: the far end is still the far end.
    #expect(ProceduralScene.distance(try Self.rendered(source, recipe), source) == 0)
    #expect(throws: RecipeError.tooLarge(size: "32768x1", longestSide: 32767)) {
      try Self.rendered(ProceduralScene.noise(32768, 1), recipe)
    }
  }

  /// One processor, several threads, pictures of several sizes: as if each had been alone.
  @Test func severalThreadsUseOneProcessor() throws {
    var recipe = AdjustmentRecipe()
    recipe.adjustments.sharpness = 1
    recipe.adjustments.shadows = 0.5
    recipe.effect = AdjustmentRecipe.EffectSetting(try Effect.named("bulge"))
    let processor = try FrameProcessor(recipe)
    let pictures = (0..<12).map { ProceduralScene.noise(20 + 7 * $0, 60 - 3 * $0, seed: UInt64($0)) }
    let alone = try pictures.map {
      try processor.render(
        $0, context: processor.context(.movieFrame, time: 0, fullSize: $0.size), scratch: EffectScratch())
    }
    let results = ResultsBox(count: pictures.count)
    DispatchQueue.concurrentPerform(iterations: 3) { thread in
      let scratch = EffectScratch()
      for index in stride(from: thread, to: pictures.count, by: 3) {
        let context = processor.context(.movieFrame, time: 0, fullSize: pictures[index].size)
        results.set(try? processor.render(pictures[index], context: context, scratch: scratch), at: index)
      }
    }
    #expect(results.all == alone)
  }

  /// A preview is the full picture, made smaller: here the one is the middle pixel of three by three of the other.
  @Test(arguments: 0..<8) func aPreviewLooksTheSame(seed: UInt64) throws {
    var numbers = SeededNumbers(state: 50 + seed)
    var recipe = AdjustmentRecipe()
    recipe.adjustments = AdjustmentTests.random(&numbers)
    recipe.effect = AdjustmentRecipe.EffectSetting(try Effect.named(seed % 2 == 0 ? "fade" : "twirl"), intensity: 0.6)
    recipe.geometry.turn = Geometry.Turn.allCases[Int(seed) % 4]
    recipe.geometry.straighten = seed < 4 ? 0 : 8
    let fullSize = PixelSize(width: 360, height: 240)
    let processor = try FrameProcessor(recipe)
    let context = processor.context(.still, time: 0, fullSize: fullSize)
    let full = try processor.render(
      ProceduralScene.picture(360, 240), context: context, scratch: EffectScratch())
    let preview = try processor.render(
      ProceduralScene.picture(120, 80), context: context, scratch: EffectScratch())
    var far = 0
    for y in 0..<preview.size.height {
      for x in 0..<preview.size.width {
        let same = full[min(3 * x + 1, full.size.width - 1), min(3 * y + 1, full.size.height - 1)]
        if ProceduralScene.distance(same, preview[x, y]) > 10 { far += 1 }
      }
    }
    // The rim of the round shape alone.
    #expect(far < preview.pixels.count / 16)
  }
}

/// Results that several threads write.
private final class ResultsBox: @unchecked Sendable {  // Each access holds the lock.
  private let lock = NSLock()
  private var results: [PixelBuffer?]

  init(count: Int) { results = [PixelBuffer?](repeating: nil, count: count) }

  func set(_ result: PixelBuffer?, at index: Int) { lock.withLock { results[index] = result } }
  var all: [PixelBuffer?] { lock.withLock { results } }
}
