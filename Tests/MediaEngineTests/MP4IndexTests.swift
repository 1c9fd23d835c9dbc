// The index of a movie that somebody else wrote is read without believing it.

import CameraCore
import Foundation
import PhotoEffects
import Testing

@testable import MediaEngine

@Suite(.serialized, .timeLimit(.minutes(2))) struct MP4IndexTests {
  private let folder = FileManager.default.temporaryDirectory
    .appendingPathComponent("photome-index-\(UUID().uuidString)")

  private func movie() async throws -> Data {
    let window = try LivePhotoSample.window(count: 8, still: 0, sound: 0...0.3)
    let movie = try await LivePhotoWriter(limits: EngineLimits()).write(window, into: folder)
    defer { try? FileManager.default.removeItem(at: movie.url) }
    return try Data(contentsOf: movie.url)
  }

  private func read(_ bytes: Data) throws -> MP4Index {
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    let url = folder.appendingPathComponent("movie.mp4")
    try bytes.write(to: url)
    return try MP4Index(MovieStretch(whole: url))
  }

  @Test func tracksAreWhatTheyAre() async throws {
    defer { try? FileManager.default.removeItem(at: folder) }
    let index = try read(try await movie())
    let (picture, sound) = (try #require(index.picture), try #require(index.sound))
    #expect(picture.sizes.count == 8 && picture.timescale == 90_000 && picture.startTimes.count == 8)
    #expect(picture.start(ofSample: 3) == 9000 && picture.sample(at: 9000) == 3 && picture.sample(at: 8999) == 2)
    #expect(sound.timescale == 48_000 && sound.mediaStart > 0 && !index.isFragmented)
    #expect(sound.chunks(within: 2..<4).reduce(0) { $0 + $1.samples.count } == 2)
    #expect(sound.chunks(within: 0..<sound.sizes.count) == sound.chunks)
  }

  /// Every byte of the index, changed: it is read or refused, and what is read lies inside of the file.
  @Test func liesAreRefusedOrHarmless() async throws {
    defer { try? FileManager.default.removeItem(at: folder) }
    let whole = try await movie()
    let box = try read(whole).bytes
    let start = try #require(whole.range(of: Data(box))).lowerBound
    var random = SystemRandomNumberGenerator()
    for round in 0..<1500 {
      var bytes = whole
      let place = start + (round < box.count ? round : .random(in: 0..<box.count, using: &random))
      for offset in 0..<(round % 4 + 1) where place + offset < start + box.count {
        bytes[place + offset] = [0, 0xFF, 0x7F, .random(in: 0...255, using: &random)][round % 4]
      }
      guard let index = try? read(bytes) else { continue }
      for track in index.tracks {
        #expect(track.chunks.allSatisfy { $0.offset + $0.byteCount <= UInt64(bytes.count) })
        _ = (track.startTimes.count, track.duration, track.sample(at: 100), track.frameCount(within: 0.1...0.2))
        guard track.handler == "soun" else { continue }
        var assembly = try MP4Assembly(try read(whole))
        assembly.addSound(of: index, window: 0.05...0.2)
        let url = folder.appendingPathComponent("result.mp4")
        try? assembly.write(to: url) { false }
        try? FileManager.default.removeItem(at: url)
      }
    }
  }
}
