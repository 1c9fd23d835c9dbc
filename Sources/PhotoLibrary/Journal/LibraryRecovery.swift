// Recovery after a crash: finishes journals, saves staged stills, removes partly written files.

import CameraCore
import Foundation
import Localization
import Logging

/// Recovers what dead processes left in a library. Files of living processes are not touched.
struct LibraryRecovery {
  let folder: LibraryFolder
  let disk: Disk
  let trash: DesktopTrash
  /// Whether a folder of the library is the mount point of a disk that isn't there.
  var isAway: (String) -> Bool = { _ in false }
  private static let logger = Logger(label: "photome.library.recovery")

  /// Recovers all sessions whose process is dead. Without one this reads two small folders.
  ///
  /// - Parameter finished: Called with the changes that were finished, whose records the index has to read again: on a
  ///   file system with coarse times a record may look as it did before.
  func run(except own: String, finished: ([FinishedJournal]) -> Void = { _ in }) -> [RecoveryNote] {
    let names = disk.names(in: folder.incoming) ?? []
    let journals: [String]
    do throws(PhotoLibraryError) {
      journals = try disk.contents(of: folder.journals) + disk.contents(of: folder.waiting)
    } catch {
      // What they need must not be removed.
      return [.couldNotRecover(path: folder.journals, reason: error.description)]
    }
    var tokens: Set<String> = []
    for name in names {
      let token = name.hasSuffix(".lock") ? String(name.dropLast(5)) : name
      if LibraryFolder.isToken(token), token != own { tokens.insert(token) }
    }
    for name in journals {
      if let token = Journal.parts(of: name)?.token, token != own { tokens.insert(token) }
    }
    guard !tokens.isEmpty else { return [] }
    var notes = finishHotJournals(among: journals, finished)
    do throws(PhotoLibraryError) { try disk.makeFolder(folder.incoming) } catch {
      // Without the folder of the locks, living and dead processes can't be told apart.
      return notes + [.couldNotRecover(path: folder.incoming, reason: error.description)]
    }
    // A journal that waits needs its files; and there may be very many.
    let waiting = (disk.names(in: folder.waiting) ?? []).compactMap { Journal.parts(of: $0)?.token }
    let hot = (disk.names(in: folder.journals) ?? []).compactMap { Journal.parts(of: $0)?.token }
    for token in tokens.subtracting(Set(waiting).subtracting(hot)).sorted() {
      guard let lock = LibrarySession.seize(folder, token, disk: disk) else { continue }
      defer { disk.unlock(lock) }
      // Journals come first: they need the files that are cleared afterwards.
      let (finished, isDone) = finishJournals(of: token)
      notes += finished
      if isDone { notes += clear(token) }
    }
    for note in notes { Self.logger.notice("\(note.description)") }
    return notes
  }

  private var runner: JournalRunner { JournalRunner(folder: folder, disk: disk, trash: trash) }

  /// Finishes the journals that need the lock; taking it does that. While somebody has it, they are in progress, and
  /// whoever only reads doesn't wait for a program that was stopped in the middle of a change.
  private func finishHotJournals(
    among names: [String], _ finished: ([FinishedJournal]) -> Void
  ) -> [RecoveryNote] {
    guard !HotJournals.sorted(names).isEmpty else { return [] }
    do throws(PhotoLibraryError) {
      let lock = try WriteLock(runner, waits: false)
      defer { lock.keep() }
      finished(lock.finished)
      return lock.finished.flatMap(\.notes)
    } catch .changesFailed {
      return []
    } catch {
      return [.couldNotRecover(path: folder.journals, reason: error.description)]
    }
  }

