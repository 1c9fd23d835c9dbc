// Encodings that hang hold up no others.

import CameraCore
import Foundation
import Testing

@testable import MediaEngine

@Suite(.timeLimit(.minutes(30))) struct HangingEncodingTests {
  @Test("While one movie's file hangs, another is written, and stopping the first one has a limit")
  func aFileThatHangs() async throws {
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent("photome-hang-\(UUID().uuidString)")
    defer { try? FileManager.default.removeItem(at: folder) }
    let pipe = try NamedPipe()
    let encoder = try #require(VideoEncoder.installed().last)
    let form = TranscodeEncoding.Form(
      size: PixelSize(width: 320, height: 240), rate: FrameRate(30), colorimetry: "bt709", timescale: 90_000)
    let hanging = try await TranscodeEncoding(
      form, encoder: encoder, niceness: 0, file: URL(fileURLWithPath: pipe.path), progress: MovieProgress())
    let starting = Task { await hanging.start() }
    let movie = try await LivePhotoWriter(limits: EngineLimits()).write(
      try LivePhotoSample.window(count: 5), into: folder)
    #expect(movie.duration > 0)
    hanging.giveUp(.standstill)
    await starting.value
    await hanging.stop()
    #expect(
      await pipe.releaseWriters {
        await hanging.stop()
        return true
      })
  }
}
