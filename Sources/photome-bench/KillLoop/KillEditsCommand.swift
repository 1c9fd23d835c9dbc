// `photome-bench kill-edits`: photomectl killed in the middle of edits, with the original checked after each.

import ArgumentParser
import CameraCore
import DrawnPeople
import Foundation
import PersonMatte
import PhotoEffects

/// `photome-bench kill-edits`: a live photo, and a photo of a person, edited again and again by processes that are killed at
/// random instants.
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
  /// Of the person. They keep a matte beside the original, and a backdrop in the library.
  private static func editsOfPeople(_ backdrop: URL) -> [[String]] {
    [
      ["--effect", "portrait"], ["--effect", "comic", "--on", "background"],
      ["--effect", "backdrop", "--backdrop", backdrop.path], ["--effect", "sepia", "--on", "skin"],
    ]
  }

  func run() async throws {
    let own = URL(fileURLWithPath: try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe"))
    let folder = URL(fileURLWithPath: "/var/tmp/photome-kill-edits-\(getpid())")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let program = own.deletingLastPathComponent().appendingPathComponent("photomectl")
    var live = KilledEdits(program: program, folder: folder, random: BenchRandom(seed: seed))
    var people = KilledEdits(
      program: program, folder: folder.appendingPathComponent("people"), random: BenchRandom(seed: ~seed))
    let reason = PersonMatteProvider().reasonForAbsence()
    if let reason { print("without effects that find people: \(reason.localizedDescription)") }
    print("\(count) edits are killed, seed \(seed)")
    try live.prepare()
    var kinds = Self.edits
    var durations = try kinds.map { try live.complete($0) }
    if reason == nil {
      let backdrop = try people.preparePerson()
      let edits = Self.editsOfPeople(backdrop)
      kinds += edits
      durations += try edits.map { try people.complete($0) }
    }
    for number in 0..<count {
      Progress.show("\(number) of \(count)")
      let kind = number % kinds.count
      // Every other one near its end, where files change.
      let start = (number / kinds.count).isMultiple(of: 2) ? 0 : durations[kind] * 0.7
      if kind < Self.edits.count {
        try live.kill(kinds[kind], at: start...durations[kind])
      } else {
        try people.kill(kinds[kind], at: start...durations[kind])
      }
    }
    let all = [live, people]
    func sum(_ count: KeyPath<KilledEdits, Int>) -> Int { all.reduce(0) { $0 + $1[keyPath: count] } }
    Progress.end()
    print(
      "\(sum(\.killed)) killed in the middle: \(sum(\.unchanged)) times the file before, \(sum(\.changed)) times the edited "
        + "one, \(people.killed) of them of a person; \(sum(\.reverted)) times the original came back byte for byte; the "
        + "library was whole each time.")
  }
}

/// One picture and what becomes of it.
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
    try find()
  }

  /// The drawn person.
  ///
  /// - Returns: A picture that can be a backdrop.
  mutating func preparePerson() throws -> URL {
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    let size = PixelSize(width: 1280, height: 720)
    func write(_ name: String, hasPerson: Bool) throws -> URL {
      let url = folder.appendingPathComponent(name)
      let pixels = DrawnPerson.picture(size, hasPerson: hasPerson)
      try PixelBuffer(raw: Data(pixels), size: size).jpeg().write(to: url)
      return url
    }
    try run(["library", "import", write("person.jpg", hasPerson: true).path])
    try find()
    return try write("room.jpg", hasPerson: false)
  }

  private mutating func find() throws {
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
    // A live photo that becomes a still has another name.
    let before = try listed()
    let file = try Data(contentsOf: URL(fileURLWithPath: before.path))
    let log = folder.appendingPathComponent("killed.log")
    let child = try ChildProcess(command(["edit", id, "--reset"] + options), environment: environment, log: log)
    let instant = Double.random(in: range, using: &random)
    if !waitUntil(seconds: instant, interval: 0.0005, { !child.isRunning }) { killed += 1 }
    child.kill()
    try run(["library", "verify"])
    let after = try listed()
    let now = try Data(contentsOf: URL(fileURLWithPath: after.path))
    // The record and the file agree.
    guard after.adjustment == before.adjustment ? now == file : now != file else {
      throw BenchError("After \(options.joined(separator: " ")) the file and its record say different things.")
    }
    if now == file { unchanged += 1 } else { changed += 1 }
    // Every other time the next edit meets an edited picture.
    if Bool.random(using: &random) { try revert() }
  }
}
