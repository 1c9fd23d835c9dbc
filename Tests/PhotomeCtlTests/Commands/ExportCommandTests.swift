// `photomectl export` of a real live photo in all forms, read by other programs.

import Foundation
import TestSupport
import Testing

@Suite struct ExportCommandTests {
  struct Shot: Decodable {
    var path: String
    var id: String
  }

  struct Output: Decodable {
    struct Exported: Decodable {
      var id: String
      var path: String
      var moviePath: String?
    }
    var exported: [Exported]
  }

  private let place: Place

  init() throws { place = try Place() }

  private func takeLivePhoto() throws -> Shot {
    try place.decode(
      Shot.self, ["capture", "--camera", "test", "--microphone", "test", "--live", "--json"] + place.library)
  }

  private func export(_ shot: Shot, _ kind: String, _ name: String, _ more: String...) throws -> Output.Exported {
    let output = try place.decode(
      Output.self,
      ["export", shot.id, "--as", kind, "--output", path(name), "--json"] + more + place.library)
    #expect(output.exported.map(\.id) == [shot.id])
    return try #require(output.exported.first)
  }

  private func path(_ name: String) -> String { place.folder.appendingPathComponent("out/\(name)").path }

  /// Of what is encoded, by the kind of stream: a digest of all bytes, and the times of all pieces.
  private func packets(_ file: String, _ kind: String) throws -> [String] {
    [
      try place.tool("ffmpeg", ["-v", "error", "-i", file, "-map", "0:\(kind)", "-c", "copy", "-f", "streamhash", "-"])
        .split(separator: "=").last.map(String.init) ?? "",
      try place.tool(
        "ffprobe",
        [
          "-v", "error", "-select_streams", kind, "-show_entries", "packet=pts_time,dts_time,duration_time,flags",
          "-of",
          "csv", file,
        ]),
    ]
  }

