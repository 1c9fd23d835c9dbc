// Finishing the change of another process.

import Foundation
import Localization

/// The outcome of finishing a journal.
struct FinishedJournal: Sendable {
  /// For the user; the first says that there was one.
  var notes: [RecoveryNote] = [.finishedChange]
  /// Absolute: the files that may be other ones now.
  var paths: [String] = []
  /// Whether a file stays where it was, as it isn't the one that a step means.
  var hasSkipped = false
}

extension JournalRunner {
  /// Carries out the rest of a journal that another process left. The caller holds `WriteLock`, unless there are only
  /// new files.
  ///
  /// A file that isn't the one that a step means, because another program has changed it since, is never replaced or
  /// removed: it is kept beside, or stays where it is. A journal that can't be carried out as it is written is given up;
  /// one whose disk isn't mounted waits.
  ///
  /// - Throws: The error of the disk; `unusableFile` when it can't be finished after all.
  func finish(_ journal: Journal, at path: String) throws(PhotoLibraryError) -> FinishedJournal {
    // From the top of its disk on, no link may lead elsewhere: it could take the place of the trash at any time.
    let top = Disk.resolved(folder.path).map { trash.volumes.top(of: $0) } ?? folder.path
    let roots = [folder.path, trash.home, top]
    let confined = JournalRunner(folder: folder, disk: disk.confined(to: roots), trash: trash)
    let token = Journal.parts(of: Disk.name(of: path))?.token
    if let reason = try confined.blockage(of: journal, token) { return try confined.giveUp(journal, at: path, reason) }
    let written = disk.status(path)?.modified
    let planned = journal.steps
    let journal = try confined.followed(journal)
    if journal.steps != planned, let reason = try confined.blockage(of: journal, token) {
      return try confined.giveUp(journal, at: path, reason)
    }
    let moved = MovedPictures(of: journal, at: path, confined)
    switch try confined.absence(of: journal, moved) {
    case .lasting(let reason): return try confined.giveUp(journal, at: path, reason)
    case .away(let place):
      let reason = localized("its disk, which was mounted at “\(place)”, isn’t connected")
      return try confined.putOff(path, reason, awaiting: place)
    case nil: break
    }
    if isWaiting(path), try !confined.isUntouched(journal, moved, written: written) {
      return try confined.giveUp(journal, at: path, localized("its files have changed since then"))
    }
    var outcome = FinishedJournal()
    var paths: [String] = []
    for step in journal.steps {
      paths.append(try confined.finish(step, moved, written: written, &outcome))
    }
    outcome.paths += paths.filter { !$0.isEmpty }
    try confined.synchronize(journal.steps, paths: paths)
    try remove(path)
    return outcome
  }

  /// - Parameter written: When the journal was, in nanoseconds since 1970.
  /// - Returns: The final path; empty when it isn't known.
  private func finish(
    _ step: JournalStep, _ moved: MovedPictures, written: Int64?, _ outcome: inout FinishedJournal
  ) throws(PhotoLibraryError) -> String {
    switch step {
    case .publish(let temporary, let parent, let stem, let ending):
      let temporary = absolute(temporary)
      guard try disk.checkedStatus(temporary) != nil else { return "" }
      return try publish(temporary, folder: absolute(parent), stem: stem, ending: ending)
    case .replace(let temporary, let path, let expected):
      let (temporary, path) = (absolute(temporary), absolute(path))
      guard let new = try disk.checkedStatus(temporary) else { return path }
      try disk.makeFolder(Disk.parent(of: path))
      while let there = try disk.checkedStatus(path) {
        if isSecondName(there, of: new) {
          try disk.remove(temporary)
          return path
        }
        if try isExpected(path, there, expected, written: written) {
          try disk.replace(path, with: temporary)
          return path
        }
        if let place = try replacePicture(expected, of: path, with: temporary, moved, isItself: true) {
          outcome.paths.append(path)
          return place
        }
        let kept = try keep(path, of: path)
        outcome.notes.append(.keptVersion(of: path, as: URL(fileURLWithPath: kept.path)))
        outcome.paths += [path, kept.path, kept.record].compactMap(\.self)
      }
      if let place = try replacePicture(expected, of: path, with: temporary, moved) {
        outcome.paths.append(path)
        return place
      }
      // What comes in between is another program's as well: the next attempt keeps it.
      guard try disk.renameNew(temporary, to: path) else { throw .changedMeanwhile(path: path) }
      return path
    case .adopt(let temporary, let path):
      let (temporary, path) = (absolute(temporary), absolute(path))
      guard let new = try disk.checkedStatus(temporary) else { return path }
      try disk.makeFolder(Disk.parent(of: path))
      if try disk.renameNew(temporary, to: path) { return path }
      if let there = try disk.checkedStatus(path), isSecondName(there, of: new) {
        try disk.remove(temporary)
        return path
      }
      let (stem, ending) = FileName.split(Disk.name(of: path))
      _ = try publish(temporary, folder: Disk.parent(of: path), stem: stem, ending: ending)
      return path
    case .move(let from, let to, let number, let mark):
      let (from, to) = (absolute(from), absolute(to))
      outcome.paths.append(from)
      // Gone from there: it was moved, by this step or by another program.
      guard let status = try disk.checkedStatus(from) else {
        // Who has renamed it wants to have it, and not to have it taken from the library.
        if let mark, folder.relative(to) == nil || Disk.name(of: to).isHiddenName,
          try disk.checkedStatus(to) == nil, let place = try moved.path(of: mark, from: [from, to])
        {
          outcome.skip(place, .moveOfRenamed)
        }
        return to
      }
      guard try isMeant(from, status, number, mark) else {
        // A journal of version 1 has no more than the number.
        if mark != nil { outcome.skip(from, .moveOfChanged) }
        return to
      }
      try disk.makeFolder(Disk.parent(of: to))
      if try disk.renameNew(from, to: to) { return to }
      if let there = try disk.checkedStatus(to), isSecondName(there, of: status) {
        try disk.remove(from)
      } else if disk.status(to)?.isEmptyFile == true {
        // The interrupted rename of a file system that can't rename without replacing had reserved the name.
        try disk.replace(to, with: from)
      } else {
        outcome.skip(from, .moveToTaken(to))
      }
      return to
    case .remove(let path, let number, let mark):
      let path = absolute(path)
      guard let status = try disk.checkedStatus(path) else {
        if let mark, let place = try moved.path(of: mark, from: [path]) {
          outcome.skip(place, .removalOfRenamed)
        }
        return path
      }
      // If a file stays where it is, so does what belongs to it: the info file of the trash that describes it, or the
      // original and the record of a picture.
      guard !outcome.hasSkipped else { return path }
      guard try isMeant(path, status, number, mark) else {
        // As above: the number alone is too little to say something, but enough to let everything else stay.
        if mark != nil { outcome.skip(path, .removalOfChanged) }
        outcome.hasSkipped = true
        return path
      }
      try disk.remove(path)
      return path
    }
  }

