// Effects of movies: filed with the movie's beginning, applied after a kill, dropped where there is no movie.

import CameraCore
import EngineInterface
import Foundation
import PhotoEffects
import PhotoLibrary
import TestSupport
import Testing

@testable import CameraModels

@MainActor @Suite(.timeLimit(.minutes(30))) struct MovieEffectTests {
  private let recorder = ScriptedRecorder()
  private static let comic = AppSettings.ViewfinderEffect(identifier: "comic", intensity: 0.5)

  private func makeModel(_ bench: EffectsBench, _ effects: EffectsModel, _ service: ScriptedRecorder) -> MovieModel {
    let movies = MovieModel(
      service: service, library: bench.models.library, live: bench.models.model.live,
      settings: bench.models.settings, messages: bench.models.messages,
      now: { Date(timeIntervalSince1970: 1_795_300_000) })
    movies.effects = effects
    return movies
  }

  /// Another run of the program on the same files.
  private func nextRun(_ bench: EffectsBench, _ service: ScriptedRecorder) -> (movies: MovieModel, shots: ShotEffects) {
    let effects = EffectsModel(preview: nil, gallery: nil, settings: bench.models.settings, shots: bench.nextRun())
    return (makeModel(bench, effects, service), effects.shots)
  }

  private func file(in folder: URL) -> UnfinishedMovie {
    let name = "VID_20261123_070000_000.mp4"
    return UnfinishedMovie(
      hiddenPath: folder.appendingPathComponent(".\(name).recording").path,
      path: folder.appendingPathComponent(name).path)
  }

  /// Begins a movie, and returns when its effect is filed.
  private func record(_ movies: MovieModel, _ bench: EffectsBench) async throws -> UnfinishedMovie {
    await movies.start()
    let file = file(in: try #require(recorder.requests.last).folder)
    recorder.send(.opened(file))
    recorder.send(.began(.off))
    await bench.models.until { movies.phase == .recording }
    await bench.model.shots.finished()
    return file
  }

  private func write(_ path: String) throws -> URL {
    let url = URL(fileURLWithPath: path)
    try FileManager.default.createDirectory(at: url.deletingLastPathComponent(), withIntermediateDirectories: true)
    try HandMadeMovie().data.write(to: url)
    return url
  }

  private func exists(_ file: ShotEffectFile) -> Bool { FileManager.default.fileExists(atPath: file.url.path) }

  private func pending(_ movie: UnfinishedMovie, _ bench: EffectsBench, attempts: Int = 0) -> PendingEffect {
    PendingEffect(
      asset: Asset.makeID(), library: bench.models.library.folder.path, effect: "comic", intensity: 0.5,
      attempts: attempts, movie: movie)
  }

  @Test("A movie whose file is replaced has its effect filed for the second one alone")
  func anotherFile() async throws {
    let bench = try await EffectsBench(Self.comic)
    let movies = makeModel(bench, bench.model, recorder)
    let first = try await record(movies, bench)
    let second = UnfinishedMovie(hiddenPath: first.hiddenPath + "_2", path: first.path + "_2")
    let steps = movies.steps
    recorder.send(.opened(second))
    while movies.steps == steps { await Task.yield() }
    await bench.model.shots.finished()
    #expect(try await bench.file.load().map(\.movie) == [second])
    recorder.end()
    await movies.waitForEnd()
    try await bench.end()
  }

  @Test("A movie whose program was killed gets its effect at the next start, whatever its name has become")
  func kill() async throws {
    let bench = try await EffectsBench(Self.comic)
    let movies = makeModel(bench, bench.model, recorder)
    let file = try await record(movies, bench)
    let filed = try await bench.file.load()
    #expect(filed.map(\.movie) == [file] && filed.first?.effect == "comic" && filed.first?.intensity == 0.5)

    // Its own name was taken meanwhile.
    let url = try write(file.path.replacingOccurrences(of: ".mp4", with: "_2.mp4"))
    let service = ScriptedRecorder()
    service.setRecovered([.recovered(url, hiddenPath: file.hiddenPath)])
    let next = nextRun(bench, service)
    await next.movies.restore()
    let asset = try #require(try await bench.models.library.asset(at: url))
    try await next.shots.waitForEffect(of: asset.id)
    #expect(bench.saved == [AdjustmentRecipe(.init(try Effect.named("comic"), intensity: 0.5))])
    await next.shots.resume()
    await next.shots.finished()
    #expect(bench.saved.count == 1 && !exists(bench.file))
    let said = RecoveredRecording.recovered(url, hiddenPath: file.hiddenPath).description
    #expect(bench.models.messages.messages.map(\.text) == [said])
    recorder.end()
    await movies.waitForEnd()
    try await bench.end()
  }

  @Test("A movie that got its name just before the kill gets its effect")
  func killAfterItsName() async throws {
    let bench = try await EffectsBench()
    let file = file(in: bench.models.library.folder.appendingPathComponent("2026-11"))
    try await bench.file.save([pending(file, bench)])
    let url = try write(file.path)
    let next = nextRun(bench, recorder)
    await next.movies.restore()
    await next.shots.resume()
    let asset = try #require(try await bench.models.library.asset(at: url))
    try await next.shots.waitForEffect(of: asset.id)
    await next.shots.finished()
    #expect(bench.saved.count == 1 && !exists(bench.file) && bench.models.messages.messages.isEmpty)
    try await bench.end()
  }

  @Test("One that is gone is looked for twice, one that is still hidden stays")
  func gone() async throws {
    let bench = try await EffectsBench()
    let folder = bench.models.library.folder
    let file = file(in: folder.appendingPathComponent("2026-11"))
    let gone = pending(file, bench)
    try await bench.file.save([gone])
    for attempts in 1...ShotEffects.mostAttempts {
      let run = bench.nextRun()
      await run.resume()
      await run.finished()
      #expect(try await bench.file.load().map(\.attempts) == [attempts])
    }
    let last = bench.nextRun()
    await last.resume()
    await last.finished()
    #expect(!exists(bench.file))

    _ = try write(file.hiddenPath)
    try await bench.file.save([gone])
    let run = bench.nextRun()
    await run.resume()
    await run.finished()
    #expect(try await bench.file.load() == [gone])
    #expect(bench.saved.isEmpty && bench.models.messages.messages.isEmpty)
    try await bench.end()
  }

  @Test("A movie that fails takes its effect with it, unless its file waits for the next start")
  func failure() async throws {
    let bench = try await EffectsBench(Self.comic)
    let movies = makeModel(bench, bench.model, recorder)
    _ = try await record(movies, bench)
    #expect(exists(bench.file))
    recorder.end(.recordingFailed(message: "no encoder works"))
    await bench.models.until { movies.phase == .idle }
    await movies.waitForEnd()
    await bench.model.shots.finished()
    #expect(!exists(bench.file) && bench.model.shots.waiting.isEmpty)

    let file = try await record(movies, bench)
    _ = try write(file.hiddenPath)
    recorder.end(.recordingFailed(message: "its file can’t be finished"))
    await bench.models.until { movies.phase == .idle }
    await movies.waitForEnd()
    await bench.model.shots.finished()
    #expect(try await bench.file.load().map(\.movie) == [file])
    #expect(bench.model.shots.waiting.isEmpty)
    try await bench.end()
  }
}
