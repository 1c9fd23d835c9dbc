// `photome-bench kill-edits`: photomectl killed in the middle of edits, with the original checked after each.

import ArgumentParser
import Foundation
import PersonMatte

/// `photome-bench kill-edits`: one live photo, edited again and again by processes that are killed at random instants.
///
/// After each death the library must be whole, the file must be the one before or the one after the edit, whichever its
/// record says, and a revert must restore the original byte for byte.
struct KillEditsCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "kill-edits", abstract: "Kill edits at random instants and restore the original.")

  @Argument(help: "The number of edits.") var count = 50
  @Option(help: "Repeats the choices of an earlier run.") var seed: UInt64 = .random(in: .min ... .max)

  private static let edits: [[String]] = [
    ["--effect", "comic"], ["--effect", "noir:0.5", "--adjust", "exposure=0.5"], ["--turn", "90"],
    ["--crop", "0.1,0.1,0.5,0.5"], ["--flip", "--straighten", "4"], ["--mute"], ["--trim", "0.5..2"],
    ["--key-photo", "0.7"], ["--style", "bounce"], ["--style", "long-exposure"],
  ]
  /// They keep a matte beside the original.
  private static let editsWithMattes = [["--effect", "portrait"], ["--effect", "comic", "--on", "background"]]

  func run() async throws {
    let own = URL(fileURLWithPath: try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe"))
    let folder = URL(fileURLWithPath: "/var/tmp/photome-kill-edits-\(getpid())")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    var edits = KilledEdits(
      program: own.deletingLastPathComponent().appendingPathComponent("photomectl"), folder: folder,
      random: BenchRandom(seed: seed))
    let reason = PersonMatteProvider().reasonForAbsence()
    if let reason { print("without effects that find people: \(reason.localizedDescription)") }
    let kinds = Self.edits + (reason == nil ? Self.editsWithMattes : [])
    print("\(count) edits are killed, seed \(seed)")
    try edits.prepare()
    let durations = try kinds.map { try edits.complete($0) }
    for number in 0..<count {
      Progress.show("\(number) of \(count)")
      let kind = number % kinds.count
      // Every other one near its end, where files change.
      let start = (number / kinds.count).isMultiple(of: 2) ? 0 : durations[kind] * 0.7
      try edits.kill(kinds[kind], at: start...durations[kind])
    }
    Progress.end()
    print(
      "\(edits.killed) killed in the middle: \(edits.unchanged) times the file before, \(edits.changed) times the edited one; "
        + "\(edits.reverted) times the original came back byte for byte; the library was whole each time.")
  }
}

/// One live photo and what becomes of it.
private struct KilledEdits {
  let program: URL
  let folder: URL
  var random: BenchRandom
  private var id = ""
  private var path = ""
  private var original = Data()
  private(set) var killed = 0
  private(set) var unchanged = 0
  private(set) var changed = 0
  private(set) var reverted = 0

  init(program: URL, folder: URL, random: BenchRandom) {
    (self.program, self.folder, self.random) = (program, folder, random)
  }

  private struct Listed: Decodable {
    struct Adjustment: Decodable, Equatable { var data: String }
    var id: String
    var path: String
    var edited: Bool
    var adjustment: Adjustment?
  }

  private var environment: [String: String] {
    ProcessInfo.processInfo.environment.merging([
      "HOME": folder.path, "XDG_DATA_HOME": folder.path + "/data", "XDG_CACHE_HOME": folder.path + "/cache",
    ]) { $1 }
  }

  private func command(_ arguments: [String]) -> [String] {
    [program.path] + arguments + ["--library", folder.path + "/Library"]
  }

  /// Runs to the end, and must succeed.
  private func run(_ arguments: [String]) throws {
    let log = folder.appendingPathComponent("log")
    try? FileManager.default.removeItem(at: log)
    let child = try ChildProcess(command(arguments), environment: environment, log: log)
    defer { child.end() }
    guard waitUntil(seconds: 120, interval: 0.005, { !child.isRunning }), child.exitStatus == 0 else {
      throw BenchError("photomectl \(arguments.joined(separator: " ")): \(child.lastWords)")
    }
  }

  private func listed() throws -> Listed {
    let text = ChildProcess.output(
      of: command(["library", "list", "--json"]), environment: environment, folder: folder)
    guard let one = try JSONDecoder().decode([Listed].self, from: Data((text ?? "").utf8)).first else {
      throw BenchError("The picture is gone.")
    }
    return one
  }

  mutating func prepare() throws {
    try run(["capture", "--camera", "test", "--microphone", "test", "--live", "--resolution", "640x480"])
    let listed = try listed()
    (id, path) = (listed.id, listed.path)
    original = try Data(contentsOf: URL(fileURLWithPath: path))
  }

  /// - Returns: The time that it took, in seconds.
  mutating func complete(_ options: [String]) throws -> Double {
    let began = ContinuousClock.now
    try run(["edit", id, "--reset"] + options)
    let seconds = began.milliseconds / 1000
    try revert()
    return seconds
  }

  private mutating func revert() throws {
    try run(["revert", id])
    guard try Data(contentsOf: URL(fileURLWithPath: path)) == original else {
      throw BenchError("The original did not come back byte for byte.")
    }
    reverted += 1
  }

  /// - Parameter range: The instants to choose from, in seconds from its start.
  mutating func kill(_ options: [String], at range: ClosedRange<Double>) throws {
    let (before, file) = (try listed(), try Data(contentsOf: URL(fileURLWithPath: path)))
    let log = folder.appendingPathComponent("killed.log")
    let child = try ChildProcess(command(["edit", id, "--reset"] + options), environment: environment, log: log)
    let instant = Double.random(in: range, using: &random)
    if !waitUntil(seconds: instant, interval: 0.0005, { !child.isRunning }) { killed += 1 }
    child.kill()
    try run(["library", "verify"])
    let (after, now) = (try listed(), try Data(contentsOf: URL(fileURLWithPath: path)))
    // The record and the file agree.
    guard after.adjustment == before.adjustment ? now == file : now != file else {
      throw BenchError("After \(options.joined(separator: " ")) the file and its record say different things.")
    }
    if now == file { unchanged += 1 } else { changed += 1 }
    // Every other time the next edit meets an edited picture.
    if Bool.random(using: &random) { try revert() }
  }
}
