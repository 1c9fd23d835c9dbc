// The viewfinder's effect: the choice, its persistence, and a page that costs nothing while it is closed.

import CameraCore
import EngineInterface
import Foundation
import PhotoEffects
import Testing

@testable import CameraModels

@MainActor
@Suite(.timeLimit(.minutes(30))) struct EffectsModelTests {
  private static let size = PixelSize(width: 216, height: 121)

  private func effect(_ name: String) throws -> Effect { try Effect.named(name) }

  @Test func nothingIsStartedBeforeThePageIsOpenAndNothingIsLeftAfterwards() async throws {
    let bench = try await EffectsBench()
    bench.model.open()
    #expect(!bench.model.isOpen, "there is no camera yet")
    await bench.models.model.start()
    bench.model.setVisible([nil], size: Self.size)
    #expect(bench.preview.recipes.isEmpty && bench.gallery.scenes.isEmpty)
    bench.model.toggle()
    #expect(bench.model.isOpen)
    #expect(bench.gallery.scenes.isEmpty, "nobody knows what is in sight")
    let (comic, noir) = (try effect("comic"), try effect("noir"))
    bench.model.setVisible([nil, comic], size: Self.size)
    bench.model.setVisible([comic, noir], size: Self.size)
    #expect(
      bench.gallery.scenes == [
        EffectGalleryScene(size: Self.size, isMirrored: true, settings: [nil, .init(comic)]),
        EffectGalleryScene(size: Self.size, isMirrored: true, settings: [.init(comic), .init(noir)]),
      ])
    bench.model.toggle()
    #expect(bench.gallery.scenes.count == 3 && bench.gallery.scenes.last == .some(nil))
    bench.model.setVisible([nil], size: Self.size)
    bench.model.close()
    #expect(bench.gallery.scenes.count == 3)
    #expect(bench.preview.recipes.isEmpty)
    try await bench.end()
  }

  @Test func thePageFollowsTheMirror() async throws {
    let bench = try await EffectsBench()
    await bench.models.model.start()
    bench.model.open()
    bench.model.setVisible([nil], size: Self.size)
    bench.models.model.setMirrorsViewfinder(false)
    while bench.gallery.scenes.count < 2 { await Task.yield() }
    #expect(
      bench.gallery.scenes.last == .some(EffectGalleryScene(size: Self.size, isMirrored: false, settings: [nil])))
    try await bench.end()
  }

  @Test func aCameraThatIsLostClosesThePage() async throws {
    let bench = try await EffectsBench()
    await bench.models.model.start()
    bench.model.open()
    bench.model.setVisible([nil], size: Self.size)
    await bench.models.model.setViewfinderVisible(false)
    #expect(!bench.model.isOpen && !bench.model.isAvailable)
    #expect(bench.gallery.scenes.last == .some(nil))
    await bench.models.model.setViewfinderVisible(true)
    #expect(!bench.model.isOpen && bench.model.isAvailable)
    try await bench.end()
  }

  @Test func aPickIsShownAndRemembered() async throws {
    let bench = try await EffectsBench()
    await bench.models.model.start()
    let comic = try effect("comic")
    bench.model.open()
    bench.model.pick(comic)
    #expect(!bench.model.isOpen && bench.model.title == "Comic" && bench.model.explanation.contains("Comic is on"))
    bench.model.setIntensity(0.25)
    #expect(bench.models.settings.values.viewfinderEffect?.intensity == 1, "a slider that moves writes no file")
    bench.model.intensityWasSet()
    #expect(bench.models.settings.values.viewfinderEffect == .init(identifier: "comic", intensity: 0.25))
    bench.model.setIntensity(7)
    bench.model.setIntensity(.nan)
    #expect(bench.model.setting?.intensity == 1)
    bench.model.setIntensity(0.25)
    bench.model.choose(nil as Effect?)
    #expect(bench.model.title == "Effects" && bench.models.settings.values.viewfinderEffect == nil)
    bench.model.setIntensity(0.5)
    #expect(bench.model.setting == nil)
    bench.model.choose(comic)
    #expect(bench.model.setting == .init(comic, intensity: 0.25), "as strong as it was")
    let strengths = bench.preview.recipes.map { $0?.effect?.intensity }
    #expect(strengths == [1, 0.25, 1, 0.25, nil, 0.25])
    #expect(bench.preview.recipes.allSatisfy { $0 == nil || $0 == AdjustmentRecipe($0?.effect) })
    try await bench.end()
  }

  @Test(arguments: [
    ("comic", 0.5, "comic", 0.5), ("comic", 9, "comic", 1), ("of-the-future", 1, nil, 1), ("", 1, nil, 1),
  ])
  func whatWasOnTheLastTimeIsOn(name: String, intensity: Double, wanted: String?, strength: Double) async throws {
    let bench = try await EffectsBench(.init(identifier: name, intensity: intensity))
    #expect(bench.model.setting?.effect.identifier == wanted)
    #expect(bench.preview.recipes.count == (wanted == nil ? 0 : 1))
    if wanted != nil { #expect(bench.model.setting?.intensity == strength) }
    try await bench.end()
  }
}
