// Journals that can't be carried out: given up for good, or put off.

import Foundation
import Localization

extension JournalRunner {
  /// Gives up a change that can't be finished: none of its steps is carried out, and its journal and what was prepared
  /// for it are kept. If it stayed where it is, it would be carried out later, over newer state.
  ///
  /// - Parameters:
  ///   - journal: `nil` for what is no journal.
  ///   - reason: The end of a sentence.
  func giveUp(
    _ journal: Journal?, at path: String, _ reason: String
  ) throws(PhotoLibraryError) -> FinishedJournal {
    let kept = try keptFolder()
    try disk.makeFolder(kept)
    if let token = Journal.parts(of: Disk.name(of: path))?.token {
      let disks = LibraryDisks(of: folder, disk: disk)
      for temporary in journal?.steps.compactMap(\.temporary) ?? [] { try save(temporary, of: token, in: kept, disks) }
    }
    let (stem, ending) = FileName.split(Disk.name(of: path))
    _ = try publish(path, folder: kept, stem: stem, ending: ending)
    try disk.synchronizeFolder(kept)
    try disk.synchronizeFolder(Disk.parent(of: path))
    var outcome = FinishedJournal()
    let reason = localized("it holds the remains of an interrupted change, which can’t be finished: \(reason)")
    outcome.notes = [.couldNotRecover(path: kept, reason: reason)]
    outcome.paths = journal?.steps.flatMap(\.paths).map(absolute) ?? []
    return outcome
  }

  /// The folder for what is kept: another one beside it where something else has its name, such as a link.
  func keptFolder() throws(PhotoLibraryError) -> String {
    var attempt = 1
    while true {
      let name = LibraryFolder.name(stem: Disk.name(of: folder.kept), extension: "", attempt: attempt)
      let path = "\(folder.hidden)/\(name)"
      if try disk.checkedStatus(path).map({ $0.kind == .folder }) ?? true { return path }
      attempt += 1
    }
  }

  /// Keeps a file that was prepared, if it is one of the journal's process.
  private func save(
    _ temporary: String, of token: String, in kept: String, _ disks: LibraryDisks
  ) throws(PhotoLibraryError) {
    let (name, parent) = (Disk.name(of: temporary), Disk.parent(of: absolute(temporary)))
    // Untrusted input: it may be anything, anywhere.
    guard !temporary.isAbsolutePath, LibraryFolder.token(temporaryName: name) == token,
      Disk.resolved(parent) == parent, let status = try disk.checkedStatus(absolute(temporary)), status.kind == .file
    else { return }
    let plain = LibraryFolder.name(temporaryName: name)
    let target = plain.isEmpty ? name : plain
    if status.device == disk.status(kept)?.device, !disks.isDisk(Self.top(of: parent, in: folder)) {
      let (stem, ending) = FileName.split(target)
      _ = try publish(absolute(temporary), folder: kept, stem: stem, ending: ending)
    } else {
      // A month may be a mount point, from where nothing can be renamed to the hidden folder.
      _ = try keep(absolute(temporary), of: "\(parent)/\(target)")
      try disk.synchronizeFolder(parent)
    }
  }

  func isWaiting(_ path: String) -> Bool { Disk.parent(of: path) == folder.waiting }

  /// Puts off a change that can't be finished now: it keeps nobody from changing something, and is tried again by whoever
  /// takes the lock.
  ///
  /// - Parameters:
  ///   - reason: A clause.
  ///   - missing: The folder of the disk for which it waits, absolute; empty for another reason.
  func putOff(
    _ path: String, _ reason: String, awaiting missing: String = ""
  ) throws(PhotoLibraryError) -> FinishedJournal {
    var place = path
    if !isWaiting(path) {
      if let status = try disk.checkedStatus(folder.waiting), status.kind != .folder {
        return try giveUp(Journal(of: path, disk: disk), at: path, localized("“\(folder.waiting)” isn’t a folder"))
      }
      try disk.makeFolder(folder.waiting)
      place = "\(folder.waiting)/\(Disk.name(of: path))"
      // Only another program can have put something there.
      guard try disk.renameNew(path, to: place) else {
        return try giveUp(nil, at: path, localized("“\(place)” already exists"))
      }
      try disk.synchronizeFolder(folder.waiting)
      try disk.synchronizeFolder(folder.journals)
    }
    noteTrial(of: place, reason, awaiting: missing)
    return waits(place, reason)
  }

  /// The outcome for a journal that waits.
  func waits(_ path: String, _ reason: String) -> FinishedJournal {
    var outcome = FinishedJournal()
    outcome.notes = [
      .couldNotRecover(path: path, reason: localized("it describes a change that can’t be finished yet: \(reason)"))
    ]
    return outcome
  }
}
