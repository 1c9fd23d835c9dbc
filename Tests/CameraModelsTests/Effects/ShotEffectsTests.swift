// Pending effects of shots: applied as edits, in order, and never lost.

import CameraCore
import Foundation
import PhotoEffects
import Testing

@testable import CameraModels
@testable import PhotoLibrary

@MainActor
@Suite(.timeLimit(.minutes(30))) struct ShotEffectsTests {
  private static let comic = AppSettings.ViewfinderEffect(identifier: "comic", intensity: 0.5)

  private func recipe(_ name: String, _ intensity: Double = 1) throws -> AdjustmentRecipe {
    AdjustmentRecipe(.init(try Effect.named(name), intensity: intensity))
  }

  private func exists(_ file: ShotEffectFile) -> Bool { FileManager.default.fileExists(atPath: file.url.path) }

  @Test func aShotGetsTheEffectThatWasOnWhenItWasPressed() async throws {
    let bench = try await EffectsBench(Self.comic)
    await bench.models.model.start()
    let shot = try #require(bench.models.model.takePhoto())
    #expect(bench.model.shots.waiting == [shot.assetID])
    bench.model.choose(try Effect.named("noir"))
    bench.models.expose(bench.models.captures[0])
    let first = try await shot.saved
    try await bench.model.shots.waitForEffect(of: first.assetID)
    let second = try await bench.shoot()
    try await bench.model.shots.waitForEffect(of: second.assetID)
    bench.model.choose(nil as Effect?)
    let third = try await bench.shoot()
    try await bench.model.shots.waitForEffect(of: third.assetID)
    #expect(try bench.saved == [recipe("comic", 0.5), recipe("noir")])
    await bench.model.shots.finished()
    #expect(bench.model.shots.waiting.isEmpty && !exists(bench.file))
    #expect(bench.models.messages.messages.isEmpty)
    try await bench.end()
  }

  @Test func aLivePhotoGetsItOnceItsMovieIsThere() async throws {
    let bench = try await EffectsBench(Self.comic)
    await bench.models.model.start()
    await bench.models.model.live.setOn(true)
    let shot = try #require(bench.models.model.takePhoto())
    let capture = bench.models.captures[0]
    bench.models.expose(capture)
    await bench.models.until { bench.models.model.live.rollingCount == 1 }
    #expect(bench.saved.isEmpty)
    capture.sink.yield(.movieRecorded)
    capture.sink.yield(.movie(try SampleMedia.movie(in: bench.models.library.movieFolder)))
    capture.sink.finish()
    #expect(try await shot.saved.isLive)
    try await bench.model.shots.waitForEffect(of: shot.assetID)
    #expect(try bench.saved == [recipe("comic", 0.5)])
    try await bench.end()
  }

  @Test func theNextShotWaitsForNothing() async throws {
    let bench = try await EffectsBench(Self.comic)
    await bench.models.model.start()
    let (gate, open) = AsyncStream.makeStream(of: Void.self)
    bench.set { $0.gate = gate }
    for _ in 0..<3 { #expect(FileManager.default.fileExists(atPath: try await bench.shoot().url.path)) }
    await bench.models.until { bench.models.model.activity == .idle }
    #expect(bench.saved.isEmpty && bench.model.shots.waiting.count == 3)
    for _ in 0..<3 { open.yield() }
    open.finish()
    await bench.model.shots.finished()
    #expect(bench.saved.count == 3)
    try await bench.end()
  }

  @Test func aFailureIsSaidWithWhatCanBeDoneAndTheShotIsThere() async throws {
    let bench = try await EffectsBench(Self.comic)
    await bench.models.model.start()
    bench.set { $0.saving = .diskFull(path: "/tmp") }
    let saved = try await bench.shoot()
    await #expect(throws: PhotoLibraryError.diskFull(path: "/tmp")) {
      try await bench.model.shots.waitForEffect(of: saved.assetID)
    }
    let text = try #require(bench.models.messages.takeNext()?.text)
    #expect(text.contains(saved.url.lastPathComponent) && text.contains("saved without “Comic”"))
    #expect(text.contains("is full"))
    await #expect(throws: PhotoLibraryError.self, "also for who asks later") {
      try await bench.model.shots.waitForEffect(of: saved.assetID)
    }
    bench.set { $0.saving = nil }
    try await bench.model.shots.waitForEffect(of: try await bench.shoot().assetID)
    #expect(bench.saved.count == 1)
    try await bench.end()
  }

  @Test func aShotThatFailsLeavesNoWish() async throws {
    let bench = try await EffectsBench(Self.comic)
    await bench.models.model.start()
    let shot = try #require(bench.models.model.takePhoto())
    bench.models.captures[0].sink.finish()
    await #expect(throws: CameraError.self) { try await shot.saved }
    await bench.models.until { bench.model.shots.waiting.isEmpty }
    await bench.model.shots.finished()
    #expect(!exists(bench.file) && bench.saved.isEmpty)
    try await bench.end()
  }

  @Test func whatSomebodyEditedMeanwhileStays() async throws {
    let bench = try await EffectsBench(Self.comic)
    await bench.models.model.start()
    let other = try recipe("sepia")
    bench.set { $0.recipe = other }
    try await bench.model.shots.waitForEffect(of: try await bench.shoot().assetID)
    #expect(bench.saved.isEmpty)
    try await bench.end()
  }

  @Test func theEditorWaitsForTheEffect() async throws {
    let bench = try await EffectsBench(Self.comic)
    await bench.models.model.start()
    let (gate, open) = AsyncStream.makeStream(of: Void.self)
    bench.set { $0.gate = gate }
    let saved = try await bench.shoot()
    let asset = try #require(try await bench.models.library.assets(idPrefix: saved.assetID).first)
    let editor = EditModel(
      editing: bench.editing, library: bench.models.library, reader: ScriptedFrames(), players: ScriptedPlayers(),
      messages: bench.models.messages)
    editor.waitForPendingEffect = { id in try? await bench.model.shots.waitForEffect(of: id) }
    let opening = Task { await editor.open(asset) }
    await bench.models.until { editor.state == .opening }
    #expect(bench.saved.isEmpty)
    open.yield()
    open.finish()
    await opening.value
    #expect(editor.state == .editing && bench.saved.count == 1)
    editor.cancel()
    try await bench.end()
  }

  // MARK: Ends of the program

  @Test func whatWasLeftUndoneIsDoneAtTheNextStart() async throws {
    let bench = try await EffectsBench()
    await bench.models.model.start()
    let asset = try await bench.shoot().assetID
    let folder = bench.models.library.folder.path
    let foreign = PendingEffect(asset: "00", library: "/elsewhere", effect: "comic", intensity: 1)
    let missing = PendingEffect(asset: "ffff", library: folder, effect: "comic", intensity: 1)
    try await bench.file.save([
      foreign, missing, PendingEffect(asset: asset, library: folder, effect: "noir", intensity: 0.5, attempts: 1),
    ])
    let next = bench.nextRun()
    await next.resume()
    try await next.waitForEffect(of: asset)
    await next.finished()
    #expect(try bench.saved == [recipe("noir", 0.5)])
    // Those of other libraries stay, and a missing shot is looked up once more.
    var later = missing
    later.attempts = 1
    #expect(Set(try await bench.file.load()) == [foreign, later])
    #expect(bench.models.messages.messages.isEmpty)
    try await bench.end()
  }

  @Test func anIndexThatCannotBeReadCostsNoEffect() async throws {
    let bench = try await EffectsBench()
    await bench.models.model.start()
    let asset = try await bench.shoot().assetID
    let item = PendingEffect(
      asset: asset, library: bench.models.library.folder.path, effect: "noir", intensity: 1, attempts: 2)
    try await bench.file.save([item])
    try bench.models.library.index.writing { try $0.execute(sql: "ALTER TABLE asset RENAME TO away") }
    let next = bench.nextRun()
    await next.resume()
    await next.finished()
    #expect(try await bench.file.load() == [item])
    #expect(bench.models.messages.takeNext()?.text.contains("PhotoMe will try again the next time it starts.") == true)
    // The same for a file that is broken in the middle.
    next.shotBegan("ab", with: .init(try Effect.named("comic")))
    next.shotWasSaved("ab")
    await next.finished()
    #expect(bench.models.messages.takeNext()?.text.contains("A photo was saved without “Comic”.") == true)
    #expect(bench.saved.isEmpty)
    try bench.models.library.index.writing { try $0.execute(sql: "ALTER TABLE away RENAME TO asset") }
    try await bench.end()
  }

  @Test func aPictureThatEndedTheProgramTwiceIsLeftAlone() async throws {
    let bench = try await EffectsBench()
    await bench.models.model.start()
    let asset = try await bench.shoot().assetID
    let folder = bench.models.library.folder.path
    try await bench.file.save([
      PendingEffect(asset: asset, library: folder, effect: "comic", intensity: 1, attempts: 2),
      PendingEffect(asset: "ffff", library: folder, effect: "comic", intensity: 1, attempts: 2),
    ])
    let next = bench.nextRun()
    await next.resume()
    await next.finished()
    #expect(bench.saved.isEmpty && !exists(bench.file))
    #expect(bench.models.messages.takeNext()?.text.contains("saved without “Comic”") == true)
    #expect(bench.models.messages.takeNext() == nil)
    try await bench.end()
  }

  @Test func theWishIsOnDiskBeforeThePictureIs() async throws {
    let bench = try await EffectsBench(Self.comic)
    await bench.models.model.start()
    let shot = try #require(bench.models.model.takePhoto())
    await bench.model.shots.finished()
    let pending = try await bench.file.load()
    #expect(
      pending.map(\.asset) == [shot.assetID] && pending.first?.effect == "comic" && pending.first?.intensity == 0.5)
    bench.models.captures[0].sink.finish()
    await bench.models.until { bench.model.shots.waiting.isEmpty }
    try await bench.end()
  }

  @Test func aFileThatCantBeReadOrWrittenIsReportedAndShotsGetTheirEffect() async throws {
    let bench = try await EffectsBench(Self.comic)
    await bench.models.model.start()
    try FileManager.default.createDirectory(at: bench.file.url, withIntermediateDirectories: true)
    try await bench.model.shots.waitForEffect(of: try await bench.shoot().assetID)
    await bench.model.shots.finished()
    #expect(bench.saved.count == 1)
    #expect(bench.models.messages.takeNext()?.text.contains("list of effects to apply") == true)
    #expect(bench.models.messages.takeNext() == nil)
    try await bench.end()
  }
}
