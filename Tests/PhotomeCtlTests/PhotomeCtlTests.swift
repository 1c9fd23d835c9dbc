// The command line as scripts use it: as a child process, with the built-in camera, in temporary folders.

import Foundation
import TestSupport
import Testing

@Suite struct PhotomeCtlTests {
  struct Shot: Decodable {
    var path: String
    var id: String
    var live: Bool
    var width: Int
    var height: Int
    var stillTimestampNs: Int64
    var movieDuration: Double?
    var photoDisplayTime: Double?
    var pressToSavedMs: Double
  }

  struct Listed: Decodable {
    var id: String
    var path: String
    var mediaType: String
    var live: Bool
    var created: String
    var width: Int
    var height: Int
    var duration: Double?
  }

  struct Camera: Decodable {
    struct Format: Decodable {
      var encoding: String
      var width: Int
      var height: Int
      var frameRates: [Double]
    }
    var id: String
    var name: String
    var kind: String
    var formats: [Format]
  }

  // MARK: Extent

  @Test func theTestCameraIsListedLast() throws {
    let place = try Place()
    let cameras = try place.decode([Camera].self, ["cameras", "--json"])
    #expect(cameras.last?.id == "test")
    let formats = try #require(cameras.last?.formats)
    #expect(formats.first?.encoding == "MJPG")
    #expect(formats.contains { $0.encoding == "MJPG" && $0.width == 1280 && $0.frameRates.contains(30) })
    #expect(formats.contains { $0.encoding != "MJPG" && $0.width == 1920 && $0.height == 1080 })
  }

  @Test(.enabled(if: Command.areInstalled("exiftool", "ffmpeg", "ffprobe"), "needs exiftool and ffmpeg"))
  func aLivePhotoIsAnOrdinaryJPEGWithAThreeSecondMovie() throws {
    let place = try Place()
    let shot = try place.decode(
      Shot.self, ["capture", "--camera", "test", "--microphone", "test", "--live", "--json"] + place.library)
    #expect(shot.live && shot.width == 1280 && shot.height == 720)
    #expect(shot.path.hasSuffix(".MP.jpg"))
    #expect(abs(try #require(shot.movieDuration) - 3) <= 0.1)
    #expect(abs(try #require(shot.photoDisplayTime) - 1.5) <= 0.1)

    // As other programs read it.
    #expect(try place.tool("exiftool", ["-s3", "-MotionPhoto", shot.path]) == "1")
    #expect(try place.tool("exiftool", ["-s3", "-validate", "-warning", "-a", shot.path]) == "OK")
    #expect(try place.tool("exiftool", ["-s3", "-ImageUniqueID", shot.path]) == shot.id)
    let lengths = try place.tool("exiftool", ["-s3", "-a", "-DirectoryItemLength", shot.path])
    let length = try #require(Int(lengths.split(separator: "\n").last ?? ""))
    let file = try Data(contentsOf: URL(fileURLWithPath: shot.path))
    let movie = place.folder.appendingPathComponent("movie.mp4")
    try file.suffix(length).write(to: movie)
    let streams = try place.tool(
      "ffprobe",
      ["-v", "error", "-show_entries", "stream=codec_name:format=duration", "-of", "csv=p=0", movie.path])
    let words = streams.split(whereSeparator: \.isNewline)
    #expect(words.contains("h264") && words.contains("aac"))
    #expect(abs(try #require(words.compactMap { Double($0) }.last) - 3) <= 0.1)
  }

  @Test func severalShotsAreListedNewestFirst() throws {
    let place = try Place()
    let output = try place.run(
      ["capture", "--camera", "test", "--count", "3", "--interval", "0.2", "--resolution", "640x480", "--json"]
        + place.library)
    let shots = try output.split(separator: "\n").map { try JSONDecoder().decode(Shot.self, from: Data($0.utf8)) }
    #expect(shots.count == 3 && shots.allSatisfy { $0.width == 640 && $0.height == 480 && !$0.live })
    let listed = try place.decode([Listed].self, ["library", "list", "--json"] + place.library)
    #expect(listed.map(\.id) == shots.reversed().map(\.id))
    #expect(listed.allSatisfy { $0.mediaType == "photo" && $0.duration == nil })
    let info = try place.decode(Listed.self, ["library", "info", shots[1].id, "--json"] + place.library)
    #expect(info.path == shots[1].path)
    let byPath = try place.decode(Listed.self, ["library", "info", shots[1].path, "--json"] + place.library)
    #expect(byPath.id == shots[1].id)
  }

