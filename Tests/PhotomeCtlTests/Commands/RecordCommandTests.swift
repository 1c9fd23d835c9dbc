// Movies from the command line, whole, interrupted and killed.

import Foundation
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(30))) struct RecordCommandTests {
  private struct Movie: Decodable {
    var path: String
    var duration: Double
    var sound: Bool
    var shortfall: String?
  }

  private struct Listed: Decodable {
    var path: String
    var mediaType: String
    var duration: Double?
  }

  private let recording = ["record", "--camera", "test", "--microphone", "test", "--resolution", "640x360"]

  /// The movies in the library's folder, hidden ones with their dots.
  private func movies(_ place: Place) -> [String] {
    let library = place.folder.path + "/Library"
    let names = (try? FileManager.default.subpathsOfDirectory(atPath: library)) ?? []
    return names.filter { $0.contains("VID_") }.map { "\(library)/\($0)" }
  }

  @Test func aMovieIsInTheLibrary() throws {
    let place = try Place()
    let movie = try place.decode(Movie.self, recording + ["--duration", "2", "--json"] + place.library)
    #expect(movie.sound && movie.shortfall == nil)
    #expect(abs(movie.duration - 2) < 0.2)
    #expect(movies(place) == [movie.path])
    let listed = try place.decode([Listed].self, ["library", "list", "--videos", "--json"] + place.library)
    #expect(listed.count == 1 && listed.first?.mediaType == "video")
    #expect(abs((listed.first?.duration ?? 0) - movie.duration) < 0.01)
  }

  @Test(.enabled(if: Command.areInstalled("ffmpeg", "ffprobe"), "needs ffmpeg"))
  func otherProgramsPlayIt() throws {
    let place = try Place()
    let path = try place.run(recording + ["--duration", "2", "--stabilize"] + place.library)
      .trimmingCharacters(in: .newlines)
    let streams = try place.tool(
      "ffprobe", ["-v", "error", "-show_entries", "stream=codec_name,width:format=duration", "-of", "csv=p=0", path])
    #expect(streams.contains("h264,576") && streams.contains("aac"))
    #expect(try place.tool("ffmpeg", ["-v", "error", "-i", path, "-f", "null", "-"]).isEmpty)
  }

  @Test(.enabled(if: Command.areInstalled("ffmpeg", "ffprobe"), "needs ffmpeg"))
  func theCodecIsTheChosenOne() throws {
    let place = try Place()
    for (codec, tag) in [("hevc", "hevc,hvc1"), ("h264", "h264,avc1"), ("auto", "h264,avc1")] {
      let path = try place.run(recording + ["--duration", "1", "--codec", codec] + place.library)
        .trimmingCharacters(in: .newlines)
      let stream = try place.tool(
        "ffprobe",
        [
          "-v", "error", "-select_streams", "v", "-show_entries", "stream=codec_name,codec_tag_string", "-of",
          "csv=p=0", path,
        ])
      #expect(stream.contains(tag), "\(stream)")
      #expect(try place.tool("ffmpeg", ["-v", "error", "-i", path, "-f", "null", "-"]).isEmpty)
    }
  }

  @Test(arguments: [SIGINT, SIGTERM]) func aSignalFinishesTheFile(signal: Int32) async throws {
    let place = try Place()
    let child = try start(place)
    await fragments(2, in: place)
    if signal == SIGINT { child.interrupt() } else { child.terminate() }
    var lines: [String] = []
    for await line in child.lines { lines.append(line) }
    #expect(movies(place) == lines)
    let types = Self.boxes(in: try Data(contentsOf: URL(fileURLWithPath: try #require(lines.first))))
    #expect(types.contains("moov") && !types.contains("moof"))
  }

  @Test(.enabled(if: Command.areInstalled("ffmpeg", "ffprobe"), "needs ffmpeg"))
  func aKilledMovieIsThereAtTheNextStart() async throws {
    let place = try Place()
    let child = try start(place)
    // Four a second and more, of which the first has no box of its own.
    await fragments(12, in: place)
    child.kill()
    for await _ in child.lines {}
    let hidden = try #require(movies(place).first)
    #expect(movies(place).count == 1 && hidden.contains("/.VID_"))
    let next = try place.result(recording + ["--duration", "1"] + place.library)
    #expect(next.status == 0)
    #expect(next.errors.contains("except for its last half second"), "\(next.errors)")
    let saved = hidden.replacingOccurrences(of: "/.VID_", with: "/VID_").replacingOccurrences(
      of: ".recording", with: "")
    #expect(movies(place).count == 2 && movies(place).contains(saved))
    let length = try place.tool(
      "ffprobe",
      [
        "-v", "error", "-select_streams", "v", "-count_frames", "-show_entries", "stream=nb_read_frames", "-of",
        "csv=p=0", saved,
      ])
    #expect(try #require(Int(length.filter(\.isNumber))) >= 50)
    let listed = try place.decode([Listed].self, ["library", "list", "--videos", "--json"] + place.library)
    #expect(listed.count == 2)
  }

  private func start(_ place: Place) throws -> ChildProcess {
    try ChildProcess(
      Command.products.appendingPathComponent("photomectl").path, recording + place.library,
      environment: place.environment, in: place.folder)
  }

  /// Returns when the movie that is being recorded has so many fragments.
  private func fragments(_ count: Int, in place: Place) async {
    while !Task.isCancelled {
      let data = movies(place).first.flatMap { FileManager.default.contents(atPath: $0) } ?? Data()
      let found = Self.boxes(in: data).count { $0 == "moof" }
      if found >= count { return }
      await Task.yield()
    }
  }

  /// The types of a file's boxes, also while its last one is being written.
  private static func boxes(in data: Data) -> [String] {
    func number(_ offset: Int, _ count: Int) -> Int {
      data[offset..<offset + count].reduce(0) { $0 << 8 | Int($1) }
    }
    var types: [String] = []
    var offset = 0
    while offset + 16 <= data.count {
      types.append(String(decoding: data[offset + 4..<offset + 8], as: UTF8.self))
      let length = number(offset, 4)
      offset += length == 1 ? number(offset + 8, 8) : max(8, length)
    }
    return types
  }
}
