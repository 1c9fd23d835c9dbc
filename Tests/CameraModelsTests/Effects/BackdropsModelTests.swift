// People's own backdrops in the models: chosen, shown, moved, remembered, and missing.

import CameraCore
import Foundation
import PhotoEffects
import PhotoLibrary
import TestSupport
import Testing

@testable import CameraModels

@MainActor @Suite(.timeLimit(.minutes(30))) struct BackdropsModelTests {
  private static func plain(_ shade: UInt8) -> DecodedImage {
    let size = PixelSize(width: 32, height: 16)
    let block = FrameBlock(count: 4 * size.area) { $0.initializeMemory(as: UInt8.self, repeating: shade) }
    return DecodedImage(size: size, stride: 4 * size.width, block: block)
  }

  /// The recipe that the viewfinder has, when it has a backdrop of one's own.
  private func shown(_ bench: EffectsBench) async -> AdjustmentRecipe.EffectSetting? {
    while true {
      if let effect = bench.preview.recipes.last??.effect, case .own = effect.backdrop { return effect }
      await Task.yield()
    }
  }

  @Test("One is shown as soon as it is read, and the room isn’t seen meanwhile")
  func viewfinder() async throws {
    let bench = try await EffectsBench(mattes: RampMattes())
    let kept = try await bench.models.library.keepBackdrop(Self.plain(99))
    let own = try #require(OwnBackdrop(id: kept.id))
    bench.model.choose(try Effect.named("backdrop"))
    bench.model.setBackdrop(.own(own))
    let meanwhile = bench.preview.recipes.last??.effect
    #expect(
      meanwhile?.effect.identifier == "backdrop" && meanwhile?.backdrop == .color(red: 0x77, green: 0x76, blue: 0x7b))
    #expect(await shown(bench)?.backdrop == .own(own))
    #expect(bench.models.settings.values.viewfinderEffect?.backdrop == Backdrop.own(own).name)
    // Moving it needs no reading, and is saved at its end.
    bench.model.moveBackdrop(to: .init(x: 10, y: 90))
    var moved = own
    moved.position = .init(x: 10, y: 90)
    #expect(bench.preview.recipes.last??.effect?.backdrop == .own(moved))
    #expect(bench.models.settings.values.viewfinderEffect?.backdrop == Backdrop.own(own).name)
    bench.model.intensityWasSet()
    #expect(bench.models.settings.values.viewfinderEffect?.backdrop == Backdrop.own(moved).name)
    // Another effect takes its place before it is read.
    let other = try await bench.models.library.keepBackdrop(Self.plain(50))
    bench.model.setBackdrop(try #require(OwnBackdrop(id: other.id).map { .own($0) }))
    bench.model.choose(try Effect.named("noir"))
    await bench.models.settings.saved()
    #expect(bench.preview.recipes.last??.effect?.effect.identifier == "noir")
    try await bench.end()
  }

  @Test("In place of a missing one there is another one, and a message")
  func missing() async throws {
    let name = "own:\(String(repeating: "0", count: 32)):fill:50,50"
    let bench = try await EffectsBench(
      .init(identifier: "backdrop", intensity: 1, backdrop: name), mattes: RampMattes())
    #expect(bench.preview.recipes.last??.effect?.effect.identifier == "backdrop")
    while bench.model.setting?.backdrop != .standard { await Task.yield() }
    #expect(bench.models.messages.latestText == RecipeError.missingBackdrop.description)
    #expect(bench.preview.recipes.last??.effect?.backdrop == .standard)
    try await bench.end()
  }

  @Test("A file becomes a backdrop, and another file says why it can’t")
  func files() async throws {
    let bench = try await EffectsBench(mattes: RampMattes())
    let model = try #require(bench.model.backdrops)
    let folder = bench.models.folder
    try Data("x".utf8).write(to: folder.appendingPathComponent("notes.jpg"))
    #expect(await model.add(folder.appendingPathComponent("notes.jpg")) == nil)
    #expect(bench.models.messages.latestText.contains("“notes.jpg” can’t be a backdrop."))
    #expect(!model.isAdding && model.kept.isEmpty)
    let kept = try await bench.models.library.keepBackdrop(Self.plain(99))
    let file = folder.appendingPathComponent("beach.jpg")
    try FileManager.default.copyItem(at: kept.url, to: file)
    let own = try #require(await model.add(file))
    #expect(model.kept.contains { $0.id == own.id })
    #expect(await model.picture(of: .own(own), PixelSize(width: 9, height: 9))?.size == PixelSize(width: 9, height: 9))
    try await bench.end()
  }

  @Test("In the editor a drag of it is one step")
  func editor() async throws {
    let bench = try await EditBench(mattes: RampMattes())
    let model = bench.model
    await bench.open()
    let kept = try await bench.library.library.keepBackdrop(Self.plain(99))
    let own = try #require(OwnBackdrop(id: kept.id))
    model.moveBackdrop(to: .center)
    #expect(model.recipe.isNeutral)
    model.select(effect: try Effect.named("backdrop"))
    model.setBackdrop(.own(own))
    for x in 40...60 { model.moveBackdrop(to: .init(x: x, y: 0)) }
    model.endStep()
    var expected = own
    expected.position = .init(x: 60, y: 0)
    #expect(model.recipe.effect?.backdrop == .own(expected))
    model.undo()
    #expect(model.recipe.effect?.backdrop == .own(own))
    await bench.model.preview.finished()
    #expect(model.preview.failure == nil)
    try await bench.end()
  }
}
