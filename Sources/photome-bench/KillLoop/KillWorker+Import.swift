// The worker's import of a folder, which may be killed between any two files.

import CameraCore
import Foundation
import PhotoLibrary
import Synchronization

extension KillWorker {
  /// A folder with some photos, now and then a live photo, a second file of one of them, and one that the library has;
  /// copied or moved.
  ///
  /// Each name begins with the id that the file's asset must have.
  mutating func importCard() async throws {
    let name = UUID().uuidString
    var files: [(name: String, data: Data, facts: [String: SurvivalNote.Facts])] = []
    for _ in 0..<Int.random(in: 1...4, using: &random) {
      clock += 1
      let (id, isLive) = (makeID(), Int.random(in: 0..<3, using: &random) == 0)
      let data = (isLive ? liveSample : sample).stamped(
        id: id, time: CalendarTime(clock), variant: .random(in: 0..<1 << 31, using: &random))
      files.append(
        ("\(id)\(isLive ? ".MP.jpg" : ".jpg")", data, [id: try facts(ofNew: data, movie: isLive ? movie.digest : "")]))
    }
    let added = files.flatMap(\.facts.keys)
    if Bool.random(using: &random) {
      // In the order of the names it comes first: then the other one is the duplicate.
      files.append(("\(files[0].name.prefix(32)) copy.\(files[0].name.dropFirst(33))", files[0].data, files[0].facts))
    }
    if Bool.random(using: &random), let id = own.randomElement(using: &random),
      let asset = try await library.asset(id: id)
    {
      files.append(("\(id)\(asset.isLive ? ".MP.jpg" : ".jpg")", try Data(contentsOf: asset.url), [:]))
    }
    files.sort { $0.name.utf8.lexicographicallyPrecedes($1.name.utf8) }
    let card = try place.makeCard(name, files.map { ($0.name, $0.data) })
    let moves = Bool.random(using: &random)
    let notes = try report.several("import", files.map(\.facts))
    let outcome = try await library.importAssets(from: [card], move: moves) { progress in
      // Files are taken in the order of their names.
      if progress.step == .importing { notes.finish(progress.done) }
    }
    try notes.check()
    guard outcome.end == .complete, outcome.refused.isEmpty,
      Set(outcome.imported.map(\.asset.id)) == Set(added), outcome.imported.count == added.count
    else { throw BenchError("The import of \(card.path) went wrong: \(outcome)") }
    try FileManager.default.removeItem(at: card)
    own += added
  }
}

extension KillPlace {
  /// Makes a folder to be imported; it has another name until it is complete.
  func makeCard(_ name: String, _ files: [(name: String, data: Data)]) throws -> URL {
    let unfinished = url.appendingPathComponent("unfinished-\(name)", isDirectory: true)
    try FileManager.default.createDirectory(at: unfinished, withIntermediateDirectories: true)
    try FileManager.default.createDirectory(at: cards, withIntermediateDirectories: true)
    for file in files { try file.data.write(to: unfinished.appendingPathComponent(file.name)) }
    let card = cards.appendingPathComponent(name, isDirectory: true)
    try FileManager.default.moveItem(at: unfinished, to: card)
    return card
  }

  /// The folders whose import was killed, with the ids that their files must have. Removes incomplete folders.
  func interruptedCards() throws -> [(card: URL, ids: Set<Asset.ID>)] {
    let manager = FileManager.default
    for name in try manager.contentsOfDirectory(atPath: folder) where name.hasPrefix("unfinished-") {
      try manager.removeItem(at: url.appendingPathComponent(name))
    }
    guard manager.fileExists(atPath: cards.path) else { return [] }
    return try manager.contentsOfDirectory(atPath: cards.path).sorted().map { name in
      let card = cards.appendingPathComponent(name, isDirectory: true)
      return (card, Set(try manager.contentsOfDirectory(atPath: card.path).map { String($0.prefix(32)) }))
    }
  }
}

/// The notes of several operations that are done one after the other, each by itself.
final class SurvivalNotes: Sendable {
  private let works: [SurvivalNote]
  private let report: SurvivalReport
  private let state = Mutex<(finished: Int, failure: (any Error)?)>((0, nil))

  /// - Parameter works: As they are once they are done.
  init(_ works: [SurvivalNote], report: SurvivalReport) { (self.works, self.report) = (works, report) }

  /// Says that the first `count` are done.
  func finish(_ count: Int) {
    state.withLock { state in
      while state.finished < min(count, works.count), state.failure == nil {
        do {
          try report.write(works[state.finished])
          state.finished += 1
        } catch { state.failure = error }
      }
    }
  }

  /// - Throws: An error unless every note was written.
  func check() throws {
    try state.withLock { state in
      if let failure = state.failure { throw failure }
      guard state.finished == works.count else {
        throw BenchError("Only \(state.finished) of \(works.count) files were reported finished.")
      }
    }
  }
}
