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

  /// The variables of a locale that writes 1,5 for one and a half, made of Debian's `locales` in a folder of its own; `nil`
  /// where those are missing.
  public static let commaLocale: [String: String]? = {
    let name = "de_DE.UTF-8"
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent("photome-locales")
    try? FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    // Under another name first: several tests at once may make it.
    let made = folder.appendingPathComponent(UUID().uuidString)
    let result = try? run("localedef", ["-i", "de_DE", "-f", "UTF-8", made.path], at: folder)
    guard result?.status == 0 else { return nil }
    let locale = folder.appendingPathComponent(name)
    do { try FileManager.default.moveItem(at: made, to: locale) } catch {
      // There is one of an earlier run.
      try? FileManager.default.removeItem(at: made)
    }
    return ["LC_ALL": name, "LOCPATH": folder.path]
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
