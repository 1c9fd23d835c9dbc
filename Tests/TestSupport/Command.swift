// Programs found through PATH, run to their end, with their output.

import Foundation

/// A program that could not be run or failed, with its output.
public struct CommandFailure: Error, CustomStringConvertible {
  public var output: String
  public var description: String { output }

  public init(output: String) { self.output = output }
}

/// Child processes that are waited for.
public enum Command {
  public struct Result: Sendable {
    public var status: Int32
    /// Standard output.
    public var output: String
    /// Standard error.
    public var errors: String
  }

  /// The folder of the programs that were built with these tests.
  public static var products: URL {
    URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath().deletingLastPathComponent()
  }

  /// Runs `name`, a path or a name in `PATH`, and waits for its end. Status 127 means that there is no such program.
  ///
  /// - Parameter environment: `nil` takes that of the tests.
  public static func run(
    _ name: String, _ arguments: [String], at folder: URL, environment: [String: String]? = nil
  ) throws -> Result {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
    process.arguments = [name] + arguments
    process.currentDirectoryURL = folder
    if let environment { process.environment = environment }
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
    try process.runAlone()
    process.waitUntilExit()
    let texts = try files.map { file in
      try file.seek(toOffset: 0)
      return String(decoding: try file.readToEnd() ?? Data(), as: UTF8.self)
    }
    return Result(status: process.terminationStatus, output: texts[0], errors: texts[1])
  }

  /// Everything that a program prints, errors last; `nil` when it isn't installed.
  public static func report(of name: String, _ arguments: String...) throws -> String? {
    let result = try run(name, arguments, at: FileManager.default.temporaryDirectory)
    return result.status == 127 ? nil : result.output + result.errors
  }

  /// Runs a checking tool and returns its complaints; `nil` when it has none.
  ///
  /// - Parameter package: The Debian package that installs the tool.
  public static func complaint(of name: String, _ arguments: [String], package: String, at folder: URL) throws
    -> String?
  {
    let result = try run(name, arguments, at: folder)
    if result.status == 127 { return "\(name) is not installed: sudo apt install \(package)" }
    return result.status == 0 ? nil : result.output + result.errors
  }

  /// Whether all of these programs are in `PATH`; for `.enabled(if:)` of tests that need them.
  public static func areInstalled(_ names: String...) -> Bool {
    let folders = (ProcessInfo.processInfo.environment["PATH"] ?? "").split(separator: ":")
    return names.allSatisfy { name in
      folders.contains { FileManager.default.isExecutableFile(atPath: "\($0)/\(name)") }
    }
  }

  /// An installed locale that writes 1,5 for one and a half; `nil` where there is none.
  public static let commaLocale: String? = {
    let installed = (try? report(of: "locale", "-a"))?.split(separator: "\n").map { $0.lowercased() } ?? []
    return ["de_DE", "fr_FR", "es_ES", "it_IT", "nl_NL", "pt_BR", "ru_RU"].first {
      installed.contains("\($0.lowercased()).utf8")
    }.map { "\($0).UTF-8" }
  }()

  /// Whether this process may mount file systems, as root outside of a container may; tried once.
  public static let canMount: Bool = {
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent("photome-mount-\(UUID().uuidString)")
    defer { try? FileManager.default.removeItem(at: folder) }
    try? FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    guard (try? run("mount", ["-t", "tmpfs", "tmpfs", folder.path], at: folder))?.status == 0 else { return false }
    _ = try? run("umount", ["-l", folder.path], at: folder.deletingLastPathComponent())
    return true
  }()
}
