// Atomic changes to several files: a journal is written first, then its steps are carried out, if necessary by the next
// process.

import Foundation
import Localization
import Logging

/// Carries out journals.
///
/// Neither a step nor its undo removes a version of a picture that isn't safe under another name: a file that is
/// replaced keeps a second name, or gets another one where there are no hard links, until all steps are done.
struct JournalRunner: Sendable {
  let folder: LibraryFolder
  let disk: Disk
  let trash: DesktopTrash
  static let logger = Logger(label: "photome.library.journal")

  /// Carries out steps atomically: all of them, or none if it throws. When the process is killed, none are done before
  /// the journal is written; afterwards the next process does the rest.
  ///
  /// - Parameters:
  ///   - session: Of this process.
  ///   - takenBack: Called with the paths of new pictures that had their names for a moment, when that was undone.
  /// - Returns: The final path of each step, in order.
  /// - Throws: `changedMeanwhile` when a file isn't the one that a step means, or the error of the disk, after undoing
  ///   the steps that were done; `unfinishedChange` when that wasn't possible.
  func perform(
    _ steps: [JournalStep], session: LibrarySession, takenBack: ([String]) -> Void = { _ in }
  ) throws(PhotoLibraryError) -> [String] {
    guard !steps.isEmpty else { return [] }
    var run = Run(session: session)
    // A single step is atomic by itself, if a file that it replaces can have a second name.
    let isAtomic = steps.count == 1 ? try link(steps[0], &run) : false
    if !isAtomic {
      try synchronizeTemporaries(of: steps)
      run.journal = try write(journal(of: steps), session: session)
    }
    do throws(PhotoLibraryError) {
      for step in steps { run.paths.append(try apply(step, &run)) }
      try synchronize(steps, paths: run.paths)
    } catch {
      try undo(run, after: error)
      takenBack(
        zip(steps, run.paths).compactMap { step, path -> String? in
          switch step {
          case .publish: path
          case .adopt: isHidden(path) ? nil : path
          case .replace, .move, .remove: nil
          }
        })
      throw error
    }
    for path in run.removals {
      do throws(PhotoLibraryError) { try disk.remove(path) } catch {
        // Everything else is done, and an info file without its file in the trash means nothing.
        Self.logger.warning("\(error.description)")
      }
    }
    if let journal = run.journal {
      do throws(PhotoLibraryError) { try remove(journal) } catch {
        // All is done, and is reported so. Whoever takes the lock next finds nothing left to do, and removes it.
        Self.logger.warning("\(error.description)")
      }
    }
    for undo in run.undos { if case .restore(let backup, _, _, _) = undo { disk.discard(backup) } }
    return run.paths
  }

  /// Whether a journal of this process is neither done nor undone.
  func hasJournal(of session: LibrarySession) -> Bool {
    do throws(PhotoLibraryError) {
      return try Journal.tokens(in: folder, disk: disk).contains(session.token)
    } catch {
      // What a journal may still need is left for the next start.
      return true
    }
  }

  /// Removes a journal durably, so that it is never carried out on later files.
  func remove(_ journal: String) throws(PhotoLibraryError) {
    try disk.remove(journal)
    try disk.synchronizeFolder(Disk.parent(of: journal))
  }

  // MARK: Steps

  /// The state of one change.
  private struct Run {
    let session: LibrarySession
    var journal: String?
    /// The second name of the file that a single step is going to replace, and that file since it has it.
    var backup: String?
    var linked: Disk.Status?
    var paths: [String] = []
    var undos: [Undo] = []
    /// The files outside of the library to remove when all is done.
    var removals: [String] = []
  }

  private enum Undo {
    /// Moves a file back.
    ///
    /// - placed: It, where it is now.
    case move(from: String, to: String, placed: Disk.Status?)
    /// Restores a file that was replaced or removed; the file that took its name gets its old one back.
    case restore(backup: String, path: String, taker: String?, placed: Disk.Status?)
  }

