// The file format of photos: chosen, remembered, and asked for with each shot that can have it.

import CameraCore
import Foundation
import Testing

@testable import CameraModels

@MainActor
@Suite(.timeLimit(.minutes(30))) struct PhotoFormatTests {
  @Test func theChosenFormatIsRememberedAndAskedFor() async throws {
    let bench = try await ModelBench()
    await bench.model.start()
    for format in [PhotoFormat.heic, .avif, .png, .jpeg] {
      bench.model.setPhotoFormat(format)
      bench.model.takePhoto()
      #expect(bench.captures.last?.settings.format == format)
    }
    bench.model.setPhotoFormat(.avif)
    await bench.settings.saved()
    #expect(bench.store.load().photoFormat == .avif)
    for capture in bench.captures { capture.sink.finish(throwing: CameraError.notRunning) }
    try await bench.end()
  }

  @Test func liveShotsAreJPEGWhereTheFormatHoldsNoMovie() async throws {
    let bench = try await ModelBench()
    await bench.model.start()
    await bench.model.live.setOn(true)
    bench.model.setPhotoFormat(.png)
    // It is said where it is chosen, and stays to be read.
    #expect(bench.messages.messages.last?.text.contains("Live photos are saved as JPEG") == true)
    #expect(bench.model.photoFormatNote.contains("Live photos are saved as JPEG"))
    bench.model.takePhoto()
    #expect(bench.captures.last?.settings.isLive == true && bench.captures.last?.settings.format == .jpeg)
    bench.model.setPhotoFormat(.heic)
    bench.model.takePhoto()
    #expect(bench.captures.last?.settings.format == .heic)
    await bench.model.live.setOn(false)
    bench.model.setPhotoFormat(.png)
    bench.model.takePhoto()
    #expect(bench.captures.last?.settings.format == .png)
    for capture in bench.captures { capture.sink.finish(throwing: CameraError.notRunning) }
    try await bench.end()
  }

  @Test func aFormatWithoutEncoderIsRefusedAndNoShotIsLost() async throws {
    let bench = try await ModelBench()
    await bench.model.start()
    bench.model.setPhotoFormat(.heic)
    // As if the encoder had been removed since.
    bench.camera.with { $0.refusals = [.heic: "no encoder is installed", .avif: "no encoder is installed"] }
    #expect(bench.model.photoFormatNote.contains("Photos are saved as JPEG: no encoder is installed"))
    #expect(bench.model.photoFormatNote.contains("AVIF isn’t available"))
    #expect(bench.model.photoFormats == [.jpeg, .heic, .png])
    bench.model.takePhoto()
    #expect(bench.captures.last?.settings.format == .jpeg)
    bench.model.setPhotoFormat(.avif)
    #expect(bench.model.photoFormat == .heic)
    #expect(bench.messages.messages.last?.text.contains("no encoder is installed") == true)
    for capture in bench.captures { capture.sink.finish(throwing: CameraError.notRunning) }
    try await bench.end()
  }

  @Test func settingsOfAnUnknownFormatAreJPEG() throws {
    let known = try JSONDecoder().decode(AppSettings.self, from: Data(#"{"photoFormat":"heic"}"#.utf8))
    #expect(known.photoFormat == .heic)
    let unknown = try JSONDecoder().decode(AppSettings.self, from: Data(#"{"photoFormat":"tiff"}"#.utf8))
    #expect(unknown.photoFormat == .jpeg)
  }
}
