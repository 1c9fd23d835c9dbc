// Movies of other formats are read, and edits of them are MP4s.

import CameraCore
import EngineInterface
import Foundation
import MediaFormats
import TestSupport
import Testing

@testable import MediaEngine

@Suite(
  .serialized, .timeLimit(.minutes(30)), .enabled(if: Command.areInstalled("ffmpeg"), "ffmpeg makes the movies"))
struct MovieConversionTests {
  private let folder = FileManager.default.temporaryDirectory
    .appendingPathComponent("photome-conversion-\(UUID().uuidString)")

  private func remove() { try? FileManager.default.removeItem(at: folder) }

  /// A movie of one second, of bars and a tone.
  private func movie(_ name: String, _ codecs: [String]) throws -> MovieSource {
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    let url = folder.appendingPathComponent(name)
    let inputs = [
      "-f", "lavfi", "-i", "testsrc=size=96x64:rate=10:duration=1", "-f", "lavfi", "-i", "sine=duration=1",
    ]
    let arguments = ["-nostdin", "-v", "error", "-y"] + inputs + codecs + ["-pix_fmt", "yuv420p", url.path]
    #expect(try Command.run("ffmpeg", arguments, at: folder).status == 0)
    let size = try FileManager.default.attributesOfItem(atPath: url.path)[.size] as? UInt64
    return MovieSource(url: url, byteRange: 0..<(size ?? 0))
  }

  @Test(
    "A frame of each format is found, and an edit is an MP4 of the same length with its sound",
    arguments: [
      ("clip.mkv", ["-c:v", "mpeg4", "-c:a", "flac"]), ("clip.webm", ["-c:v", "libvpx", "-c:a", "libvorbis"]),
      ("clip.avi", ["-c:v", "mjpeg", "-c:a", "pcm_s16le"]),
    ])
  func convert(name: String, codecs: [String]) async throws {
    defer { remove() }
    let source = try movie(name, codecs)
    let frame = try await EngineMovieReader().frame(of: source, at: 0.5, fitting: PixelSize(width: 96, height: 64))
    #expect(frame.size == PixelSize(width: 96, height: 64))
    let edits = folder.appendingPathComponent("edits")
    let edit = MovieEdit(processor: nil, trim: nil, isMuted: false, isBounced: false)
    let made = try await EngineEditRenderer().movie(of: source, edit: edit, into: edits) { _ in }
    let head = try #require(try MP4Head(MovieStretch(whole: made.url), range: 0..<MovieStretch(whole: made.url).count))
    #expect(made.hasSound)
    #expect(abs((head.duration ?? 0) - 1) < 0.15)
    #expect(head.size == PixelSize(width: 96, height: 64))
    #expect(made.times.count == 10)
    // Nothing is left but the edit.
    #expect(try FileManager.default.contentsOfDirectory(atPath: edits.path) == [made.url.lastPathComponent])
  }

  @Test(
    "The colors of an edit are those of the movie",
    arguments: [
      ("clip.mkv", ["-c:v", "libx264", "-crf", "5"], "bt709"),
      ("clip.webm", ["-c:v", "libvpx-vp9", "-crf", "8"], "bt709"),
      ("old.mkv", ["-c:v", "mpeg4", "-q:v", "2"], "smpte170m"),
      ("old.avi", ["-c:v", "mpeg4", "-q:v", "2"], "smpte170m"),
    ])
  func colors(name: String, codec: [String], matrix: String) async throws {
    defer { remove() }
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    let url = folder.appendingPathComponent(name)
    let colors = ["-colorspace", matrix, "-color_primaries", matrix, "-color_trc", matrix]
    let filter = "scale=out_color_matrix=\(matrix == "bt709" ? "bt709" : "bt601"),format=yuv420p"
    let arguments =
      ["-nostdin", "-v", "error", "-y", "-f", "lavfi", "-i", "color=c=0xD18F77:size=128x64:rate=10:duration=1"]
      + ["-vf", filter] + codec + colors + [url.path]
    #expect(try Command.run("ffmpeg", arguments, at: folder).status == 0)
    func source(_ url: URL) throws -> MovieSource {
      MovieSource(url: url, byteRange: 0..<(try MovieStretch(whole: url).count))
    }
    let edit = MovieEdit(processor: nil, trim: 0.2...0.7)
    let made = try await EngineEditRenderer().movie(of: source(url), edit: edit, into: folder) { _ in }
    for url in [url, made.url] {
      let size = PixelSize(width: 128, height: 64)
      let pixel = try await EngineMovieReader().frame(of: source(url), at: 0, fitting: size).block.bytes
      // GStreamer's own conversion is off by up to 4, JPEG by some more.
      let found = [pixel[2], pixel[1], pixel[0]]
      #expect(
        zip(found, [0xD1, 0x8F, 0x77]).allSatisfy { abs(Int($0) - $1) <= 8 }, "\(url.lastPathComponent) \(found)")
    }
  }
}