  /// Gives the file that a step replaces a second name.
  ///
  /// - Returns: `false` when the file system has no hard links.
  /// - Throws: `changedMeanwhile` when it isn't the expected file.
  private func link(_ step: JournalStep, _ run: inout Run) throws(PhotoLibraryError) -> Bool {
    guard case .replace(_, let path, let expected) = step, disk.status(absolute(path)) != nil else { return true }
    // While its time of change is the known one, as long as it has one name, no byte must be read.
    if case .file(let mark) = expected, !mark.isMark(of: absolute(path), disk: disk) {
      throw .changedMeanwhile(path: absolute(path))
    }
    let backup = backupPath(in: run.session.path, path, run)
    guard try disk.link(absolute(path), to: backup) else { return false }
    run.backup = backup
    run.linked = disk.status(absolute(path))
    return true
  }

  private func apply(_ step: JournalStep, _ run: inout Run) throws(PhotoLibraryError) -> String {
    switch step {
    case .publish(let temporary, let parent, let stem, let ending):
      let temporary = absolute(temporary)
      try disk.makeFolder(absolute(parent))
      var attempt = 1
      while true {
        let path = "\(absolute(parent))/\(LibraryFolder.name(stem: stem, extension: ending, attempt: attempt))"
        if try disk.renameNew(temporary, to: path) {
          run.undos.append(.move(from: path, to: temporary, placed: disk.status(path)))
          return path
        }
        attempt += 1
      }
    case .replace(let temporary, let path, let expected):
      let (temporary, path) = (absolute(temporary), absolute(path))
      try disk.makeFolder(Disk.parent(of: path))
      if try take(path, from: temporary, expected, &run) { return path }
      guard disk.status(temporary) != nil else { throw .fileMissing(path: temporary) }
      try replace(path, with: temporary, expected, &run)
      return path
    case .adopt(let temporary, let path):
      let (temporary, path) = (absolute(temporary), absolute(path))
      try disk.makeFolder(Disk.parent(of: path))
      _ = try take(path, from: temporary, .nothing, &run)
      return path
    case .move(let from, let to, let number, let mark):
      let (from, to) = (absolute(from), absolute(to))
      guard mark?.isMark(of: from, disk: disk) ?? (disk.status(from)?.number == number) else {
        throw .changedMeanwhile(path: from)
      }
      try disk.makeFolder(Disk.parent(of: to))
      guard try disk.renameNew(from, to: to) else {
        throw .inputOutput(operation: .move, path: from, reason: localized("“\(to)” already exists"))
      }
      run.undos.append(.move(from: to, to: from, placed: disk.status(to)))
      return to
    case .remove(let path, let number, let mark):
      let path = absolute(path)
      guard let status = disk.status(path) else { return path }
      guard mark?.isMark(of: path, disk: disk) ?? (status.number == number) else {
        throw .changedMeanwhile(path: path)
      }
      guard folder.relative(path) != nil else {
        run.removals.append(path)
        return path
      }
      // A month may be a mount point; then nothing can be renamed from there to the session's folder.
      let backup = backupPath(in: isHidden(path) ? run.session.path : Disk.parent(of: path), path, run)
      try disk.replace(backup, with: path)
      run.undos.append(.restore(backup: backup, path: path, taker: nil, placed: nil))
      return path
    }
  }

  /// Gives a file a name at which nothing is expected.
  ///
  /// - Returns: `false`, with nothing done, when the file there is expected.
  /// - Throws: `changedMeanwhile` when it is another one.
  private func take(
    _ path: String, from temporary: String, _ expected: JournalStep.Expected?, _ run: inout Run
  ) throws(PhotoLibraryError) -> Bool {
    switch expected {
    case .file(let mark):
      if let linked = run.linked, disk.status(path) == linked { return false }
      guard mark.isMark(of: path, disk: disk) else { throw .changedMeanwhile(path: path) }
      return false
    case nil where disk.status(path) != nil: return false
    case .nothing, nil:
      guard try disk.renameNew(temporary, to: path) else { throw .changedMeanwhile(path: path) }
      run.undos.append(.move(from: path, to: temporary, placed: disk.status(path)))
      return true
    }
  }