  @Test func eachPictureOfASheetIsDecodedByAProcessThatHasSeenNoOther() throws {
    let library = place.folder.appendingPathComponent("Library")
    try FileManager.default.createDirectory(at: library, withIntermediateDirectories: true)
    let paths = try [UInt8(10), 20, 30].map { color in
      let url = library.appendingPathComponent("\(color).gif")
      try HandMadeGIF(width: 16, height: 16, frames: [.init(width: 16, height: 16, color: color)]).data.write(to: url)
      return url.path
    }
    let log = place.folder.appendingPathComponent("decoders")
    let decoder = place.folder.appendingPathComponent("decoder")
    let program = Command.products.appendingPathComponent("photome-decoder").path
    try Data("#!/bin/sh\necho $$ >>'\(log.path)'\nexec '\(program)'\n".utf8).write(to: decoder)
    try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: decoder.path)
    _ = try place.run(
      ["export"] + paths + ["--as", "contact-sheet", "--output", path("sheet.jpg")] + place.library,
      with: ["PHOTOME_DECODER": decoder.path])
    #expect(try String(contentsOf: log, encoding: .utf8).split(separator: "\n").count == paths.count)
  }

  /// A caption that names the place is lost with it: for people that read, and for scripts.
  @Test(.enabled(if: Command.areInstalled("exiftool"), "exiftool is not installed"), arguments: [false, true])
  func aLostCaptionIsSaidOnStandardError(json: Bool) throws {
    let shot = try place.decode(Shot.self, ["capture", "--camera", "test", "--json"] + place.library)
    let texts = ["-XMP-photoshop:City=Zernez", "-EXIF:ImageDescription=Abend in Zernez"]
    _ = try place.tool("exiftool", ["-overwrite_original"] + texts + [shot.path])
    let arguments = ["export", shot.path, "--output", path("a.jpg"), "--strip-location"] + (json ? ["--json"] : [])
    let result = try place.result(arguments + place.library)
    #expect(result.status == 0)
    #expect(result.errors.contains("names the place. The copy doesn’t include it."), "\(result.output)\(result.errors)")
    #expect(result.output.contains("names the place") == json)
  }

  @Test(.enabled(if: Command.areInstalled("exiftool", "ffmpeg", "ffprobe"), "needs exiftool and ffmpeg"))
  func anAppleLivePhotoPassesForOne() throws {
    let shot = try takeLivePhoto()
    let before = try Data(contentsOf: URL(fileURLWithPath: shot.path))
    let pair = try export(shot, "apple-live-photo", "LIVE")
    let movie = try #require(pair.moviePath)
    #expect([pair.path, movie] == [path("LIVE.JPG"), path("LIVE.MOV")])
    let ids = try place.tool("exiftool", ["-s3", "-MediaGroupUUID", "-ContentIdentifier", pair.path, movie])
      .split(separator: "\n").filter { UUID(uuidString: String($0)) != nil }
    #expect(ids.count == 2 && Set(ids).count == 1)
    #expect(try place.tool("exiftool", ["-ee", "-s3", "-StillImageTime", movie]) == "-1")
    let streams = try place.tool(
      "ffprobe", ["-v", "error", "-show_entries", "stream=codec_tag_string,start_time", "-of", "csv=p=0", movie])
    let lines = streams.split(whereSeparator: \.isNewline)
    #expect(lines.contains { $0.hasPrefix("avc1") } && lines.contains { $0.hasPrefix("mp4a") })
    let still = try #require(lines.first { $0.hasPrefix("mebx") }.flatMap { Double($0.split(separator: ",")[1]) })
    let told = try place.tool("exiftool", ["-s3", "-MotionPhotoPresentationTimestampUs", shot.path])
    #expect(abs(still - (try #require(Double(told))) / 1_000_000) < 0.0001)
    #expect(try place.tool("exiftool", ["-s3", "-MotionPhoto", "-trailer", pair.path]) == "")
    for file in [pair.path, movie] {
      #expect(try place.tool("exiftool", ["-s3", "-validate", "-warning", "-a", file]) == "OK")
    }

    let source = try export(shot, "movie", "source.mp4").path
    for kind in ["v", "a"] { #expect(try packets(source, kind) == packets(movie, kind)) }
    #expect(try Data(contentsOf: URL(fileURLWithPath: shot.path)) == before)

    // Without sound the picture stays as it is.
    let silent = try export(shot, "apple-live-photo", "silent.jpg", "--strip-sound", "--strip-location")
    let silentMovie = try #require(silent.moviePath)
    #expect(silentMovie == path("silent.mov"))
    #expect(try packets(source, "v") == packets(silentMovie, "v"))
    let kinds = try place.tool(
      "ffprobe", ["-v", "error", "-show_entries", "stream=codec_type", "-of", "csv=p=0", silentMovie])
    #expect(!kinds.contains("audio") && kinds.contains("video"))
  }

  @Test(.enabled(if: Command.areInstalled("exiftool", "ffmpeg", "ffprobe"), "needs exiftool and ffmpeg"))
  func animationsAndStillsAreWhatTheySay() throws {
    let shot = try takeLivePhoto()
    for (kind, size) in [("gif", 160), ("webp", 200)] {
      let file = try export(shot, kind, "film.\(kind)", "--size", "\(size)").path
      let text = try place.tool("exiftool", ["-s3", "-n", "-FileType", "-ImageWidth", "-Duration", file])
      let values = text.split(separator: "\n")
      #expect(values.first?.lowercased().contains(kind) == true && values.contains("\(size)"))
      #expect(abs(try #require(values.last.flatMap { Double($0) }) - 3) <= 0.1)
    }
    let png = try export(shot, "still", "still.png", "--size", "320").path
    #expect(try place.tool("exiftool", ["-s3", "-FileType", "-ImageSize", png]) == "PNG\n320x180")
    let jpeg = try export(shot, "still", "still.jpg", "--size", "320", "--strip-location").path
    #expect(try place.tool("exiftool", ["-s3", "-ImageSize", "-ExifImageWidth", jpeg]) == "320x180\n320")
    #expect(try place.tool("exiftool", ["-s3", "-ImageUniqueID", jpeg]) == shot.id)
    // A Motion Photo without sound is still one.
    let motion = try export(shot, "motion-photo", "m.MP.jpg", "--strip-sound", "--strip-location").path
    let movie = try export(shot, "movie", "m.mp4", "--strip-sound", "--strip-location").path
    let lengths = try place.tool("exiftool", ["-s3", "-a", "-DirectoryItemLength", motion])
    let length = try #require(Int(lengths.split(separator: "\n").last ?? ""))
    let tail = try Data(contentsOf: URL(fileURLWithPath: motion)).suffix(length)
    #expect(try tail == Data(contentsOf: URL(fileURLWithPath: movie)))
  }

  @Test(.enabled(if: Command.areInstalled("exiftool", "ffmpeg", "ffprobe"), "needs exiftool and ffmpeg"))
  func whatHasAMovieIsMadeSmallerAsAWhole() throws {
    let shot = try place.decode(
      Shot.self,
      ["capture", "--camera", "test", "--microphone", "test", "--live", "--resolution", "640x480", "--json"]
        + place.library)
    func facts(_ path: String) throws -> String {
      try place.tool(
        "ffprobe", ["-v", "error", "-show_entries", "stream=codec_name,width,height,nb_frames", "-of", "csv", path])
    }
    func export(_ kind: String, _ name: String) throws {
      _ = try place.run(["export", shot.id, "--as", kind, "--size", "320", "--output", path(name)] + place.library)
    }
    try export("movie", "small.mp4")
    let movie = try facts(path("small.mp4"))
    #expect(movie.contains("h264,320,240") && movie.contains("aac"))
    try export("motion-photo", "small.MP.jpg")
    let picture = try place.tool("exiftool", ["-s3", "-ImageSize", "-MotionPhoto", path("small.MP.jpg")])
    #expect(picture.split(separator: "\n") == ["320x240", "1"])
    try export("apple-live-photo", "small.JPG")
    let still = try place.tool("exiftool", ["-s3", "-ImageSize", path("small.JPG")])
    #expect(still.split(separator: "\n") == ["320x240"])
    #expect(try facts(path("small.MOV")).contains("h264,320,240"))
    let ids = try place.tool(
      "exiftool", ["-s3", "-MediaGroupUUID", "-ContentIdentifier", path("small.JPG"), path("small.MOV")])
    #expect(Set(ids.split(separator: "\n").filter { $0.count == 36 }).count == 1)
    #expect(
      try FileManager.default.contentsOfDirectory(atPath: place.folder.path + "/Library/.photome/incoming").isEmpty)
  }

  @Test(arguments: [
    (#""removesLocation":"yes""#, "removesLocation"), (#""longestSide":"800""#, "longestSide"),
    (#""format":"heic2""#, "heic2"),
  ])
  func aPresetThatCannotBeReadIsRefused(value: String, words: String) throws {
    let shot = try place.decode(Shot.self, ["capture", "--camera", "test", "--json"] + place.library)
    let settings = place.folder.appendingPathComponent("config/photome", isDirectory: true)
    try FileManager.default.createDirectory(at: settings, withIntermediateDirectories: true)
    let text = #"{"exportPresets":{"Web":{\#(value)},"Mail":{"format":"jpeg","removesLocation":true}}}"#
    try Data(text.utf8).write(to: settings.appendingPathComponent("settings.json"))
    let result = try place.result(["export", shot.id, "--preset", "Web", "--output", path("x.jpg")] + place.library)
    #expect(result.status == 1 && result.errors.contains("“Web” can’t be used"), "\(result.errors)")
    #expect(result.errors.contains(words) && result.errors.split(separator: "\n").count == 1, "\(result.errors)")
    #expect(!FileManager.default.fileExists(atPath: path("x.jpg")))
    _ = try place.run(["export", shot.id, "--preset", "mail", "--output", path("y.jpg")] + place.library)
    #expect(FileManager.default.fileExists(atPath: path("y.jpg")))
  }

  @Test func whatCannotBeIsSaidInOneLine() throws {
    let shot = try place.decode(Shot.self, ["capture", "--camera", "test", "--json"] + place.library)
    for (arguments, words, status) in [
      (["--as", "movie", "--size", "100"], "it contains no video", 1), (["--as", "gif"], "it contains no video", 1),
      (["--as", "apple-live-photo"], "isn’t a live photo", 1),
      (["--size", "5"], "--size must be from 16", 64),
      (["--as", "nonsense"], "nonsense", 64),
    ] as [([String], String, Int32)] {
      let result = try place.result(["export", shot.id, "--output", path("x")] + arguments + place.library)
      #expect(result.status == status && result.errors.contains(words), "\(result.errors)")
      #expect(result.errors.split(separator: "\n").count == 1)
    }
    let folder = place.folder.appendingPathComponent("out").path
    #expect(((try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []).isEmpty)
  }
}
