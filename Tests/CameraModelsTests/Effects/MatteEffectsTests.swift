// Effects that need to know where people are: chosen, refused, remembered, and shown.

import CameraCore
import Foundation
import PhotoEffects
import PhotoLibrary
import TestSupport
import Testing

@testable import CameraModels

@MainActor @Suite(.timeLimit(.minutes(30))) struct MatteEffectsTests {
  private struct Missing: LocalizedError, CustomStringConvertible {
    var description: String { "The model cats.tflite isn’t installed." }
    var errorDescription: String? { description }
  }

  @Test("Without models they are refused in words, and the rest works")
  func refusal() async throws {
    let bench = try await EffectsBench(mattes: RampMattes(absence: Missing()))
    let model = bench.model
    let (portrait, comic) = (try Effect.named("portrait"), try Effect.named("comic"))
    model.choose(comic)
    model.choose(portrait)
    #expect(model.setting?.effect == comic)
    #expect(bench.models.messages.latestText.contains("The model cats.tflite isn’t installed."))
    model.setScope(.person)
    #expect(model.setting?.scope == .everywhere)
    #expect(model.reasonAgainstMattes == "The model cats.tflite isn’t installed.")
    // Whatever its strength: it could be raised.
    model.choose(.init(portrait, intensity: 0))
    #expect(model.setting?.effect == comic)
    try await bench.end()
  }

  @Test("One that was on stays off without models, and is remembered")
  func start() async throws {
    let remembered = AppSettings.ViewfinderEffect(identifier: "comic", intensity: 0.5, scope: "background")
    let without = try await EffectsBench(remembered, mattes: RampMattes(absence: Missing()))
    #expect(without.model.setting == nil)
    let text = without.models.messages.latestText
    #expect(text.contains("“Comic” is off") && text.contains("The model cats.tflite isn’t installed."), "\(text)")
    #expect(without.models.settings.values.viewfinderEffect == remembered)
    // Until somebody chooses none.
    without.model.choose(nil as Effect?)
    #expect(without.models.settings.values.viewfinderEffect == nil)
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
    var pending: [PendingEffect] = []
    while pending.count < 2 {
      await Task.yield()
      pending = try await bench.file.load()
    }
    #expect(pending.map(\.scope) == ["background", nil])
    try await bench.end()
  }

  @Test("When people can't be told anymore the effect ends, with the reason, and is remembered")
  func failure() async throws {
    let bench = try await EffectsBench(.init(identifier: "backdrop", intensity: 1), mattes: RampMattes())
    #expect(bench.model.setting != nil)
    bench.preview.failMattes(Missing())
    await bench.models.until { bench.model.setting == nil }
    #expect(bench.models.messages.latestText.contains("“Backdrop” is off"))
    #expect(bench.models.settings.values.viewfinderEffect?.identifier == "backdrop")
    #expect(bench.preview.recipes.last == .some(nil))
    // It is too late for an effect that needs no people.
    bench.model.choose(try Effect.named("noir"))
    bench.preview.failMattes(Missing())
    for _ in 0..<10 { await Task.yield() }
    #expect(bench.model.setting?.effect.identifier == "noir")
    try await bench.end()
  }

  @Test("A shot knows that somebody was there, whose face it may not show", arguments: [1, 0.4, nil])
  func personOfShot(presence: Double?) async throws {
    let bench = try await EffectsBench(.init(identifier: "stage", intensity: 1), mattes: RampMattes())
    await bench.models.model.start()
    bench.preview.setPresence(presence)
    let asset = try await bench.shoot().assetID
    bench.preview.setPresence(nil)
    try await bench.model.shots.waitForEffect(of: asset)
    var expected = AdjustmentRecipe(.init(try Effect.named("stage")))
    expected.hasPerson = presence == 1
    #expect(bench.saved == [expected])
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

  @Test("The editor refuses them without models, and passes over them")
  func editor() async throws {
    let bench = try await EditBench(mattes: RampMattes(absence: Missing()))
    let model = bench.model
    await bench.open()
    model.select(effect: try Effect.named("portrait"))
    #expect(model.recipe.effect == nil && model.problem?.contains("cats.tflite") == true)
    model.select(effect: try Effect.named("noir"))
    model.setScope(.person)
    #expect(model.recipe.effect?.scope == .everywhere)
    model.select(effect: try Effect.named("pixellate"))
    model.moveEffect(by: 1)
    #expect(model.recipe.effect?.effect.identifier == "noir")
    model.moveEffect(by: -1)
    #expect(model.recipe.effect?.effect.identifier == "pixellate")
    var look = AdjustmentRecipe(.init(try Effect.named("stage")))
    look.adjustments.exposure = 0.5
    model.problem = nil
    model.paste(look)
    #expect(model.recipe.effect?.effect.identifier == "pixellate" && model.recipe.adjustments.exposure == 0.5)
    #expect(model.problem != nil)
    try await bench.end()
  }

  @Test("An edit that can't be rendered here shows its picture at least")
  func pictureWithoutEffect() async throws {
    let bench = try await EditBench(mattes: RampMattes(absence: Missing()))
    bench.set { $0.recipe.effect = .init(Effect.all.first { $0.identifier == "portrait" }!) }
    await bench.open()
    #expect(bench.model.preview.image != nil)
    #expect(bench.model.preview.failure?.contains("cats.tflite") == true)
    try await bench.end()
  }

  @Test("The backdrop is remembered for a picture, and can be undone")
  func backdrop() async throws {
    let bench = try await EditBench(mattes: RampMattes())
    let model = bench.model
    let (backdrop, noir) = (try Effect.named("backdrop"), try Effect.named("noir"))
    await bench.open()
    model.setBackdrop(.scene(.sky))
    #expect(model.recipe.effect == nil)
    model.select(effect: backdrop)
    #expect(model.recipe.effect?.backdrop == .standard)
    model.setBackdrop(.scene(.aurora))
    model.select(effect: noir)
    #expect(model.recipe.effect?.backdrop == nil)
    model.select(effect: backdrop)
    #expect(model.recipe.effect?.backdrop == .scene(.aurora))
    model.undo()
    model.undo()
    model.undo()
    #expect(model.recipe.effect == .init(backdrop))
    try await bench.end()
    let effects = try await EffectsBench(
      .init(identifier: "backdrop", intensity: 1, backdrop: "sky"), mattes: RampMattes())
    #expect(effects.model.setting?.backdrop == .scene(.sky))
    effects.model.setBackdrop(.color(red: 1, green: 2, blue: 3))
    #expect(effects.models.settings.values.viewfinderEffect?.backdrop == "#010203")
    effects.model.choose(noir)
    effects.model.choose(backdrop)
    #expect(effects.model.setting?.backdrop == .color(red: 1, green: 2, blue: 3))
    try await effects.end()
  }

  @Test("A picture whose matte was kept has all effects without models, one with a movie doesn’t")
  func keptMatte() async throws {
    for hasMovie in [false, true] {
      let bench = try await EditBench(mattes: RampMattes(absence: Missing()))
      let matte = RampMattes.matte(of: PixelSize(width: 30, height: 20))
      bench.set {
        $0.recipe.effect = .init(Effect.all.first { $0.identifier == "stage" }!)
        $0.matte = matte
        if hasMovie { $0.movieRange = 0..<10 }
      }
      await bench.open()
      let model = bench.model
      #expect((model.reasonAgainstMattes == nil) == !hasMovie)
      model.select(effect: try Effect.named("portrait"))
      #expect((model.recipe.effect?.effect.identifier == "portrait") == !hasMovie)
      #expect((model.problem == nil) == !hasMovie)
      try await bench.end()
    }
  }

  @Test("Only what can be told is offered: skin where a provider gives it")
  func scopes() async throws {
    for kinds in [[MatteKind.person, .skin], [.person]] as [Set<MatteKind>] {
      let all: [EffectScope] = kinds.contains(.skin) ? EffectScope.allCases : [.everywhere, .person, .background]
      let bench = try await EditBench(mattes: RampMattes(kinds: kinds))
      await bench.open()
      let model = bench.model
      #expect(model.scopes == all)
      model.select(effect: try Effect.named("noir"))
      model.setScope(.skin)
      #expect((model.recipe.effect?.scope == .skin) == kinds.contains(.skin))
      #expect((model.problem == nil) == kinds.contains(.skin))
      #expect(model.canCorrectMatte == false)
      try await bench.end()
      let effects = try await EffectsBench(mattes: RampMattes(kinds: kinds))
      #expect(effects.model.scopes == all)
      try await effects.end()
    }
    // A kept matte is of the person.
    let bench = try await EditBench(mattes: RampMattes(absence: Missing(), kinds: [.person, .skin]))
    bench.set { $0.matte = RampMattes.matte(of: PixelSize(width: 30, height: 20)) }
    await bench.open()
    #expect(bench.model.scopes == [.everywhere, .person, .background])
    bench.model.select(effect: try Effect.named("noir"))
    bench.model.setScope(.skin)
    #expect(bench.model.recipe.effect?.scope == .everywhere && bench.model.problem?.contains("cats.tflite") == true)
    bench.model.setScope(.person)
    #expect(bench.model.recipe.effect?.scope == .person)
    try await bench.end()
    #expect(try await EffectsBench(mattes: RampMattes(absence: Missing())).model.scopes == [.everywhere])
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