  private func replace(
    _ path: String, with temporary: String, _ expected: JournalStep.Expected?, _ run: inout Run
  ) throws(PhotoLibraryError) {
    let looked = disk.status(path)
    var backup = run.backup
    if backup == nil {
      let second = backupPath(in: run.session.path, path, run)
      if try disk.link(path, to: second) { backup = second }
    }
    if let backup {
      do throws(PhotoLibraryError) { try disk.replace(path, with: temporary) } catch {
        disk.discard(backup)
        throw error
      }
      run.undos.append(.restore(backup: backup, path: path, taker: temporary, placed: disk.status(path)))
      // What another program wrote into the file since it was looked at is in the backup.
      guard let looked, let kept = disk.status(backup), kept.size == looked.size, kept.modified == looked.modified
      else {
        throw .changedMeanwhile(path: path)
      }
      return
    }
    // No hard links: the name is free for a moment, in which the journal stands for it. In the same folder, as this may
    // be another file system than the session's.
    let aside =
      "\(Disk.parent(of: path))/"
      + LibraryFolder.asideName(for: Disk.name(of: path), token: run.session.token, number: run.session.nextNumber())
    guard try disk.renameNew(path, to: aside) else {
      throw .inputOutput(operation: .move, path: path, reason: localized("“\(aside)” already exists"))
    }
    run.undos.append(.restore(backup: aside, path: path, taker: nil, placed: nil))
    if case .file(let mark) = expected, !mark.isMark(of: aside, disk: disk) { throw .changedMeanwhile(path: path) }
    guard try disk.renameNew(temporary, to: path) else { throw .changedMeanwhile(path: path) }
    run.undos[run.undos.count - 1] = .restore(
      backup: aside, path: path, taker: temporary, placed: disk.status(path))
  }

  // MARK: Undoing

  /// - Throws: `unfinishedChange` when the journal stays, for whoever takes the lock next.
  private func undo(_ run: Run, after failure: PhotoLibraryError) throws(PhotoLibraryError) {
    do throws(PhotoLibraryError) {
      for undo in run.undos.reversed() { try self.undo(undo, hasJournal: run.journal != nil) }
      if let journal = run.journal { try remove(journal) }
      // The second name of a file that wasn't replaced.
      if let backup = run.backup { disk.discard(backup) }
    } catch {
      Self.logger.error("\(error.description)")
      throw run.journal == nil ? failure : .unfinishedChange(reason: failure.description.asClause)
    }
  }

  private func undo(_ undo: Undo, hasJournal: Bool) throws(PhotoLibraryError) {
    switch undo {
    case .move(let from, let to, let placed):
      // What another program has put there stays.
      guard Self.isSame(disk.status(from), placed) else { return }
      guard try disk.renameNew(from, to: to) else {
        throw .inputOutput(operation: .moveBack, path: from, reason: localized("“\(to)” already exists"))
      }
    case .restore(let backup, let path, let taker, let placed):
      if let status = disk.status(path) {
        guard Self.isSame(status, placed) else {
          _ = try keep(backup, of: path)
          return
        }
        guard hasJournal, let taker else { return try disk.replace(path, with: backup) }
        // The journal needs it if the rest can't be undone.
        _ = try disk.renameNew(path, to: taker)
      }
      if try !disk.renameNew(backup, to: path) { _ = try keep(backup, of: path) }
    }
  }

  /// Whether a file is the one that this process has just put there.
  private static func isSame(_ status: Disk.Status?, _ placed: Disk.Status?) -> Bool {
    guard let status, let placed else { return false }
    return status.size == placed.size && status.modified == placed.modified
  }

  // MARK: Files

