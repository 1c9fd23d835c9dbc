// Editing extensions: well-behaved ones, and those that hang, crash or write garbage.

import CameraCore
import Foundation
import Synchronization
import TestSupport
import Testing

@testable import PhotoLibrary

@Suite(.timeLimit(.minutes(30))) struct ExtensionTests {
  /// A key file and its program in a folder of their own.
  private func folder(
    _ scratch: Scratch, id: String = "test", script: String = "exit 0", keys: [String: String?] = [:]
  ) throws -> URL {
    let folder = scratch.url.appendingPathComponent("extensions", isDirectory: true)
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    let program = folder.appendingPathComponent("\(id)-program")
    try Data("#!/bin/sh\n\(script)\n".utf8).write(to: program)
    try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: program.path)
    var values: [String: String?] = [
      "Name": "Test", "Exec": "\(id)-program", "FormatIdentifier": "org.example.test", "FormatVersions": "2;1;",
      "Media": "photo;live;video",
    ]
    values.merge(keys) { $1 }
    let lines = values.compactMap { key, value in value.map { "\(key)=\($0)\n" } }.sorted().joined()
    try Data("[Editing Extension]\n\(lines)".utf8).write(to: folder.appendingPathComponent("\(id).extension"))
    return folder
  }

  private func only(_ folder: URL) throws -> EditingExtension {
    let found = EditingExtensions(in: [folder])
    #expect(found.problems.isEmpty)
    return try #require(found.extensions.first)
  }

  private func shot(_ library: PhotoLibrary, live: Bool = false) async throws -> Asset {
    let movie = live ? try await Samples.movie(in: library, name: "\(UUID().uuidString).mp4") : nil
    return try await library.createAsset(
      AssetCreationRequest(
        photo: Samples.jpeg(), metadata: Samples.metadata(), pairedVideo: movie, photoDisplayTime: live ? 1.5 : nil))
  }

  // MARK: Key files

  @Test func keyFilesSayWhatTheyCan() throws {
    let scratch = try Scratch()
    let folder = try folder(
      scratch, keys: ["Exec": "test-program --size 'very big'", "Comment": "Does nothing", "TimeLimit": "7"])
    let found = try only(folder)
    #expect(found.id == "test" && found.name == "Test" && found.comment == "Does nothing" && found.timeLimit == 7)
    #expect(found.command == [folder.appendingPathComponent("test-program").path, "--size", "very big"])
    #expect(found.formatVersions == ["2", "1"] && found.media == [.photo, .live, .video])
    func data(_ identifier: String, _ version: String) -> AdjustmentData {
      AdjustmentData(formatIdentifier: identifier, formatVersion: version, data: Data())
    }
    #expect(found.canHandle(data("org.example.test", "1")) && !found.canHandle(data("org.example.test", "3")))
    #expect(!found.canHandle(data("org.example.other", "1")))
    // The first folder hides what the second has of the same name; missing folders are none.
    let other = try Scratch()
    _ = try self.folder(other, keys: ["Name": "Hidden"])
    let both = EditingExtensions(
      in: [scratch.url.appendingPathComponent("none"), folder, other.url.appendingPathComponent("extensions")])
    #expect(both.extensions.map(\.name) == ["Test"] && both.named("TEST")?.id == "test" && both.named("x") == nil)
  }

  @Test(
    arguments: [
      (["Name": nil], "it has no Name"), (["Exec": nil], "it has no Exec"),
      (["Exec": "'open"], "check the quotation marks"),
      (["Exec": "not-there-at-all"], "isn’t installed"), (["FormatIdentifier": "mine"], "isn’t a unique name"),
      (["FormatIdentifier": "io.github.photome.recipe"], "isn’t a unique name"),
      (["FormatVersions": nil], "it has no FormatVersions"), (["Media": "smell"], "isn’t one of photo, live, or video"),
      (["TimeLimit": "0"], "from 1 to 3,600"), (["TimeLimit": "soon"], "from 1 to 3,600"),
    ] as [([String: String?], String)])
  func badKeyFilesAreSaid(keys: [String: String?], words: String) throws {
    let scratch = try Scratch()
    let found = EditingExtensions(in: [try folder(scratch, keys: keys)])
    #expect(found.extensions.isEmpty)
    #expect(found.problems.count == 1 && found.problems[0].description.contains(words), "\(found.problems)")
  }

  @Test func whatNeedsAnotherProgramIsNotOfferedWithoutIt() throws {
    let scratch = try Scratch()
    let found = EditingExtensions(in: [try folder(scratch, keys: ["TryExec": "no-such-program-anywhere"])])
    #expect(found.extensions.isEmpty && found.problems.isEmpty)
  }

  @Test func garbageInTheFolderIsHarmless() throws {
    let scratch = try Scratch()
    let folder = try folder(scratch)
    try Data((0..<2000).map { UInt8(truncatingIfNeeded: $0 * 37) }).write(
      to: folder.appendingPathComponent("a.extension"))
    try Data(count: 100_000).write(to: folder.appendingPathComponent("b.extension"))
    try FileManager.default.createDirectory(
      at: folder.appendingPathComponent("c.extension"), withIntermediateDirectories: true)
    let found = EditingExtensions(in: [folder])
    #expect(found.extensions.map(\.id) == ["test"] && found.problems.count == 3)
  }

  // MARK: Edits

  @Test func itGetsTheOriginalAndItsOwnSettings() async throws {
    let scratch = try Scratch()
    let library = try await scratch.library()
    let asset = try await shot(library, live: true)
    let original = try Data(contentsOf: asset.url)
    let painted = scratch.url.appendingPathComponent("painted.jpg")
    try Samples.jpeg(shade: 200).write(to: painted)
    let script = """
      [ "$PHOTOME_PROTOCOL" = 1 ] && [ -s "$PHOTOME_INPUT_PHOTO" ] && [ -s "$PHOTOME_INPUT_MOVIE" ] || exit 1
      [ "$(ls)" = "$(printf 'input.jpg\\ninput.mp4')" ] || [ -n "$PHOTOME_INPUT_ADJUSTMENT" ] || true
      echo progress 0.5
      cp "\(painted.path)" "$PHOTOME_OUTPUT_PHOTO"
      cp "$PHOTOME_INPUT_MOVIE" "$PHOTOME_OUTPUT_MOVIE"
      cat "$PHOTOME_INPUT_ADJUSTMENT" > "$PHOTOME_OUTPUT_ADJUSTMENT" 2> /dev/null
      printf "x$PHOTOME_INPUT_VERSION $PHOTOME_PHOTO_TIME" >> "$PHOTOME_OUTPUT_ADJUSTMENT"
      """
    let found = try only(folder(scratch, script: script))
    let told = Mutex<[Double]>([])
    try await library.edit(asset, with: found) { part in told.withLock { $0.append(part) } }
    let edited = try #require(try await library.asset(id: asset.id))
    #expect(edited.isEdited && edited.isLive && edited.duration == asset.duration)
    #expect(told.withLock { $0.allSatisfy { $0 == 0.5 } })
    let first = try #require(try await library.adjustmentData(for: asset.id))
    #expect(first.formatIdentifier == "org.example.test" && first.formatVersion == "2")
    #expect(String(decoding: first.data, as: UTF8.self) == "x 1.5")
    // Again: it starts from the original, with what it said before.
    try await library.edit(edited, with: found)
    let second = try #require(try await library.adjustmentData(for: asset.id))
    #expect(String(decoding: second.data, as: UTF8.self) == "x 1.5x2 1.5")
    try await library.performChanges { $0.change(.revert(asset.id)) }
    #expect(try Data(contentsOf: asset.url) == original)
  }

  @Test func withoutAMovieOfItsOwnALivePhotoKeepsIts() async throws {
    let scratch = try Scratch()
    let library = try await scratch.library()
    let asset = try await shot(library, live: true)
    let found = try only(folder(scratch, script: "cp \"$PHOTOME_INPUT_PHOTO\" \"$PHOTOME_OUTPUT_PHOTO\""))
    try await library.edit(asset, with: found)
    let edited = try #require(try await library.asset(id: asset.id))
    #expect(edited.isEdited && edited.isLive && edited.duration == asset.duration)
  }

  @Test(arguments: [
    ("exit 3", "it ended with the status 3"), ("echo 'No brush. ' >&2; echo >&2; exit 1", "No brush"),
    ("kill -SEGV $$", "it crashed"), ("exit 0", "it created no photo"),
    ("echo garbage > \"$PHOTOME_OUTPUT_PHOTO\"", "isn’t a complete JPEG"),
    ("head -c 900 \"$PHOTOME_INPUT_PHOTO\" > \"$PHOTOME_OUTPUT_PHOTO\"", "isn’t a complete JPEG"),
    ("ln -s /etc/hostname \"$PHOTOME_OUTPUT_PHOTO\"", "isn’t a regular file"),
    ("mkfifo \"$PHOTOME_OUTPUT_PHOTO\"", "isn’t a regular file"),
    (
      "cp \"$PHOTOME_INPUT_PHOTO\" \"$PHOTOME_OUTPUT_PHOTO\"; echo garbage > \"$PHOTOME_OUTPUT_MOVIE\"",
      "isn’t an MP4 video"
    ),
    (
      "cp \"$PHOTOME_INPUT_PHOTO\" \"$PHOTOME_OUTPUT_PHOTO\"; head -c 2000000 /dev/zero > \"$PHOTOME_OUTPUT_ADJUSTMENT\"",
      "larger than 1 MB"
    ),
  ])
  func whatGoesWrongIsSaidAndNothingChanges(script: String, words: String) async throws {
    let scratch = try Scratch()
    let library = try await scratch.library()
    let asset = try await shot(library, live: true)
    let before = try Data(contentsOf: asset.url)
    let found = try only(folder(scratch, script: script))
    let error = await #expect(throws: PhotoLibraryError.self) { try await library.edit(asset, with: found) }
    #expect(error?.description.contains(words) == true, "\(String(describing: error))")
    #expect(try Data(contentsOf: asset.url) == before)
    #expect(try await library.asset(id: asset.id)?.isEdited == false)
    #expect(try FileManager.default.contentsOfDirectory(atPath: library.movieFolder.path).isEmpty)
  }

  /// It ignores SIGTERM, and so does its child.
  private static let deaf = "trap '' TERM; (trap '' TERM; while :; do sleep 0.1; done) & while :; do sleep 0.1; done"

  @Test func whatHangsIsStopped() async throws {
    let scratch = try Scratch()
    let library = try await scratch.library()
    let asset = try await shot(library)
    let found = try only(folder(scratch, script: Self.deaf, keys: ["TimeLimit": "1"]))
    let error = await #expect(throws: PhotoLibraryError.self) { try await library.edit(asset, with: found) }
    #expect(error?.description.contains("longer than 1 second and") == true)
    #expect(try await library.asset(id: asset.id)?.isEdited == false)
  }

  @Test func cancelingEndsIt() async throws {
    let scratch = try Scratch()
    let library = try await scratch.library()
    let asset = try await shot(library)
    let found = try only(folder(scratch, script: "echo progress 0.1; exec sleep 1000"))
    let (stream, continuation) = AsyncStream.makeStream(of: Double.self)
    let task = Task { try await library.edit(asset, with: found) { continuation.yield($0) } }
    for await _ in stream { break }
    task.cancel()
    await #expect(throws: PhotoLibraryError.cancelled) { try await task.value }
    #expect(try await library.asset(id: asset.id)?.isEdited == false)
  }

  // MARK: Nothing gets away

  /// Whether a process with this number is there, dead or alive.
  private func isThere(_ process: String) -> Bool {
    pid_t(process.trimmingCharacters(in: .whitespacesAndNewlines)).map { kill($0, 0) == 0 } ?? true
  }

  /// A session of its own, as of a daemon, in which there is one that was left by its parent as well.
  private static func escape(to file: URL) -> String {
    """
    setsid sh -c 'trap "" TERM HUP; echo $$ > "\(file.path)"; while :; do sleep 0.1; done' < /dev/null > /dev/null 2>&1 &
    (setsid sh -c '(trap "" TERM HUP; while :; do sleep 0.1; done) & echo $! > "\(file.path).2"' &)
    while ! [ -s "\(file.path)" ] || ! [ -s "\(file.path).2" ]; do sleep 0.01; done
    """
  }

  @Test(
    .enabled(if: Command.areInstalled("setsid"), "setsid is not installed"),
    arguments: ["cp \"$PHOTOME_INPUT_PHOTO\" \"$PHOTOME_OUTPUT_PHOTO\"", "exit 1", "while :; do sleep 0.1; done"])
  func noSessionEscapes(end: String) async throws {
    let scratch = try Scratch()
    let library = try await scratch.library()
    let asset = try await shot(library)
    let file = scratch.url.appendingPathComponent("escaped")
    let script = "\(Self.escape(to: file))\necho progress 0.5\n\(end)"
    let found = try only(folder(scratch, script: script))
    let (stream, continuation) = AsyncStream.makeStream(of: Double.self)
    let task = Task { try await library.edit(asset, with: found) { continuation.yield($0) } }
    if end.hasPrefix("while") {
      for await _ in stream { break }
      task.cancel()
    }
    _ = await task.result
    #expect(try await library.asset(id: asset.id)?.isEdited == end.hasPrefix("cp"))
    for name in [file.path, file.path + ".2"] {
      let process = try String(contentsOfFile: name, encoding: .utf8)
      #expect(!isThere(process), "\(process)")
    }
  }

  /// The limits that the kernel keeps for it: memory, the length of a file, processor time, dumps.
  @Test func itHasLimits() async throws {
    let scratch = try Scratch()
    let library = try await scratch.library()
    let asset = try await shot(library)
    let script = """
      cp "$PHOTOME_INPUT_PHOTO" "$PHOTOME_OUTPUT_PHOTO"
      for limit in v f t c; do ulimit -H -$limit; done > "$PHOTOME_OUTPUT_ADJUSTMENT"
      """
    try await library.edit(asset, with: try only(folder(scratch, script: script, keys: ["TimeLimit": "700"])))
    let adjustment = try #require(try await library.adjustmentData(for: asset.id))
    let limits = String(decoding: adjustment.data, as: UTF8.self).split(separator: "\n").map(String.init)
    #expect(limits.count == 4 && !limits.contains("unlimited") && limits[3] == "0", "\(limits)")
    // Every processor may be busy for as long as the program may run.
    #expect(Int(limits[2]).map { $0 >= 700 } == true)
  }

  @Test func anEndlessFileIsStopped() async throws {
    let scratch = try Scratch()
    let library = try await scratch.library()
    let asset = try await shot(library, live: true)
    let script = """
      cp "$PHOTOME_INPUT_PHOTO" "$PHOTOME_OUTPUT_PHOTO"
      exec truncate -s 1T "$PHOTOME_OUTPUT_MOVIE"
      """
    let found = try only(folder(scratch, script: script))
    let error = await #expect(throws: PhotoLibraryError.self) { try await library.edit(asset, with: found) }
    #expect(error?.description.contains("larger than") == true, "\(String(describing: error))")
    #expect(try await library.asset(id: asset.id)?.isEdited == false)
  }

  @Test(
    "An extension that puts something else in the place of its output doesn't hold up PhotoMe",
    arguments: ["mkfifo stderr", "ln -s /dev/zero stderr", "mkfifo stdout", "ln -s /dev/zero stdout"])
  func replacedOutput(act: String) async throws {
    let scratch = try Scratch()
    let library = try await scratch.library()
    let asset = try await shot(library)
    let script = "echo It is broken. >&2; rm -f stdout stderr; \(act); exit 3"
    let found = try only(folder(scratch, script: script))
    let error = await #expect(throws: PhotoLibraryError.self) { try await library.edit(asset, with: found) }
    #expect(error?.description.contains("It is broken") == true, "\(String(describing: error))")
    await library.close()
  }

  @Test func whatItCantEditIsSaid() async throws {
    let scratch = try Scratch()
    let library = try await scratch.library()
    let asset = try await shot(library, live: true)
    let found = try only(folder(scratch, keys: ["Media": "photo;video"]))
    let error = await #expect(throws: PhotoLibraryError.self) { try await library.edit(asset, with: found) }
    #expect(error?.description.contains("can’t edit live photos") == true)
  }

  /// The extensions in the program's own folder are found, and can be used as far as their programs are installed.
  @Test func theBundledOnesAreInOrder() throws {
    let data = URL(fileURLWithPath: #filePath).appendingPathComponent("../../../../data/extensions").standardized
    let found = EditingExtensions(in: [data])
    #expect(found.problems.isEmpty)
    let program = Bundle.main.executableURL
    #expect(
      UserFolders().extensions(environment: [:], program: program).contains { $0.path == data.path } || program == nil)
    let script = data.appendingPathComponent("oil-painting").path
    #expect(FileManager.default.isExecutableFile(atPath: script))
  }
}
