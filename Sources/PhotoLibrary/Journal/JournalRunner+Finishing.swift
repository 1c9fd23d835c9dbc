// Finishing the change of another process.

import Foundation

/// The outcome of finishing a journal.
struct FinishedJournal: Sendable {
  /// For the user; the first says that there was one.
  var notes: [RecoveryNote] = [.finishedChange]
  /// Absolute: the files that may be other ones now.
  var paths: [String] = []
}

extension JournalRunner {
  /// Carries out the rest of a journal that another process left. The caller holds `WriteLock`, unless there are only
  /// new files.
  ///
  /// A file that isn't the one that a step means, because another program has changed it since, is never replaced or
  /// removed: it is kept beside, or stays where it is.
  ///
  /// - Throws: `unusableFile` when it isn't a valid journal of this library, or the error of the disk.
  func finish(_ journal: Journal, at path: String) throws(PhotoLibraryError) -> FinishedJournal {
    // Untrusted input: a library from elsewhere must not affect other files of the user.
    guard staysInside(journal) else {
      throw .unusableFile(path: path, reason: "it speaks of files outside of this library")
    }
    let confined = JournalRunner(folder: folder, disk: disk.confined(to: [folder.path] + trashes), trash: trash)
    let written = disk.status(path)?.modified
    var outcome = FinishedJournal()
    var paths: [String] = []
    for step in journal.steps {
      paths.append(try confined.finish(step, written: written, &outcome))
    }
    outcome.paths += paths.filter { !$0.isEmpty }
    try confined.synchronize(journal.steps, paths: paths)
    try remove(path)
    return outcome
  }

  /// The trash folders to which files of this library may be moved.
  private var trashes: [String] { trash.folders(top: trash.volumes.top(of: folder.path)).map(\.folder) }

  /// Whether all steps concern files of this library and of the desktop's trash only.
  func staysInside(_ journal: Journal) -> Bool {
    let trashes = trashes
    return journal.steps.allSatisfy { $0.paths.allSatisfy { Self.staysInside($0, or: trashes) } }
  }

  /// Whether a path leads to a file of this library or of the desktop's trash, if no part of it is a link.
  private static func staysInside(_ path: String, or trashes: [String]) -> Bool {
    let parts = path.split(separator: "/", omittingEmptySubsequences: false)
    guard !parts.contains(".."), !path.utf8.contains(0) else { return false }
    return !path.hasPrefix("/") || trashes.contains { path.hasPrefix($0 + "/") }
  }

  /// - Parameter written: When the journal was, in nanoseconds since 1970.
  /// - Returns: The final path; empty when it isn't known.
  private func finish(
    _ step: JournalStep, written: Int64?, _ outcome: inout FinishedJournal
  ) throws(PhotoLibraryError) -> String {
    switch step {
    case .publish(let temporary, let parent, let stem, let ending):
      let temporary = absolute(temporary)
      guard disk.status(temporary) != nil else { return "" }
      return try publish(temporary, folder: absolute(parent), stem: stem, ending: ending)
    case .replace(let temporary, let path, let expected):
      let (temporary, path) = (absolute(temporary), absolute(path))
      guard let new = disk.status(temporary) else { return path }
      try disk.makeFolder(Disk.parent(of: path))
      while let there = disk.status(path) {
        if isSecondName(there, of: new) {
          try disk.remove(temporary)
          return path
        }
        if isExpected(path, there, expected, written: written) {
          try disk.replace(path, with: temporary)
          return path
        }
        outcome.notes.append(.keptVersion(of: path, as: URL(fileURLWithPath: try keep(path, of: path))))
        outcome.paths.append(path)
      }
      // What comes in between is another program's as well: the next attempt keeps it.
      guard try disk.renameNew(temporary, to: path) else { throw .changedMeanwhile(path: path) }
      return path
    case .adopt(let temporary, let path):
      let (temporary, path) = (absolute(temporary), absolute(path))
      guard let new = disk.status(temporary) else { return path }
      try disk.makeFolder(Disk.parent(of: path))
      if try disk.renameNew(temporary, to: path) { return path }
      if let there = disk.status(path), isSecondName(there, of: new) {
        try disk.remove(temporary)
        return path
      }
      let (stem, ending) = LibraryFolder.parts(ofName: Disk.name(of: path))
      _ = try publish(temporary, folder: Disk.parent(of: path), stem: stem, ending: ending)
      return path
    case .move(let from, let to, let number, let mark):
      let (from, to) = (absolute(from), absolute(to))
      // Gone from there: it was moved, by this step or by another program.
      guard let status = disk.status(from) else { return to }
      guard mark?.isMark(of: from, disk: disk) ?? (status.number == number) else {
        // A journal of version 1 has no more than the number.
        if mark != nil { outcome.skip(from, "it has been changed since") }
        return to
      }
      try disk.makeFolder(Disk.parent(of: to))
      outcome.paths.append(from)
      if try disk.renameNew(from, to: to) { return to }
      if let there = disk.status(to), isSecondName(there, of: status) {
        try disk.remove(from)
      } else if disk.status(to)?.isEmptyFile == true {
        // The interrupted rename of a file system that can't rename without replacing had reserved the name.
        try disk.replace(to, with: from)
      } else {
        outcome.skip(from, "“\(to)” is there by now")
      }
      return to
    case .remove(let path, let number, let mark):
      let path = absolute(path)
      guard let status = disk.status(path) else { return path }
      // If a file stays where it is, so does the info file of the trash that describes it.
      guard mark?.isMark(of: path, disk: disk) ?? (status.number == number), !outcome.hasSkipped else { return path }
      try disk.remove(path)
      return path
    }
  }