  /// Finishes the journals of a dead process that need no lock.
  ///
  /// - Returns: Whether none is left, of any kind: why was said when the lock was taken.
  private func finishJournals(of token: String) -> (notes: [RecoveryNote], isDone: Bool) {
    var notes: [RecoveryNote] = []
    let names: [String]
    do throws(PhotoLibraryError) { names = try disk.contents(of: folder.journals) } catch {
      return ([.couldNotRecover(path: folder.journals, reason: error.description)], false)
    }
    for name in HotJournals.sorted(names) {
      guard Journal.parts(of: name)?.token == token else { continue }
      let path = "\(folder.journals)/\(name)"
      do throws(PhotoLibraryError) {
        let journal = try Journal(of: path, disk: disk)
        if !journal.steps.contains(where: \.needsLock) { notes += try runner.finish(journal, at: path).notes }
      } catch {
        notes.append(.couldNotRecover(path: path, reason: error.description))
      }
    }
    do throws(PhotoLibraryError) { return (notes, try !Journal.tokens(in: folder, disk: disk).contains(token)) } catch {
      return (notes + [.couldNotRecover(path: folder.journals, reason: error.description)], false)
    }
  }

  /// Of staged pictures.
  private static let endings = PhotoFormat.ofShots.map { LibraryFolder.fileExtension($0, isLive: false) }

  /// The order of recovery: of two stills of a shot, the JPEG was the first, and the other one is to take its place. DNGs
  /// go with pictures.
  private static func inOrder(_ names: [String]) -> [String] {
    func rank(_ name: String) -> Int { name.ends(with: RawCompanion.ending) ? 2 : name.ends(with: ".jpg") ? 1 : 0 }
    return names.sorted { (rank($0), $0) < (rank($1), $1) }
  }

  private func clear(_ token: String) -> [RecoveryNote] {
    let path = "\(folder.incoming)/\(token)"
    var notes: [RecoveryNote] = []
    if let status = disk.status(path), status.kind != .folder {
      return [.couldNotRecover(path: path, reason: localized("PhotoMe expected a folder there; remove it"))]
    }
    for name in Self.inOrder(disk.names(in: path) ?? []) {
      let file = "\(path)/\(name)"
      do throws(PhotoLibraryError) {
        if disk.status(file)?.kind == .folder {
          // Of an editing extension.
          try disk.removeTree(file)
          notes.append(.removedLeftover(name: name))
        } else if name.isHiddenName, name.ends(with: ".tmp") {
          try disk.remove(file)
          notes.append(.removedLeftover(name: name))
        } else if disk.status(file)?.isEmptyFile == true {
          // A rename that was interrupted had reserved the name.
          try disk.remove(file)
          notes.append(.removedLeftover(name: name))
        } else if name.begins(with: "IMG_"), name.ends(with: RawCompanion.ending) {
          // It goes with its picture, which came before.
          let stem = String(file.dropLast(RawCompanion.ending.count))
          guard disk.status(file) != nil, Self.endings.allSatisfy({ disk.status(stem + $0) == nil }) else { continue }
          try disk.remove(file)
          notes.append(.removedLeftover(name: name))
        } else if name.begins(with: "IMG_"), Self.endings.contains(where: name.ends(with:)) {
          if let saved = try save(file, name: name) { notes.append(.recoveredPhoto(saved)) }
        } else {
          try disk.remove(file)
          notes.append(.removedMovie(name: name))
        }
      } catch {
        notes.append(.couldNotRecover(path: file, reason: error.description))
      }
    }
    notes += removeLeftovers(of: token)
    // What could not be recovered keeps its folder and its lock for the next start.
    if disk.removeEmptyFolder(path) { disk.discard(LibrarySession.lockPath(folder, token)) }
    return notes
  }

