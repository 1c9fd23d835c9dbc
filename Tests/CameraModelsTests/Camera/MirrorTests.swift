// Mirroring of the viewfinder and of what is saved.

import CameraCore
import Foundation
import Testing

@testable import CameraModels

@MainActor @Suite(.timeLimit(.minutes(30))) struct MirrorTests {
  @Test func filesAreMirroredOnlyWithTheViewfinder() async throws {
    let bench = try await ModelBench()
    await bench.model.start()
    let recorder = ScriptedRecorder()
    let movies = MovieModel(
      service: recorder, library: bench.library, live: bench.model.live, settings: bench.settings,
      messages: bench.messages)
    #expect(bench.settings.values.mirror == .viewfinder)
    for choice in MirrorChoice.allCases {
      bench.model.setMirror(choice)
      #expect(bench.model.mirror == choice)
      #expect(bench.model.isMirrored == (choice != .nothing))
      bench.model.takePhoto()
      #expect(bench.captures.last?.settings.isMirrored == (choice == .files))
      await movies.start()
      #expect(recorder.requests.last?.isMirrored == (choice == .files))
      recorder.end()
      await movies.waitForEnd()
    }
    // The switch for files stays as it was while the viewfinder is no mirror.
    bench.model.setMirrorsViewfinder(false)
    #expect(bench.settings.values.mirror == .nothing)
    bench.model.setMirrorsViewfinder(true)
    #expect(bench.settings.values.mirror == .files)
    // However it is switched off.
    bench.model.setMirror(.nothing)
    bench.model.setMirrorsViewfinder(true)
    #expect(bench.settings.values.mirror == .files)
    bench.model.setMirrorsFiles(false)
    #expect(bench.model.mirror == .viewfinder)
    bench.captures.forEach(bench.expose)
    await bench.model.waitForShots()
    try await bench.end()
  }
}