  private func publish(
    _ temporary: String, folder parent: String, stem: String, ending: String
  ) throws(PhotoLibraryError) -> String {
    try disk.makeFolder(parent)
    let new = disk.status(temporary)
    var attempt = 1
    while true {
      let path = "\(parent)/\(LibraryFolder.name(stem: stem, extension: ending, attempt: attempt))"
      if try disk.renameNew(temporary, to: path) { return path }
      if let new, let there = disk.status(path), isSecondName(there, of: new) {
        try disk.remove(temporary)
        return path
      }
      // As above, a reserved name.
      if disk.status(path)?.isEmptyFile == true {
        try disk.replace(path, with: temporary)
        return path
      }
      attempt += 1
    }
  }

  /// Whether a file is the same as another one, under its second name: a rename by hard link was interrupted.
  private func isSecondName(_ status: Disk.Status, of other: Disk.Status) -> Bool {
    status.links > 1 && status.number == other.number && status.device == other.device
  }

  private func isExpected(
    _ path: String, _ status: Disk.Status, _ expected: JournalStep.Expected?, written: Int64?
  ) -> Bool {
    switch expected {
    // An empty file is a name that an interrupted rename had reserved; the file itself is aside.
    case .file(let mark): mark.isMark(of: path, disk: disk) || status.isEmptyFile
    case .nothing: status.isEmptyFile
    // A journal of version 1: what was written after it is another program's.
    case nil: status.kind == .file && status.modified <= (written ?? .min).addingClamped(FileMark.timeStep)
    }
  }

  // MARK: Keeping

  /// Gives a file a name of its own beside a path; for a file in the hidden folder, in `.photome/kept`.
  ///
  /// - Returns: The new path.
  func keep(_ file: String, of path: String) throws(PhotoLibraryError) -> String {
    let (stem, ending) = LibraryFolder.keptParts(ofName: Disk.name(of: path))
    let parent = isHidden(path) ? folder.kept : Disk.parent(of: path)
    try disk.makeFolder(parent)
    var attempt = 1
    while true {
      let kept = "\(parent)/\(LibraryFolder.name(stem: stem, extension: ending, attempt: attempt))"
      if try disk.renameNew(file, to: kept) { return kept }
      attempt += 1
    }
  }
}

extension FinishedJournal {
  var hasSkipped: Bool { notes.contains { if case .couldNotRecover = $0 { true } else { false } } }

  mutating func skip(_ path: String, _ reason: String) {
    notes.append(
      .couldNotRecover(path: path, reason: "a change that was interrupted wanted to move it, and \(reason)"))
  }
}

extension Disk.Status {
  /// Whether there is nothing in it: perhaps a name that was reserved on a file system that can't rename without
  /// replacing.
  var isEmptyFile: Bool { kind == .file && size == 0 }
}

extension Int64 {
  fileprivate func addingClamped(_ other: Int64) -> Int64 {
    let (sum, isTooMuch) = addingReportingOverflow(other)
    return isTooMuch ? .max : sum
  }
}
