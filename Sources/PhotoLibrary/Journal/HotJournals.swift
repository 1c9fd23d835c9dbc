// Journals of changes that were interrupted, found by the next process that wants to change something.

import Foundation
import Logging

/// The hot journals of a library: those whose changes were interrupted.
struct HotJournals {
  let runner: JournalRunner
  private static let logger = Logger(label: "photome.library.journal")
  /// In nanoseconds: for so long, a journal of another computer is that one's to finish.
  private static let foreignGrace: Int64 = 86400 * 1_000_000_000

  private var folder: LibraryFolder { runner.folder }
  private var disk: Disk { runner.disk }

  init(_ runner: JournalRunner) { self.runner = runner }

  /// Finishes all of them. The caller holds `WriteLock`; so every journal with a step that needs it is hot, whether its
  /// process is alive or not. Files that aren't journals, or name others than the library's, are left for `verify`.
  ///
  /// - Throws: `unfinishedChange` when one can't be finished now, or may be in progress on another computer.
  func finish() throws(PhotoLibraryError) -> [FinishedJournal] {
    var finished: [FinishedJournal] = []
    for name in try Self.sorted(disk.contents(of: folder.journals)) {
      let path = "\(folder.journals)/\(name)"
      do throws(PhotoLibraryError) {
        // A link is not one of ours, and must not keep everybody from changing something.
        if let status = try disk.checkedStatus(path), status.kind != .file { continue }
        let journal = try Journal(of: path, disk: disk)
        guard journal.steps.contains(where: \.needsLock) else { continue }
        try check(journal, path)
        let outcome = try runner.finish(journal, at: path)
        for note in outcome.notes { Self.logger.notice("\(note.description)") }
        finished.append(outcome)
      } catch {
        switch error {
        case .unusableFile, .fileMissing: continue
        case .unfinishedChange: throw error
        default: throw .unfinishedChange(reason: error.description.asClause)
        }
      }
    }
    return finished
  }

  /// The names of journals in their order, without other names.
  static func sorted(_ names: [String]) -> [String] {
    let journals = names.compactMap { name -> (name: String, token: String, number: Int)? in
      guard let parts = Journal.parts(of: name) else { return nil }
      return (name, parts.token, parts.number)
    }
    let sorted = journals.sorted { left, right in
      left.token == right.token ? left.number < right.number : left.token < right.token
    }
    return sorted.map(\.name)
  }

  private func check(_ journal: Journal, _ path: String) throws(PhotoLibraryError) {
    guard let machine = journal.machine, !machine.isSame(as: disk.machine) else { return }
    guard let status = disk.status(path), status.isOlder(than: Self.foreignGrace) else {
      throw .unfinishedChange(
        reason: "\(machine.shownName) has begun it; start PhotoMe there to finish it, or wait a day for it to be "
          + "finished here")
    }
  }
}
