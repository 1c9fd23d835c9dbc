// Effects that need to know where people are: chosen, refused, remembered, and shown.

import CameraCore
import Foundation
import PhotoEffects
import PhotoLibrary
import TestSupport
import Testing

@testable import CameraModels

@MainActor @Suite(.timeLimit(.minutes(30))) struct MatteEffectsTests {
  private struct Missing: Error, CustomStringConvertible {
    var description: String { "the model cats.tflite isn’t installed" }
  }

  @Test("Without models they are refused in words, and the rest works")
  func refusal() async throws {
    let bench = try await EffectsBench(mattes: RampMattes(absence: Missing()))
    let model = bench.model
    let (portrait, comic) = (try Effect.named("portrait"), try Effect.named("comic"))
    model.choose(comic)
    model.choose(portrait)
    #expect(model.setting?.effect == comic)
    #expect(bench.models.messages.latestText.contains("the model cats.tflite isn’t installed"))
    model.setScope(.person)
    #expect(model.setting?.scope == .everywhere)
    #expect(model.reasonAgainstMattes?.contains("data/dev/models") == true)
    try await bench.end()
  }

  @Test("One that was on stays off without models, and is remembered")
  func start() async throws {
    let remembered = AppSettings.ViewfinderEffect(identifier: "comic", intensity: 0.5, scope: "background")
    let without = try await EffectsBench(remembered, mattes: RampMattes(absence: Missing()))
    #expect(without.model.setting == nil)
    #expect(without.models.settings.values.viewfinderEffect == remembered)
    try await without.end()
    let with = try await EffectsBench(remembered, mattes: RampMattes())
    #expect(with.model.setting == .init(try Effect.named("comic"), intensity: 0.5, scope: .background))
    with.model.setScope(.person)
    #expect(with.models.settings.values.viewfinderEffect?.scope == "person")
    // An effect for all of the picture has no part.
    with.model.choose(try Effect.named("mirror"))
    #expect(with.model.setting?.scope == .everywhere)
    with.model.setScope(.person)
    #expect(with.model.setting?.scope == .everywhere)
    try await with.end()
  }

  @Test("A shot's effect keeps its part until it is applied")
  func shots() async throws {
    let bench = try await EffectsBench(mattes: RampMattes())
    bench.model.shots.shotBegan("a", with: .init(try Effect.named("noir"), scope: .background))
    bench.model.shots.shotBegan("b", with: .init(try Effect.named("noir")))
    try await Task.sleep(nanoseconds: 200_000_000)
    let pending = try await bench.file.load()
    #expect(pending.map(\.scope) == ["background", nil])
    try await bench.end()
  }

  @Test("A picture's matte is found once for all strengths and effects")
  func matteOfAPicture() async throws {
    let size = PixelSize(width: 30, height: 10)
    let gray = FrameBlock(count: 4 * size.area) { $0.initializeMemory(as: UInt8.self, repeating: 128) }
    let picture = EditingImage(image: DecodedImage(size: size, stride: 120, block: gray), fullSize: size)
    let mattes = RampMattes()
    let worker = PreviewWorker(threadCount: 1, mattes: mattes)
    for (name, strength) in [("stage", 1.0), ("stage", 0.5), ("studio", 1)] {
      let recipe = AdjustmentRecipe(.init(try Effect.named(name), intensity: strength))
      let image = try await worker.render(recipe, of: picture, time: 0)
      _ = try await worker.thumbnail(recipe, of: picture)
      #expect(image.block.bytes[4 * 29] < 100 && image.block.bytes[0] >= 128)
    }
    #expect(mattes.questions.count == 1 && mattes.questions[0].quality == .still)
    // Another picture has another one.
    let other = EditingImage(
      image: DecodedImage(
        size: size, stride: 120,
        block: FrameBlock(count: 4 * size.area) { $0.initializeMemory(as: UInt8.self, repeating: 99) }), fullSize: size)
    _ = try await worker.render(AdjustmentRecipe(.init(try Effect.named("stage"))), of: other, time: 0)
    #expect(mattes.questions.count == 2)
  }

  @Test("The editor refuses them without models, and shows the picture at least")
  func editor() async throws {
    let bench = try await EditBench(mattes: RampMattes(absence: Missing()))
    let model = bench.model
    await bench.open()
    model.select(effect: try Effect.named("portrait"))
    #expect(model.recipe.effect == nil && model.problem?.contains("cats.tflite") == true)
    model.select(effect: try Effect.named("noir"))
    model.setScope(.person)
    #expect(model.recipe.effect?.scope == .everywhere)
    try await bench.end()
  }

  @Test("The editor sets the part, and it can be undone")
  func scope() async throws {
    let bench = try await EditBench(mattes: RampMattes())
    let model = bench.model
    await bench.open()
    model.select(effect: try Effect.named("noir"))
    model.setScope(.background)
    model.setIntensity(0.5)
    #expect(model.recipe.effect == .init(try Effect.named("noir"), intensity: 0.5, scope: .background))
    // The next effect has the same part, where it can.
    model.select(effect: try Effect.named("sepia"))
    #expect(model.recipe.effect?.scope == .background)
    model.select(effect: try Effect.named("mirror"))
    #expect(model.recipe.effect?.scope == .everywhere)
    model.undo()
    model.undo()
    model.undo()
    #expect(model.recipe.effect == .init(try Effect.named("noir"), scope: .background))
    model.undo()
    #expect(model.recipe.effect == .init(try Effect.named("noir")))
    try await bench.end()
  }
}