  private func backupPath(in parent: String, _ path: String, _ run: Run) -> String {
    "\(parent)/\(run.session.temporaryName(for: Disk.name(of: path)))"
  }

  /// Makes all renames of the steps durable.
  func synchronize(_ steps: [JournalStep], paths: [String]) throws(PhotoLibraryError) {
    var parents: Set<String> = []
    for (step, path) in zip(steps, paths) {
      if !path.isEmpty { parents.insert(Disk.parent(of: path)) }
      if case .move(let from, _, _, _) = step { parents.insert(Disk.parent(of: absolute(from))) }
    }
    for parent in parents.sorted() where disk.status(parent) != nil { try disk.synchronizeFolder(parent) }
  }

  /// Makes the names durable that a journal of these steps speaks of: it is worth nothing without its files.
  private func synchronizeTemporaries(of steps: [JournalStep]) throws(PhotoLibraryError) {
    var parents: Set<String> = []
    for step in steps {
      if let temporary = step.temporary { parents.insert(Disk.parent(of: absolute(temporary))) }
      // The info file of the trash is a new file as well.
      if case .move(let from, _, _, _) = step, LibraryFolder.token(temporaryName: Disk.name(of: from)) != nil {
        parents.insert(Disk.parent(of: absolute(from)))
      }
    }
    for parent in parents.sorted() { try disk.synchronizeFolder(parent) }
  }

  /// A journal with all that is needed to tell later how far it was carried out.
  private func journal(of steps: [JournalStep]) throws(PhotoLibraryError) -> Journal {
    var journal = Journal(steps: steps, machine: disk.machine)
    let disks = LibraryDisks(of: folder, disk: disk)
    let places = Set(steps.map { Disk.folder(of: $0.place) }).filter { disks.isDisk(Self.top(of: $0, in: folder)) }
    if !places.isEmpty {
      journal.disks = places.sorted()
      let marks = places.map { ($0, disks.mark(Self.top(of: $0, in: folder))) }
      journal.diskIDs = Dictionary(uniqueKeysWithValues: marks).compactMapValues(\.self)
    }
    guard steps.contains(where: \.needsLock) else { return journal }
    var files: [String: FileMark] = [:]
    for step in steps {
      guard let temporary = step.temporary, let path = step.paths.last, !isHidden(absolute(path)),
        disk.status(absolute(temporary)) != nil
      else { continue }
      files[temporary] = try FileMark(of: absolute(temporary), disk: disk)
    }
    if !files.isEmpty { journal.files = files }
    return journal
  }

  /// Writes a journal durably.
  ///
  /// - Returns: Its path.
  private func write(_ journal: Journal, session: LibrarySession) throws(PhotoLibraryError) -> String {
    let path = "\(folder.journals)/\(Journal.name(token: session.token, number: session.nextNumber()))"
    try disk.makeFolder(folder.journals)
    let temporary = "\(session.path)/" + session.temporaryName(for: "journal")
    try FileWriter(disk: disk).write(journal.json(), to: temporary)
    do throws(PhotoLibraryError) {
      try disk.replace(path, with: temporary)
      try disk.synchronizeFolder(folder.journals)
    } catch {
      // Without a durable name it counts as never written.
      disk.discard(temporary)
      try disk.remove(path)
      throw error
    }
    return path
  }

  /// The folder directly in the library's in which a folder is, or that it is; empty outside of the library. Its trash may
  /// be in it.
  static func top(of parent: String, in folder: LibraryFolder) -> String {
    let relative = parent.isAbsolutePath ? folder.relative(parent) ?? "" : parent
    return relative.parts(between: "/")[0]
  }

  func absolute(_ path: String) -> String { path.isAbsolutePath ? path : folder.absolute(path) }

  /// Whether an absolute path lies in the library's hidden folder.
  func isHidden(_ path: String) -> Bool { path.utf8.starts(with: (folder.hidden + "/").utf8) }
}
