// Runs a program that is found through PATH, and collects what it prints.

import Foundation

/// A program that could not be run or did not do its work; the text is what it printed.
struct CommandFailure: Error, CustomStringConvertible {
  var output: String
  var description: String { output }
}

enum Command {
  struct Result {
    var status: Int32
    /// Standard output.
    var output: String
    /// Standard error.
    var errors: String
  }

  /// Runs `name` and waits for its end. Status 127 means that there is no such program.
  static func run(_ name: String, _ arguments: [String], at folder: URL = ProjectTree.root) throws -> Result {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
    process.arguments = [name] + arguments
    process.currentDirectoryURL = folder
    // Files, not pipes: a full pipe would stop the program.
    let scratch = FileManager.default.temporaryDirectory.appendingPathComponent("photome-run-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: scratch, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: scratch) }
    let files = try ["output", "errors"].map { name in
      let url = scratch.appendingPathComponent(name)
      try Data().write(to: url)
      return try FileHandle(forUpdating: url)
    }
    process.standardInput = FileHandle.nullDevice
    process.standardOutput = files[0]
    process.standardError = files[1]
    try process.run()
    process.waitUntilExit()
    let texts = try files.map { file in
      try file.seek(toOffset: 0)
      return String(decoding: try file.readToEnd() ?? Data(), as: UTF8.self)
    }
    return Result(status: process.terminationStatus, output: texts[0], errors: texts[1])
  }

  /// Runs a checking tool and returns what it complains about, or `nil`. `package` is what brings it on Debian.
  static func complaint(of name: String, _ arguments: [String], package: String) throws -> String? {
    let result = try run(name, arguments)
    if result.status == 127 { return "\(name) is not installed: sudo apt install \(package)" }
    return result.status == 0 ? nil : result.output + result.errors
  }
}
