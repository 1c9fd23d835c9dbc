// Recordings as HEVC: played, read and recovered like those of H.264, which takes over where no encoder works.

import CameraCore
import EngineInterface
import Foundation
import Testing

@testable import MediaEngine

@Suite(.timeLimit(.minutes(30))) struct HEVCRecordingTests {
  /// Whether such movies can be made and read back here.
  static let isInstalled = VideoEncoder.hevcRefusal() == nil && GStreamerRuntime.has("avdec_h265")

  /// Whether the sample entry of a movie is the one that phones want.
  static func isHEVC(_ url: URL) throws -> Bool {
    let data = try Data(contentsOf: url)
    func has(_ name: String) -> Bool { data.range(of: Data(name.utf8)) != nil }
    return has("hvc1") && has("hvcC") && !has("hev1") && !has("avcC")
  }

  @Test(
    "A clean stop leaves an ordinary movie, every frame at its time and the sound in step",
    .enabled(if: isInstalled, "x265enc or avdec_h265 is not installed"))
  func ordinary() async throws {
    let bench = try RecordingBench(codec: .hevc)
    let run = await bench.begin()
    await bench.feed(0..<90)
    bench.setNow(90)
    bench.recorder.stop()
    let movie = try await run.value
    #expect(bench.events == [.began(.recording(TestCamera.microphone)), .ending])
    #expect(movie.droppedFrames == 0 && abs(movie.duration - 3) < 0.1)
    #expect(try Self.isHEVC(movie.url))
    let boxes = try RecordingBench.boxes(movie.url)
    #expect(boxes.contains("moov") && !boxes.contains("moof"))
    let read = try LivePhotoReading(movie.url)
    #expect(read.pictures.map(\.number) == bench.numbers(0..<90))
    for (index, picture) in read.pictures.enumerated() { #expect(abs(picture.time - Double(index) / 30) < 0.0001) }
    #expect(read.flashes.count == 3 && read.beeps.count == 3)
    for (flash, beep) in zip(read.flashes, read.beeps) { #expect(abs(flash - beep) < 0.003, "\(flash) \(beep)") }
  }

  @Test(
    "What a kill leaves plays up to its last fragment, and becomes an ordinary movie",
    .enabled(if: isInstalled, "x265enc or avdec_h265 is not installed"))
  func killed() async throws {
    let bench = try RecordingBench(codec: .hevc)
    let run = await bench.begin()
    await bench.feed(0..<90)
    let path = try #require(bench.opened.first).hiddenPath
    #expect(await eventually { (RecordedLength.seconds(of: path) ?? 0) > 2.5 })
    let library = bench.folder.appendingPathComponent("library")
    try FileManager.default.createDirectory(at: library, withIntermediateDirectories: true)
    let hidden = library.appendingPathComponent(".VID_1.mp4.recording")
    try FileManager.default.copyItem(atPath: path, toPath: hidden.path)
    bench.setNow(90)
    bench.recorder.stop()
    _ = try await run.value
    let url = library.appendingPathComponent("VID_1.mp4")
    #expect(UnfinishedMovies.recover(in: library) == [.recovered(url, hiddenPath: hidden.path)])
    #expect(try RecordingBench.boxes(url) == ["ftyp", "mdat", "moov"])
    #expect(try Self.isHEVC(url))
    let read = try LivePhotoReading(url)
    #expect(read.pictures.count >= 75)
    #expect(read.pictures.map(\.number) == bench.numbers(0..<read.pictures.count))
    #expect(zip(read.flashes, read.beeps).allSatisfy { abs($0 - $1) < 0.003 })
  }

  @Test("Where no encoder of HEVC works the movie is H.264, which is said once", arguments: [true, false])
  func fallback(hasEncoder: Bool) async throws {
    let broken = (0..<2).map { VideoEncoder(element: "photome-no-such-\($0)", isHardware: true, coding: .hevc) }
    let bench = try RecordingBench(
      frameCount: 30, codec: .hevc,
      encoders: { [VideoEncoder(element: "photome-no-such-3", isHardware: true)] + VideoEncoder.installed() },
      adjust: { $0.hevcEncoders = { hasEncoder ? broken : [] } })
    let run = await bench.begin()
    await bench.feed(0..<30)
    bench.setNow(30)
    bench.recorder.stop()
    let movie = try await run.value
    #expect(try LivePhotoReading(movie.url).pictures.count == 30)
    #expect(try !Self.isHEVC(movie.url))
    let reasons = bench.events.compactMap { if case .hevcUnavailable(let reason) = $0 { reason } else { nil } }
    #expect(reasons.count == 1)
    if hasEncoder { #expect(reasons == ["None of this computer’s HEVC encoders work."]) }
  }
}
