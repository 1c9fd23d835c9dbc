// Tools and privileges that some tests need: without them a test is skipped, and the report says so.

import Foundation

enum Prerequisite {
  /// Whether this process may mount file systems; being root is not enough in a container.
  static let canMount: Bool = {
    let folder = FileManager.default.temporaryDirectory.path + "/photome-mount-\(UUID().uuidString)"
    guard mkdir(folder, 0o700) == 0 else { return false }
    defer { rmdir(folder) }
    guard mount("tmpfs", folder, "tmpfs", 0, "size=64k") == 0 else { return false }
    return umount2(folder, Int32(MNT_DETACH)) == 0
  }()

  static let exiftool = program("exiftool") != nil
  static let flock = program("flock") != nil

  /// The path of an installed program.
  static func program(_ name: String) -> String? {
    ["/usr/bin/", "/bin/", "/usr/local/bin/"].map { $0 + name }
      .first { FileManager.default.isExecutableFile(atPath: $0) }
  }
}

/// The output and the errors of a program; `nil` when it isn't installed.
func output(_ program: String, _ arguments: String...) throws -> String? {
  guard let path = Prerequisite.program(program) else { return nil }
  let process = Process()
  process.executableURL = URL(fileURLWithPath: path)
  process.arguments = arguments
  let pipe = Pipe()
  process.standardOutput = pipe
  process.standardError = pipe
  try process.run()
  let data = pipe.fileHandleForReading.readDataToEndOfFile()
  process.waitUntilExit()
  return String(decoding: data, as: UTF8.self)
}
