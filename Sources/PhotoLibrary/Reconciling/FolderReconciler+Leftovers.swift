// What dead processes have left: files under hidden names, and changes that are finished with the lock.

import Dispatch
import Foundation

extension FolderReconciler {
  /// Removes what a crash left in a folder, if its session wasn't among those that were recovered at start.
  ///
  /// - Parameter names: All names in the folder.
  func removeLeftover(_ name: String, among names: [String], in folder: String, token: String) {
    guard isLeftover(token) else { return }
    do throws(PhotoLibraryError) {
      try ReservedNames(disk: disk).release(for: name, among: names, in: folder)
      try disk.remove("\(folder)/\(name)")
      Self.logger.notice("Removed “\(folder)/\(name)”, which an earlier run left incomplete.")
    } catch {
      Self.logger.warning("\(error.description)")
    }
  }

  /// Gives a file back its name that a crash left aside, or removes it if another one has that name.
  ///
  /// - Returns: Its path, if it has its name again.
  func settleAside(_ name: String, in path: String, token: String) -> String? {
    guard isLeftover(token) else { return nil }
    do throws(PhotoLibraryError) {
      guard let settled = try AsideFiles(disk: disk).settle(name, in: path) else { return nil }
      warn(.recovered(.broughtBack(URL(fileURLWithPath: settled, isDirectory: false))))
      return settled
    } catch {
      Self.logger.warning("\(error.description)")
      return nil
    }
  }

  /// Whether the files of a process are nobody's anymore.
  private func isLeftover(_ token: String) -> Bool {
    // Its own is in progress, or for the next start: asking whether it lives would take its lock, were it ended already.
    guard token != session?.token, !LibrarySession.isAlive(folder, token, disk: disk) else { return false }
    do throws(PhotoLibraryError) {
      // A journal still needs it: the next start finishes it.
      return try !Journal.tokens(in: folder, disk: disk).contains(token)
    } catch {
      Self.logger.warning("\(error.description)")
      return false
    }
  }

  // MARK: The lock

  /// Takes the library's lock. What a dead process had left unfinished, and was finished by this, is said; and with what
  /// others have changed it is indexed, so that nobody sees a part of their changes with those of this process. That
  /// another program has it for long is said as well: it may have been stopped.
  ///
  /// - Throws: As `WriteLock`, or the error of the index.
  func lock(_ journals: JournalRunner, waits: Bool = true) throws(PhotoLibraryError) -> WriteLock {
    let words = DispatchWorkItem { [warn] in warn(.waiting) }
    if waits {
      let delay = DispatchTimeInterval.milliseconds(silence.load(ordering: .relaxed))
      DispatchQueue.global(qos: .utility).asyncAfter(deadline: .now() + delay, execute: words)
    }
    defer { words.cancel() }
    let lock = try WriteLock(journals, waits: waits)
    for note in lock.finished.flatMap(\.notes) { warn(.recovered(note)) }
    try takeInNews(and: lock.finished)
    return lock
  }

  /// Indexes what finished changes have touched.
  func reindex(_ finished: [FinishedJournal]) throws(PhotoLibraryError) {
    let (paths, records) = Self.parts(of: finished, in: folder)
    try reindex(paths.map(\.path).sorted(), records: records.sorted())
  }

  /// The pictures and the records that finished changes have touched.
  static func parts(
    of finished: [FinishedJournal], in folder: LibraryFolder
  ) -> (paths: Set<PathBytes>, records: Set<String>) {
    let paths = finished.flatMap(\.paths).compactMap { folder.relative($0) }
    let records = paths.filter { $0.hasPrefix(LibraryFolder.hiddenFolder + "/") }
    return (Set(paths.map(PathBytes.init)).subtracting(records.map(PathBytes.init)), Set(records))
  }
}
