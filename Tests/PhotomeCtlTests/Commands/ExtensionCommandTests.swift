// Editing extensions under `photomectl`: what becomes of them when it is killed.

import Foundation
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(30))) struct ExtensionCommandTests {
  private struct Listed: Decodable {
    var id: String
    var edited: Bool
  }

  /// The extension kills the `photomectl` that started it, and would go on for ever, and so would its daemon.
  @Test(.enabled(if: Command.areInstalled("setsid"), "setsid is not installed"))
  func nothingOutlivesAKill() throws {
    let place = try Place()
    _ = try place.run(["capture", "--camera", "test", "--resolution", "640x480"] + place.library)
    let shot = try #require(try place.decode([Listed].self, ["library", "list", "--json"] + place.library).first)
    let folder = place.folder.appendingPathComponent("data/photome/extensions")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    let (pipe, marker) = (place.folder.path + "/pipe", place.folder.path + "/started")
    #expect(mkfifo(pipe, 0o600) == 0)
    let script = """
      #!/bin/sh
      trap '' TERM HUP
      exec 9> "\(pipe)"
      setsid sh -c 'trap "" TERM HUP; while :; do sleep 0.1; done' &
      echo yes > "\(marker)"
      # The parent is the supervisor, and its parent photomectl.
      kill -9 $(cut -d ' ' -f 4 /proc/$PPID/stat)
      while :; do sleep 0.1; done
      """
    let program = folder.appendingPathComponent("killer")
    try Data(script.utf8).write(to: program)
    try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: program.path)
    let keys =
      "[Editing Extension]\nName=Killer\nExec=./killer\nFormatIdentifier=org.example.killer\nFormatVersions=1;\n"
    try Data(keys.utf8).write(to: folder.appendingPathComponent("killer.extension"))

    let reader = open(pipe, O_RDONLY | O_NONBLOCK | O_CLOEXEC)
    try #require(reader >= 0)
    defer { close(reader) }
    let result = try place.result(["edit", shot.id, "--with", "killer"] + place.library)
    #expect(result.status == SIGKILL, "\(result.errors)")
    #expect(FileManager.default.fileExists(atPath: marker))
    // Ends when nobody has the pipe open for writing anymore.
    #expect(fcntl(reader, F_SETFL, 0) == 0)
    var byte: UInt8 = 0
    #expect(read(reader, &byte, 1) == 0)
    #expect(try place.decode([Listed].self, ["library", "list", "--json"] + place.library).first?.edited == false)
  }
}
