// Edits of movies whose sound track can't be read.

import EngineInterface
import Foundation
import MediaFormats
import TestSupport
import Testing

@testable import MediaEngine

@Suite struct UnusableSoundTests {
  /// Uncompressed sound as QuickTime counts it, in samples of one byte, whatever their size: copied by these tables it
  /// would be noise.
  @Test func soundIsNotLostWithoutAWord() async throws {
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent("photome-sound-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    var boxes = try MP4Box.boxes(in: [UInt8](HandMadeMovie().data)[...])
    for index in boxes.indices where boxes[index].type == "moov" {
      var tracks = 0
      boxes[index].changeAll("trak") { track in
        tracks += 1
        guard tracks == 2 else { return }
        track.changeAll("mdia") { media in
          media.changeAll("minf") { information in
            information.changeAll("stbl") { table in table.changeAll("stsz") { $0.setNumber(1, at: 4, 4) } }
          }
        }
      }
    }
    var bytes: [UInt8] = []
    for box in boxes { box.write(to: &bytes) }
    let url = folder.appendingPathComponent("camera.mov")
    try Data(bytes).write(to: url)
    let source = MovieSource(url: url, byteRange: 0..<UInt64(bytes.count))
    let renderer = EngineEditRenderer()
    let error = await #expect(throws: EditError.self) {
      try await renderer.movie(of: source, edit: MovieEdit(processor: nil), into: folder) { _ in }
    }
    guard case .unusableSound(file: "camera.mov", let reason) = error else {
      Issue.record("\(String(describing: error))")
      return
    }
    #expect(reason.contains("uncompressed") && error?.description.contains("Mute it") == true)
    let muted = try await renderer.movie(
      of: source, edit: MovieEdit(processor: nil, isMuted: true), into: folder
    ) { _ in }
    #expect(!muted.hasSound && muted.times.count == 12)
    let picture = try HandMadeMovie.samples(of: 0, in: Data(contentsOf: muted.url))
    #expect(picture == (0..<12).map(HandMadeMovie.frame))
  }
}
