// The shutter's click: played as often as asked, also without anything to play it on.

import CameraCore
import Foundation
import Synchronization
import Testing

@testable import MediaEngine

@Suite struct ShutterSoundTests {
  let file = FileManager.default.temporaryDirectory.appendingPathComponent("photome-click-\(UUID().uuidString).wav")

  /// A WAV file with a click of 20 ms: 44.1 kHz, mono.
  private func writeClick() throws {
    func little(_ number: Int, _ count: Int) -> [UInt8] { (0..<count).map { UInt8(number >> (8 * $0) & 0xff) } }
    let samples = (0..<882).flatMap { little(Int(8_000 * sin(Double($0) / 4)) & 0xffff, 2) }
    var bytes = Array("RIFF".utf8) + little(36 + samples.count, 4) + Array("WAVEfmt ".utf8) + little(16, 4)
    bytes += little(1, 2) + little(1, 2) + little(44_100, 4) + little(88_200, 4) + little(2, 2) + little(16, 2)
    bytes += Array("data".utf8) + little(samples.count, 4) + samples
    try Data(bytes).write(to: file)
  }

  /// A silent sink that keeps real time.
  private static let silentOutput = SoundOutput { _ in
    let sink = try? Element("fakesink")
    sink?.set("sync", true)
    return sink
  }

  @Test func aFileIsRead() async throws {
    defer { try? FileManager.default.removeItem(at: file) }
    try writeClick()
    let samples = try #require(await SoundFile.read(file))
    // 20 ms at 48 kHz, two channels of two bytes; the resampler rounds.
    #expect(abs(samples.count / 4 - 960) <= 8)
    #expect(samples.bytes.contains { $0 != 0 })
    try Data("no sound".utf8).write(to: file)
    #expect(await SoundFile.read(file) == nil)
    try FileManager.default.removeItem(at: file)
    #expect(await SoundFile.read(file) == nil)
  }

  @PlaybackActor @Test func itPlaysAgainAndAgain() async throws {
    defer { try? FileManager.default.removeItem(at: file) }
    try writeClick()
    let voices = ShutterVoices(file: file, output: Self.silentOutput)
    await voices.prepare()
    #expect(voices.isReady)
    await voices.play()
    await voices.play()
    #expect(voices.playedCount == 2 && voices.soundingCount == 0)
    // At once, at most four.
    await withTaskGroup(of: Void.self) { group in
      for _ in 0..<12 { group.addTask { await voices.play() } }
    }
    #expect((3...14).contains(voices.playedCount) && voices.soundingCount == 0)
    await voices.prepare()
    voices.close()
    #expect(!voices.isReady)
  }

  @PlaybackActor @Test func withoutAWayToHearItNothingHappens() async throws {
    defer { try? FileManager.default.removeItem(at: file) }
    try writeClick()
    let deaf = ShutterVoices(file: file, output: SoundOutput { _ in nil })
    await deaf.prepare()
    await deaf.play()
    #expect(!deaf.isReady && deaf.playedCount == 0 && deaf.soundingCount == 0)
    let empty = ShutterVoices(file: file.appendingPathExtension("gone"), output: Self.silentOutput)
    await empty.play()
    #expect(empty.playedCount == 0)
  }

  @PlaybackActor @Test func aSoundServerThatHangsInTheMiddleHoldsUpNothing() async throws {
    defer { try? FileManager.default.removeItem(at: file) }
    try writeClick()
    let pipe = try NamedPipe()
    let hanging = SoundOutput { _ in
      let sink = try? Element("filesink")
      sink?.set("location", pipe.path)
      return sink
    }
    let voices = ShutterVoices(file: file, output: hanging, patience: .milliseconds(50))
    // Each returns although its sink hangs in its change of state.
    for _ in 0..<3 { await voices.play() }
    #expect(voices.playedCount == 3 && voices.soundingCount == 0)
    voices.close()
    #expect(await pipe.releaseWriters { Pipeline.liveCount("shutter") == 0 })
  }
}
