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
    bench.model.backdropWasMoved()
    #expect(bench.models.settings.values.viewfinderEffect?.backdrop == Backdrop.own(moved).name)
    bench.model.setBackdropFit(.fit)
    moved.fit = .fit
    // It comes back where it was.
    bench.model.setBackdrop(.scene(.sky))
    bench.model.chooseOwnBackdrop(own.id)
    #expect(bench.model.setting?.backdrop == .own(moved))
    // Another effect takes its place before another one is read, which isn't shown then.
    let other = try await bench.models.library.keepBackdrop(Self.plain(50))
    bench.model.chooseOwnBackdrop(other.id)
    bench.model.choose(try Effect.named("noir"))
    bench.model.choose(try Effect.named("backdrop"))
    bench.model.setBackdrop(.own(own))
    #expect(await shown(bench)?.backdrop == .own(own))
    #expect(!bench.preview.recipes.contains { $0?.effect?.backdrop == OwnBackdrop(id: other.id).map { .own($0) } })
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
    // The next start may find it.
    #expect(bench.models.settings.values.viewfinderEffect?.backdrop == name)
    try await bench.end()
  }

  @Test("A file becomes a backdrop, and another file says why it can’t")
  func files() async throws {
    let bench = try await EffectsBench(mattes: RampMattes())
    let model = try #require(bench.model.backdrops)
    let folder = bench.models.folder
    try Data("x".utf8).write(to: folder.appendingPathComponent("notes.jpg"))
    bench.model.choose(try Effect.named("backdrop"))
    await bench.model.addBackdrop(folder.appendingPathComponent("notes.jpg"))
    #expect(bench.models.messages.latestText.contains("“notes.jpg” can’t be a backdrop."))
    #expect(model.progress == nil && model.kept.isEmpty && bench.model.setting?.backdrop == .standard)
    let kept = try await bench.models.library.keepBackdrop(Self.plain(99))
    let file = folder.appendingPathComponent("beach.jpg")
    try FileManager.default.copyItem(at: kept.url, to: file)
    await bench.model.addBackdrop(file)
    guard case .own(let own) = bench.model.setting?.backdrop else {
      Issue.record("It is chosen.")
      return
    }
    #expect(model.kept.contains { $0.id == own.id } && model.progress == nil)
    #expect(model.kept.allSatisfy { !BackdropsModel.title(of: $0).isEmpty })
    #expect(await model.picture(of: .own(own), PixelSize(width: 9, height: 9))?.size == PixelSize(width: 9, height: 9))
    try await bench.end()
  }

  @Test("A choice that was made meanwhile stays")
  func superseded() async throws {
    let bench = try await EditBench(photos: 2, mattes: RampMattes())
    let model = bench.model
    let kept = try await bench.library.library.keepBackdrop(Self.plain(99))
    let file = bench.library.folder.appendingPathComponent("beach.jpg")
    try FileManager.default.copyItem(at: kept.url, to: file)
    bench.set { $0.recipe.effect = .init(Effect.all.first { $0.identifier == "backdrop" }!) }
    await bench.open()
    async let added: Void = model.addBackdrop(file)
    while model.backdrops?.progress == nil { await Task.yield() }
    model.setBackdrop(.scene(.sky))
    await added
    #expect(model.recipe.effect?.backdrop == .scene(.sky))
    // Of another picture, too, and nothing is said there.
    async let again: Void = model.addBackdrop(bench.library.folder.appendingPathComponent("missing.jpg"))
    while model.backdrops?.progress == nil { await Task.yield() }
    model.cancel()
    await model.confirm()
    await bench.open(1)
    await again
    #expect(model.recipe.effect?.backdrop == .standard && model.problem == nil)
    // What is wrong with a file is said in the editor itself.
    await model.addBackdrop(bench.library.folder.appendingPathComponent("missing.jpg"))
    #expect(model.problem?.contains("“missing.jpg” can’t be a backdrop.") == true)
    try await bench.end()
  }

  @Test("A shot’s movie goes on from where the viewfinder’s is", arguments: [false, true])
  func moment(isLive: Bool) async throws {
    let bench = try await EffectsBench(mattes: RampMattes())
    if isLive { bench.set { $0.movieRange = 0..<10 } }
    await bench.models.model.start()
    let movie = BackdropMovie()
    for second in 1...3 { try movie.add(Self.plain(UInt8(50 * second)), until: Double(second)) }
    let kept = try await bench.models.library.keepBackdrop(movie)
    bench.model.choose(try Effect.named("backdrop"))
    bench.model.setBackdrop(.own(try #require(OwnBackdrop(id: kept.id))))
    _ = await shown(bench)
    // 3 seconds long, so that this is 2.25 s from its beginning.
    let setting = try #require(bench.model.settingOfShot(at: MonotonicTime(nanoseconds: 302_250_000_000)))
    #expect(setting.backdrop == OwnBackdrop(id: kept.id, start: 225).map { .own($0) })
    #expect(bench.model.setting?.backdrop == OwnBackdrop(id: kept.id).map { .own($0) })
    let saved = try await bench.shoot()
    try await bench.model.shots.waitForEffect(of: saved.assetID)
    guard case .own(let own)? = bench.saved.first?.effect?.backdrop else {
      Issue.record("It is the shot's.")
      return
    }
    #expect(own.id == kept.id && 0..<300 ~= own.start)
    // The movie of a live photo begins 1.5 s before its still.
    bench.model.shots.shotBegan(saved.assetID, with: setting)
    bench.model.shots.shotWasSaved(saved.assetID)
    try await bench.model.shots.waitForEffect(of: saved.assetID)
    #expect(bench.saved.last?.ownBackdrop?.start == (isLive ? 75 : 225))
    try await bench.end()
  }

  @Test("One that is removed goes from the viewfinder, unless a shot needs it")
  func removal() async throws {
    let bench = try await EffectsBench(mattes: RampMattes())
    let kept = try await bench.models.library.keepBackdrop(Self.plain(99))
    let own = try #require(OwnBackdrop(id: kept.id))
    bench.model.choose(try Effect.named("backdrop"))
    bench.model.setBackdrop(.own(own))
    _ = await shown(bench)
    let setting = try #require(bench.model.setting)
    bench.model.shots.shotBegan("a", with: setting)
    await bench.model.removeBackdrop()
    #expect(bench.model.setting?.backdrop == .own(own))
    #expect(bench.models.messages.latestText == PhotoLibraryError.backdropInUse(count: 1).description)
    bench.model.shots.shotFailed("a")
    let backdrops = try #require(bench.model.backdrops)
    // From somewhere else.
    try await backdrops.remove(kept.id)
    while bench.model.setting?.backdrop != .standard { await Task.yield() }
    #expect(bench.models.settings.values.viewfinderEffect?.backdrop == Backdrop.standard.name)
    #expect(bench.preview.recipes.last??.effect?.backdrop == .standard)
    try await bench.end()
  }

  @Test("A look with a backdrop that isn’t here leaves the effect out, with the reason")
  func missingLook() async throws {
    let bench = try await EditBench(mattes: RampMattes())
    await bench.open()
    let own = try #require(OwnBackdrop(id: String(repeating: "5", count: 32)))
    var look = AdjustmentRecipe(.init(try Effect.named("backdrop"), backdrop: .own(own)))
    look.adjustments.exposure = 0.5
    bench.model.paste(look)
    #expect(bench.model.recipe.effect == nil && bench.model.recipe.adjustments.exposure == 0.5)
    #expect(bench.model.problem == RecipeError.missingBackdrop.description)
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