  struct Movie: Decodable {
    var path: String
    var duration: Double
    var sound: Bool
    var edited: Bool
    var effect: String?
    var intensity: Double?
  }

  @Test func aMovieGetsItsEffectAsAnEditThatCanBeReverted() throws {
    let place = try Place()
    let movie = try place.decode(
      Movie.self,
      ["record", "--camera", "test", "--microphone", "none", "--duration", "1", "--effect", "noir:0.5", "--json"]
        + place.library)
    #expect(movie.edited && movie.effect == "noir" && movie.intensity == 0.5 && !movie.sound)
    let edited = try Data(contentsOf: URL(fileURLWithPath: movie.path))
    _ = try place.run(["revert", movie.path] + place.library)
    let original = try Data(contentsOf: URL(fileURLWithPath: movie.path))
    #expect(!original.isEmpty && original != edited)
    let listed = try place.decode([Listed].self, ["library", "list", "--json"] + place.library)
    #expect(listed.map(\.mediaType) == ["video"])
  }

  @Test func nothingIsLeftBehindButPictures() throws {
    let place = try Place()
    _ = try place.run(["capture", "--camera", "test", "--microphone", "none", "--live"] + place.library)
    let files = try #require(FileManager.default.enumerator(atPath: place.folder.path + "/Library"))
      .compactMap { $0 as? String }.filter { $0.hasSuffix(".jpg") || $0.hasSuffix(".mp4") || $0.hasSuffix(".lock") }
    #expect(files.count == 1, "\(files)")
  }

  @Test(
    .enabled(if: Command.commaLocale != nil, "locales is not installed"))
  func decimalCommasChangeNothing() throws {
    let place = try Place()
    let variables = try #require(Command.commaLocale)
    let photos = try place.run(
      ["capture", "--camera", "test", "--count", "2", "--interval", "0.2", "--json"] + place.library, with: variables)
    let lines = photos.split(separator: "\n")
    let shots = try lines.map { try JSONDecoder().decode(Shot.self, from: Data($0.utf8)) }
    #expect(shots.count == 2)
    let live = try place.decode(
      Shot.self, ["capture", "--camera", "test", "--microphone", "test", "--live", "--json"] + place.library,
      with: variables)
    #expect(live.live)
    #expect(abs(try #require(live.movieDuration) - 3) <= 0.1)
    let movie = try place.decode(
      Movie.self,
      ["record", "--camera", "test", "--microphone", "test", "--duration", "1.5", "--effect", "noir:0.5", "--json"]
        + place.library, with: variables)
    #expect(movie.sound && movie.intensity == 0.5 && abs(movie.duration - 1.5) < 0.3)
    // What is typed has points, too.
    struct Edited: Decodable {
      struct Adjustment: Decodable { var data: String }
      var adjustment: Adjustment
    }
    let edited = try place.decode(
      [Edited].self,
      ["edit", shots[0].id, "--adjust", "exposure=0.5", "--straighten", "1.5", "--json"] + place.library,
      with: variables)
    let recipe = String(decoding: try #require(Data(base64Encoded: edited[0].adjustment.data)), as: UTF8.self)
    #expect(recipe.contains(#/"exposure"\s*:\s*0\.5/#) && recipe.contains(#/:\s*1\.5\b/#), "\(recipe)")
  }

  // MARK: Errors

  @Test(arguments: [
    (["capture", "--camera", "nonsense"], "There is no camera “nonsense”", 1),
    (["capture", "--camera", "test", "--resolution", "333x222"], "has no mode with 333x222", 1),
    (["capture", "--camera", "test", "--live", "--microphone", "nonsense"], "There is no microphone “nonsense”", 1),
    (["record", "--camera", "test", "--effect", "nonsense"], "nonsense", 1),
    (["capture", "--camera", "test", "--count", "0"], "--count must be at least 1", 64),
    (["capture", "--camera", "test", "--flash"], "standard error isn’t one", 1),
    (["capture", "--camera", "test", "--frame-rate", "0"], "--frame-rate must be above 0", 64),
    (["record", "--camera", "test", "--frame-rate", "77"], "doesn’t offer the frame rate 77. Available ", 1),
    (["capture", "--camera", "test", "--zoom", "0.5"], "--zoom must be at least 1", 64),
    (["capture", "--camera", "test", "--zoom", "9"], "“zoom” can’t be set to “9.0×”", 1),
    (["record", "--camera", "test", "--contrast", "-1"], "“contrast” can’t be set to “-1”. Possible", 1),
    (["library", "info", "nonsense"], "There is no item “nonsense”", 1),
    (["capture", "--camera", "test", "--interval", "5"], "--interval needs --count", 64),
    (["capture", "--camera", "test", "--microphone", "nonsense"], "There is no microphone “nonsense”", 1),
    (["record", "--camera", "test", "--duration", "0"], "must be above 0", 64),
    (["record", "--camera", "test", "--codec", "av2"], "av2", 64),
    (["record", "--camera", "test", "--countdown", "61"], "--countdown must be from 0 to 60", 64),
    (["nonsense"], "nonsense", 64),
  ])
  func everyErrorIsOneLineAndAStatus(arguments: [String], words: String, status: Int32) throws {
    let place = try Place()
    let isCommand = arguments.count > 1
    let result = try place.result(arguments + (isCommand ? place.library : []))
    #expect(result.status == status)
    #expect(result.output.isEmpty)
    #expect(result.errors.contains(words))
    #expect(result.errors.split(separator: "\n").count == 1, "\(result.errors)")
  }

  @Test func aFolderThatIsAFileIsSaid() throws {
    let place = try Place()
    let file = place.folder.appendingPathComponent("file")
    try Data("x".utf8).write(to: file)
    let result = try place.result(["capture", "--camera", "test", "--library", file.path + "/inside"])
    #expect(result.status == 1 && result.errors.contains("can’t be used"))
    #expect(try Data(contentsOf: file) == Data("x".utf8))
  }

  @Test func withoutPluginsItSaysWhatToInstall() throws {
    let place = try Place()
    // GStreamer with nothing but its core elements.
    let empty = place.folder.appendingPathComponent("plugins")
    try FileManager.default.createDirectory(at: empty, withIntermediateDirectories: true)
    var environment = place.environment
    environment["GST_PLUGIN_SYSTEM_PATH"] = empty.path
    environment["GST_PLUGIN_PATH"] = empty.path
    environment["GST_REGISTRY"] = place.folder.appendingPathComponent("registry.bin").path
    let result = try place.result(["capture", "--camera", "test", "--live"] + place.library, environment: environment)
    #expect(result.status != 0)
    #expect(result.errors.contains("gstreamer1.0-plugins"), "\(result.errors)")
  }
}

/// A folder for one test, with a home of its own, removed at its end.
final class Place {
  let folder: URL
  let environment: [String: String]