  /// Replaces a picture that somebody has renamed or moved since: with its old name, the new version would be another
  /// picture beside it, and a hidden one would be shown.
  ///
  /// - Returns: Its path; `nil` when it isn't found.
  private func replacePicture(
    _ expected: JournalStep.Expected?, of path: String, with temporary: String, _ moved: MovedPictures,
    isItself: Bool = false
  ) throws(PhotoLibraryError) -> String? {
    guard case .file(let mark) = expected, let place = try moved.path(of: mark, from: [path], isItself: isItself)
    else { return nil }
    if folder.relative(place) == nil {
      guard isOwnTrash(place) else { return nil }
      // It has been moved there since it was looked for.
      throw .unusableFile(path: place, reason: Self.isTrashed(place))
    }
    let parent = Disk.parent(of: place)
    guard trash.volumes.top(of: parent) != trash.volumes.top(of: Disk.parent(of: temporary)) else {
      try disk.replace(place, with: temporary)
      return place
    }
    let file = try ReadableFile(temporary, disk: disk)
    let token = LibraryFolder.token(temporaryName: Disk.name(of: temporary)) ?? LibraryFolder.makeToken()
    let copy = "\(parent)/\(LibraryFolder.temporaryName(for: Disk.name(of: place), token: token, number: 0))"
    try FileWriter(disk: disk).write(
      Data(), tail: file, tailLength: file.size, attributes: FileAttributes(of: file, disk: disk), to: copy)
    try disk.replace(place, with: copy)
    try disk.synchronizeFolder(parent)
    try disk.remove(temporary)
    return place
  }

  /// - Parameter mark: `nil` in a journal of version 1, which has no more than the number.
  func isMeant(
    _ path: String, _ status: Disk.Status, _ number: UInt64, _ mark: FileMark?
  ) throws(PhotoLibraryError) -> Bool {
    guard let mark else { return status.number == number }
    return try mark.isCertainMark(of: path, disk: disk)
  }

  func publish(
    _ temporary: String, folder parent: String, stem: String, ending: String
  ) throws(PhotoLibraryError) -> String {
    try disk.makeFolder(parent)
    let new = try disk.checkedStatus(temporary)
    var attempt = 1
    while true {
      let path = "\(parent)/\(LibraryFolder.name(stem: stem, extension: ending, attempt: attempt))"
      if try disk.renameNew(temporary, to: path) { return path }
      if let new, let there = try disk.checkedStatus(path), isSecondName(there, of: new) {
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
  func isSecondName(_ status: Disk.Status, of other: Disk.Status) -> Bool {
    status.links > 1 && status.number == other.number && status.device == other.device
  }

  func isExpected(
    _ path: String, _ status: Disk.Status, _ expected: JournalStep.Expected?, written: Int64?
  ) throws(PhotoLibraryError) -> Bool {
    switch expected {
    // An empty file is a name that an interrupted rename had reserved; the file itself is aside.
    case .file(let mark): status.isEmptyFile ? true : try mark.isCertainMark(of: path, disk: disk)
    case .nothing: status.isEmptyFile
    // A journal of version 1: what was written after it is another program's.
    case nil: status.kind == .file && status.modified <= (written ?? .min).addingClamped(FileMark.timeStep)
    }
  }
}

extension FinishedJournal {
  /// Notes that a file stays where it is.
  fileprivate mutating func skip(_ path: String, _ step: SkippedStep) {
    hasSkipped = true
    notes.append(.couldNotRecover(path: path, reason: step.reason))
  }
}

/// A step of an interrupted change that leaves a file where it is.
private enum SkippedStep {
  case moveOfRenamed
  case moveOfChanged
  /// Another file has the name.
  case moveToTaken(String)
  case removalOfRenamed
  case removalOfChanged

  var reason: String {
    switch self {
    case .moveOfRenamed:
      localized("an interrupted change was going to move it, but it was moved or renamed in the meantime")
    case .moveOfChanged: localized("an interrupted change was going to move it, but it was changed in the meantime")
    case .moveToTaken(let path):
      localized("an interrupted change was going to move it to “\(path)”, which exists now")
    case .removalOfRenamed:
      localized("an interrupted change was going to remove it, but it was moved or renamed in the meantime")
    case .removalOfChanged:
      localized("an interrupted change was going to remove it, but it was changed in the meantime")
    }
  }
}

extension Int64 {
  fileprivate func addingClamped(_ other: Int64) -> Int64 {
    let (sum, isTooMuch) = addingReportingOverflow(other)
    return isTooMuch ? .max : sum
  }
}
