// Taking in what others have changed: whole changes only.

import Dispatch
import Foundation

/// What has been changed since the last look.
struct LibraryNews: Sendable {
  var paths: Set<PathBytes> = []
  /// Records of assets and collections.
  var records: Set<String> = []
  /// Folders to be scanned.
  var folders: Set<PathBytes> = []
  /// Whether everything has to be scanned.
  var all = false

  var isEmpty: Bool { paths.isEmpty && records.isEmpty && folders.isEmpty && !all }

  mutating func formUnion(_ other: LibraryNews) {
    paths.formUnion(other.paths)
    records.formUnion(other.records)
    folders.formUnion(other.folders)
    all = all || other.all
  }
}

extension FolderReconciler {
  /// The number of files that a scan takes in at once, so that nobody sees half of a change. More than that is read
  /// after a long absence, and then shown as it comes.
  private static let largestWhole = 4096
  /// How often what is read is given up because another program has changed something meanwhile, before the others are
  /// made to pause; and how often a change is waited for.
  private static let (mostRefusals, mostWaits) = (8, 16)
  /// The number of files and records of other changes that a change takes in first.
  private static let mostNews = 512
  /// In milliseconds: between two looks whether a change is complete.
  static let pause = 20

  /// Whether the library may be read now.
  enum Readiness {
    case wait
    case read(ChangeProgress.Reading)
  }

  /// Finds out whether a program is in the middle of a change. One that was interrupted is finished first; if that isn't
  /// possible, the files are taken as they are.
  ///
  /// Not to be called with `WriteLock`.
  func readiness() -> Readiness {
    var state = progress.state
    if case .interrupted(let moment) = state, given(up: moment) == false {
      finishInterrupted()
      state = progress.state
      if case .interrupted(let left) = state { unfinished.withLock { $0 = left } }
    }
    if state != .inProgress, isImpatient.exchange(false, ordering: .relaxed) { waits.store(0, ordering: .relaxed) }
    switch state {
    case .inProgress:
      // Somebody makes one change after the other; or was stopped.
      let count = waits.load(ordering: .relaxed)
      if count % (4 * Self.mostWaits) == Self.mostWaits, let reading = progress.pauseChanges() {
        return .read(reading)
      }
      guard count >= patience.load(ordering: .relaxed), !index.wasScanned else { return .wait }
      // There is no whole state to be shown. What comes next doesn't wait for the same program again.
      isImpatient.store(true, ordering: .relaxed)
      return .read(ChangeProgress.Reading())
    case .interrupted: return .read(ChangeProgress.Reading())
    case .quiet(let moment):
      guard refusals.load(ordering: .relaxed) >= Self.mostRefusals else {
        return .read(ChangeProgress.Reading(moment))
      }
      refusals.store(0, ordering: .relaxed)
      return progress.pauseChanges().map { .read($0) } ?? .wait
    }
  }

  private func given(up moment: ChangeProgress.Moment) -> Bool { unfinished.withLock { $0 == moment } }

  private func finishInterrupted() {
    guard let journals, let session else { return }
    do throws(PhotoLibraryError) {
      let lock = try lock(journals, waits: false)
      lock.keep()
    } catch {
      Self.logger.notice("\(error.description)")
    }
    // Those of new pictures need no lock, but that their process is dead.
    guard case .interrupted = progress.state else { return }
    var finished: [FinishedJournal] = []
    let recovery = LibraryRecovery(folder: folder, disk: disk, trash: journals.trash)
    for note in recovery.run(except: session.token, finished: { finished = $0 }) { warn(.recovered(note)) }
    do throws(PhotoLibraryError) { try reindex(finished) } catch { Self.logger.error("\(error.description)") }
  }

  /// Indexes everything that is new, in one step if it isn't too much.
  ///
  /// - Returns: Whether the reading lasted. If not, nothing was indexed.
  func takeIn(_ news: LibraryNews, in reading: ChangeProgress.Reading?) throws(PhotoLibraryError) -> Bool {
    var (paths, records) = (news.paths, news.records)
    var folders = news.folders.map(\.path)
    // A disk that was unplugged has no files, and none of them was removed.
    if news.all || hasSeenLibrary { try checkPresence() }
    if news.all {
      _ = try disk.contents(of: folder.path)
      records.formUnion(try changedRecords())
      folders = try allFolders()
    }
    let limit = paths.count + Self.largestWhole
    for name in folders {
      let found = try differences(in: name)
      paths.formUnion(found.changed.map(PathBytes.init))
      paths.formUnion(found.vanished)
      guard paths.count <= limit else { return try scan(news, in: reading) }
    }
    let isRead = try reindex(paths.map(\.path).sorted(), records: records.sorted(), in: reading)
    guard isRead else { return refuse() }
    noteProgress()
    if news.all {
      noteSeen()
      try index.noteScanned { progress.isIdle }
      try index.forgetFormerDisks()
    }
    return true
  }

  /// Indexes what others have changed, before something is changed here. The caller holds `WriteLock`.
  ///
  /// - Parameter finished: The changes that were finished when it was taken.
  func takeInNews(and finished: [FinishedJournal]) throws(PhotoLibraryError) {
    drain.withLock { $0 }?()
    let news = pending.withLock { pending in
      var news = LibraryNews(paths: pending.news.paths, records: pending.news.records)
      // What is being read now may be given up.
      news.paths.formUnion(pending.inHand.paths)
      news.records.formUnion(pending.inHand.records)
      // More than that isn't a change of one moment, and would take long.
      guard news.paths.count + news.records.count <= Self.mostNews else { return LibraryNews() }
      (pending.news.paths, pending.news.records) = ([], [])
      return news
    }
    let (paths, records) = Self.parts(of: finished, in: folder)
    do throws(PhotoLibraryError) {
      try reindex(news.paths.union(paths).map(\.path).sorted(), records: news.records.union(records).sorted())
    } catch {
      putBack { $0.news.formUnion(news) }
      throw error
    }
  }

  /// Notes that what was read isn't of one moment.
  func refuse() -> Bool {
    refusals.add(1, ordering: .relaxed)
    return false
  }

  /// Notes that something was taken in.
  func noteProgress() {
    refusals.store(0, ordering: .relaxed)
    if !isImpatient.load(ordering: .relaxed) { waits.store(0, ordering: .relaxed) }
  }
}
