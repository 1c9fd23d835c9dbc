// Journals of changes that were interrupted, found by the next process that wants to change something.

import Foundation
import Localization
import Logging

/// The hot journals of a library: those whose changes were interrupted.
///
/// One that can be carried out is finished before anything else is changed. One that never can be is given up at once.
/// What may pass, as a full disk, keeps everybody from changing something for a day; then the journal waits beside,
/// and is carried out only if nothing of what it speaks of has been changed when it passes. So does one whose disk isn't
/// mounted, at once.
struct HotJournals {
  let runner: JournalRunner
  private static let logger = Logger(label: "photome.library.journal")
  /// In nanoseconds: for so long, a journal of another computer is that one's to finish, and others are waited for that
  /// can't be finished.
  private static let grace: Int64 = 86400 * 1_000_000_000
  /// The number of journals that wait and are looked at. A library has as many only if somebody has made them.
  static let mostWaiting = 64

  private var folder: LibraryFolder { runner.folder }
  private var disk: Disk { runner.disk }

  init(_ runner: JournalRunner) { self.runner = runner }

  /// Finishes all of them. The caller holds `WriteLock`; so every journal with a step that needs it is hot, whether its
  /// process is alive or not.
  ///
  /// - Throws: `unfinishedChange` when one can't be finished now, or may be in progress on another computer.
  func finish() throws(PhotoLibraryError) -> [FinishedJournal] {
    var finished: [FinishedJournal] = []
    for parent in [folder.waiting, folder.journals] {
      let all = try disk.contents(of: parent)
      var names = Self.sorted(all)
      if parent == folder.waiting {
        runner.discardTrials(among: all)
        if names.count > Self.mostWaiting { finished.append(rest(names.count - Self.mostWaiting)) }
        names = Array(names.prefix(Self.mostWaiting))
      }
      for name in names {
        let path = "\(parent)/\(name)"
        let outcome: FinishedJournal?
        do throws(PhotoLibraryError) { outcome = try finish(path) } catch {
          // What waits keeps nobody from changing something.
          guard !runner.isWaiting(path) else {
            Self.logger.warning("\(error.description)")
            continue
          }
          if case .unfinishedChange = error { throw error }
          throw .unfinishedChange(reason: error.description.asClause)
        }
        guard let outcome else { continue }
        if runner.isWaiting(path), disk.status(path) == nil { disk.discard(JournalTrial.path(of: path)) }
        for note in outcome.notes { Self.logger.notice("\(note.description)") }
        finished.append(outcome)
      }
    }
    return finished
  }

  /// What is said of those that aren't looked at.
  private func rest(_ count: Int) -> FinishedJournal {
    var outcome = FinishedJournal()
    outcome.notes = [
      .couldNotRecover(
        path: folder.waiting,
        reason: localized(
          "it holds \(count) more unfinished change than PhotoMe tries at a time",
          plural: "it holds \(count) more unfinished changes than PhotoMe tries at a time", count: count))
    ]
    return outcome
  }

  /// - Returns: `nil` when it isn't hot.
  private func finish(_ path: String) throws(PhotoLibraryError) -> FinishedJournal? {
    // A link is not one of ours; `verify` speaks of it.
    guard let status = try disk.checkedStatus(path), status.kind == .file else { return nil }
    if runner.isWaiting(path), let reason = runner.lastTrial(of: path, status) {
      return runner.waits(path, reason)
    }
    var journal: Journal?
    do throws(PhotoLibraryError) {
      let read = try Journal(of: path, disk: disk)
      guard runner.isWaiting(path) || read.steps.contains(where: \.needsLock) else { return nil }
      journal = read
      try check(read, status)
      return try runner.finish(read, at: path)
    } catch {
      if case .unusableFile(_, let reason) = error { return try runner.giveUp(journal, at: path, reason) }
      // Its process has just removed it itself.
      if try disk.checkedStatus(path) == nil { return nil }
      guard runner.isWaiting(path) || status.isOlder(than: Self.grace) else { throw error }
      if case .unfinishedChange(let reason) = error { return try runner.putOff(path, reason) }
      return try runner.putOff(path, error.description.asClause)
    }
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

  private func check(_ journal: Journal, _ status: Disk.Status) throws(PhotoLibraryError) {
    guard let machine = journal.machine, !machine.isSame(as: disk.machine), !status.isOlder(than: Self.grace) else {
      return
    }
    throw .unfinishedChange(
      reason: machine.shownName.map {
        localized(
          """
          the computer “\($0)” has begun it; start PhotoMe there to finish it, or wait a day until it can be finished \
          here
          """)
      }
        ?? localized(
          """
          another computer has begun it; start PhotoMe there to finish it, or wait a day until it can be finished here
          """))
  }
}
