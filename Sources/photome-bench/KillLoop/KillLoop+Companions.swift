// The other programs of a kill loop: an editor, photomectl, and the command that mounts the disk again.

import Foundation
import PhotoLibrary

extension KillLoop {
  /// One command of photomectl, with the notes about it.
  struct SecondProgram {
    let process: DoomedProcess
    fileprivate let work: String
    fileprivate let facts: [String: SurvivalNote.Facts]

    /// - Throws: `BenchError` when it ended by itself, and not well.
    var notes: [SurvivalNote] {
      get throws {
        let begun = SurvivalNote(isDone: false, number: 1, work: work, facts: facts)
        guard let status = process.exitStatus else { return [begun] }
        guard status == 0 else { throw BenchError("photomectl ended with \(status): \(process.lastWords)") }
        return [begun, SurvivalNote(isDone: true, number: 1, work: work, facts: facts)]
      }
    }
  }

  mutating func editor() throws -> DoomedProcess {
    try DoomedProcess(
      "editor",
      [
        programs.appendingPathComponent("photome-bench").path, "kill-editor", "--seed",
        "\(UInt64.random(in: .min ... .max, using: &random))",
      ] + place.arguments, environment: environment, log: place.url.appendingPathComponent("editor.log"),
      doom: isShort ? .lines(.random(in: 1...40, using: &random)) : lifetime(in: 0.05...1.5))
  }

  /// A command about one of the assets that no worker changes; `nil` as long as there are none.
  mutating func command() throws -> SecondProgram? {
    let own = ledger.certain.filter { id, facts in
      id.count == 32 && facts[.picture] != nil && facts[.there] == "yes" && KillWorker.owner(of: id) == 2
    }
    guard let (id, facts) = own.sorted(by: { $0.key < $1.key }).randomElement(using: &random) else { return nil }
    let (work, arguments, after): (String, [String], SurvivalNote.Facts) =
      switch Int.random(in: 0..<8, using: &random) {
      case 0..<3 where facts[.favorite] == "true":
        ("photomectl favorite", ["library", "favorite", id, "--off"], [.favorite: "false"])
      case 0..<3: ("photomectl favorite", ["library", "favorite", id], [.favorite: "true"])
      case 3 where facts[.edit] == "" && facts[.movie] == "":
        ("photomectl delete", ["library", "delete", id], [.there: "no", .trashed: "yes"])
      default:
        ("photomectl list", ["library", "list"], [:])
      }
    let process = try DoomedProcess(
      "photomectl",
      [programs.appendingPathComponent("photomectl").path] + arguments + ["--library", place.library.path],
      environment: environment, log: place.url.appendingPathComponent("photomectl.log"),
      doom: lifetime(in: 0.02...2), mayEnd: true)
    return SecondProgram(process: process, work: work, facts: [id: after])
  }

  /// Has the disk mounted again, as far as there is a command for it.
  func remount() throws {
    guard let command = beside.remount else { return }
    guard ChildProcess.output(of: ["/bin/sh", "-c", command], environment: environment, folder: place.url) != nil else {
      throw BenchError("The disk could not be mounted again: \(command)")
    }
  }

  /// The digests of all whole pictures: in the library, among its originals, and in the Trash.
  mutating func allPictures() throws -> Set<String> {
    var found: Set<String> = []
    for folder in [place.library.path] + place.trashes.map(\.path) {
      for path in Self.files(below: folder, hidden: true) where path.lowercased().hasSuffix(".jpg") {
        // What the editor cut short is not whole.
        if let file = try? files.file(path) { found.insert(file.picture) }
      }
    }
    return found
  }
}