  /// Publishes a staged still.
  ///
  /// - Returns: `nil` when the shot had been finished, and only the staged still was left.
  private func save(_ file: String, name: String) throws(PhotoLibraryError) -> URL? {
    let readable = try ReadableFile(file, disk: disk)
    guard let facts = try FileFacts(readable) else {
      throw .unusableFile(path: file, reason: localized("it isn’t a complete picture"))
    }
    let month = FolderListing.month(facts.created.monthFolder, of: folder, disk: disk, isAway: isAway)
    // A staged name is the stem, an underscore and the picture's id.
    let ending = FileName.ending(of: name)
    let stem = String(name.dropLast(ending.count + 33))
    let raw = RawCompanion.path(beside: file)
    let hasRaw = disk.status(raw)?.kind == .file
    if finished(stem: stem, month: month, id: facts.contentID) {
      try disk.remove(file)
      if hasRaw { try disk.remove(raw) }
      return nil
    }
    let path = try publish(file, raw: hasRaw ? raw : nil, month: month, stem: stem, ending: ending)
    try disk.synchronizeFolder(Disk.parent(of: path))
    return URL(fileURLWithPath: path, isDirectory: false)
  }

  /// Renames a durable photo to the first free name of its stem in its month, and its DNG to the same one. The caller
  /// then flushes that folder.
  ///
  /// - Parameters:
  ///   - raw: The DNG; `nil` when it has none, or has its final name already.
  ///   - ending: The file extension, with the dot.
  /// - Returns: The final path.
  private func publish(
    _ file: String, raw: String?, month: String, stem: String, ending: String
  ) throws(PhotoLibraryError) -> String {
    let parent = folder.absolute(month)
    try disk.makeFolder(parent)
    var attempt = 1
    while true {
      let path = "\(parent)/\(LibraryFolder.name(stem: stem, extension: ending, attempt: attempt))"
      // The DNG first: if this is interrupted, the picture gets the same name the next time.
      let place = RawCompanion.path(beside: path)
      if let raw {
        let isTaken = disk.status(path).map { !$0.isEmptyFile } ?? false
        guard !isTaken, try disk.renameNew(raw, to: place) else {
          attempt += 1
          continue
        }
      }
      if try disk.renameNew(file, to: path) { return path }
      if disk.status(path)?.isEmptyFile == true {
        // This very rename had reserved the name when it was interrupted.
        try disk.replace(path, with: file)
        return path
      }
      if let raw { _ = try disk.renameNew(place, to: raw) }
      attempt += 1
    }
  }

  /// Whether a file of this shot has its final name already: the process died between the last two steps.
  private func finished(stem: String, month: String, id: Asset.ID) -> Bool {
    let parent = folder.absolute(month)
    return (disk.names(in: parent) ?? []).contains { name in
      guard name.begins(with: stem), let file = try? ReadableFile("\(parent)/\(name)", disk: disk),
        let facts = try? FileFacts(file)
      else { return false }
      return facts.contentID == id
    }
  }

  /// Removes the partly written files of a dead process from the folders of pictures, records, originals, mattes and backdrops.
  private func removeLeftovers(of token: String) -> [RecoveryNote] {
    var notes: [RecoveryNote] = []
    let hidden = [folder.records, folder.albums, folder.originals, folder.mattes, folder.backdrops]
    for path in [folder.path] + FolderListing.folders(of: folder, disk: disk).map(folder.absolute) + hidden {
      let names = disk.names(in: path) ?? []
      for name in names where LibraryFolder.aside(name)?.token == token {
        do throws(PhotoLibraryError) {
          if let path = try AsideFiles(disk: disk).settle(name, in: path) {
            notes.append(.broughtBack(URL(fileURLWithPath: path, isDirectory: false)))
          } else {
            notes.append(.removedLeftover(name: name))
          }
        } catch {
          notes.append(.couldNotRecover(path: "\(path)/\(name)", reason: error.description))
        }
      }
      for name in names where LibraryFolder.token(temporaryName: name) == token {
        do throws(PhotoLibraryError) {
          try ReservedNames(disk: disk).release(for: name, among: names, in: path)
          try disk.remove("\(path)/\(name)")
          notes.append(.removedLeftover(name: name))
        } catch {
          notes.append(.couldNotRecover(path: "\(path)/\(name)", reason: error.description))
        }
      }
    }
    return notes
  }
}
