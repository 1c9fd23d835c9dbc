// The quality of photos: chosen, remembered, and asked for with each shot; and a better still that follows the first.

import CameraCore
import Foundation
import Testing

@testable import CameraModels

@MainActor
@Suite(.timeLimit(.minutes(30))) struct PhotoQualityTests {
  @Test func theChosenQualityIsRememberedAndAskedFor() async throws {
    let bench = try await ModelBench()
    await bench.model.start()
    bench.model.takePhoto()
    bench.model.setPhotoQuality(.quality)
    bench.model.takePhoto()
    await bench.settings.saved()
    #expect(bench.captures.map(\.settings.quality) == [.balanced, .quality])
    #expect(bench.store.load().photoQuality == .quality)
    for capture in bench.captures { capture.sink.finish(throwing: CameraError.notRunning) }
    try await bench.end()
  }

  @Test func settingsOfAnUnknownQualityAreBalanced() throws {
    let known = try JSONDecoder().decode(AppSettings.self, from: Data(#"{"photoQuality":"speed"}"#.utf8))
    #expect(known.photoQuality == .speed)
    let unknown = try JSONDecoder().decode(AppSettings.self, from: Data(#"{"photoQuality":"best"}"#.utf8))
    #expect(unknown.photoQuality == .balanced)
  }

  @Test func theBetterStillIsTheOneThatIsSaved() async throws {
    let bench = try await ModelBench()
    await bench.model.start()
    bench.model.setPhotoQuality(.quality)
    let shot = try #require(bench.model.takePhoto())
    let capture = try #require(bench.captures.first)
    let resolved = ResolvedPhotoSettings(
      id: CaptureID(rawValue: 1), isLive: false, size: SampleMedia.photo.size, stillTime: capture.settings.pressed,
      date: Date(), camera: ScriptedCamera.webcam, microphone: nil, mayImprove: true)
    capture.sink.yield(.willBegin(resolved))
    capture.sink.yield(.photo(SampleMedia.photo))
    var better = SampleMedia.photo
    better.frameCount = 6
    capture.sink.yield(.improved(better))
    capture.sink.finish()
    let saved = try await shot.saved
    #expect(saved.frameCount == 6 && saved.shortfall == nil)
    #expect(FileManager.default.fileExists(atPath: saved.url.path))
    try await bench.end()
  }
}