  init() throws {
    folder = FileManager.default.temporaryDirectory.appendingPathComponent("photome-ctl-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    var environment = ProcessInfo.processInfo.environment
    // No camera, microphone or setting of the machine takes part in this.
    for name in ["DBUS_SESSION_BUS_ADDRESS", "PULSE_SERVER", "DISPLAY", "WAYLAND_DISPLAY"] { environment[name] = nil }
    // Nor its language: texts are compared in English.
    environment["LANGUAGE"] = nil
    environment["LC_ALL"] = "C.UTF-8"
    environment["HOME"] = folder.path
    for (name, path) in [
      ("XDG_CONFIG_HOME", "config"), ("XDG_DATA_HOME", "data"), ("XDG_CACHE_HOME", "cache"), ("XDG_RUNTIME_DIR", "run"),
    ] {
      environment[name] = folder.appendingPathComponent(path).path
    }
    self.environment = environment.merging(GStreamerRegistry.environment) { $1 }
  }

  deinit {
    do { try FileManager.default.removeItem(at: folder) } catch { Issue.record("\(error)") }
  }

  /// The option that keeps pictures in this folder.
  var library: [String] { ["--library", folder.path + "/Library"] }

  func result(_ arguments: [String], environment: [String: String]? = nil) throws -> Command.Result {
    try Command.run(
      Command.products.appendingPathComponent("photomectl").path, arguments, at: folder,
      environment: environment ?? self.environment)
  }

  /// Standard output of a run that must succeed.
  ///
  /// - Parameter variables: Added to the environment.
  func run(_ arguments: [String], with variables: [String: String] = [:]) throws -> String {
    let result = try result(arguments, environment: environment.merging(variables) { $1 })
    guard result.status == 0 else { throw CommandFailure(output: result.errors) }
    return result.output
  }

  func decode<Value: Decodable>(
    _ type: Value.Type, _ arguments: [String], with variables: [String: String] = [:]
  ) throws -> Value {
    try JSONDecoder().decode(type, from: Data(try run(arguments, with: variables).utf8))
  }

  /// Another program's output, without the last line break.
  func tool(_ name: String, _ arguments: [String]) throws -> String {
    let result = try Command.run(name, arguments, at: folder)
    guard result.status == 0 else { throw CommandFailure(output: "\(name): \(result.errors)") }
    return result.output.trimmingCharacters(in: .whitespacesAndNewlines)
  }
}
