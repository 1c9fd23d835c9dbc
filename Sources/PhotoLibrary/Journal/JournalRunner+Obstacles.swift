// The reasons for which a journal can't be carried out as it is written.

import Foundation
import Localization

extension JournalRunner {
  /// A reason for which a journal can't be carried out now.
  enum Obstacle {
    /// It never can be; with the reason, as the end of a sentence.
    case lasting(String)
    /// The disk that was mounted at this folder isn't there.
    case away(String)
  }

  /// The reason for which a journal never can be carried out as it is written, as the end of a sentence. Looks before
  /// anything is done: what a journal says is untrusted.
  ///
  /// - Parameter token: Of the journal's process.
  /// - Throws: The error of looking at a file.
  func blockage(of journal: Journal, _ token: String?) throws(PhotoLibraryError) -> String? {
    guard journal.steps.allSatisfy({ isPrepared($0, by: token) }) else {
      return localized("it names files that weren’t prepared for it")
    }
    guard staysInside(journal) else {
      return localized("it names files that are neither in this library nor in your Trash")
    }
    var passable = Set(trashes.map(PathBytes.init)).union([PathBytes("")])
    for step in journal.steps {
      if let reason = try blockage(of: step, &passable) { return reason }
    }
    return nil
  }

  /// The obstacle that a file is not there.
  ///
  /// - Throws: The error of looking at a file.
  func absence(of journal: Journal, _ moved: MovedPictures) throws(PhotoLibraryError) -> Obstacle? {
    if let place = try awayFolder(of: journal) { return .away(place) }
    if let path = try missingFile(of: journal, moved) { return .lasting(localized("“\(path)” no longer exists")) }
    return try trashedPicture(of: journal, moved).map { .lasting(Self.isTrashed($0)) }
  }

  // MARK: Outside

  /// Whether what a step gives another name is a file that the journal's process has written, or an untouched original,
  /// which a revert brings back. Any other file is somebody's own.
  private func isPrepared(_ step: JournalStep, by token: String?) -> Bool {
    guard let temporary = step.temporary, let token else { return step.temporary == nil }
    let name = Disk.name(of: temporary)
    return LibraryFolder.token(temporaryName: name) == token
      || LibraryFolder.originalID(name) != nil
        && PathBytes(Disk.parent(of: absolute(temporary))) == PathBytes(folder.originals)
  }

  /// Whether a file in the trash came from this library.
  func isOwnTrash(_ path: String) -> Bool {
    trash.isFile(path, below: folder.path, in: trash.folders(for: folder.path))
  }

  /// The trash folders to which files of this library may be moved.
  private var trashes: [String] { trash.folders(for: folder.path).map(\.folder) }

  /// Whether all steps concern files of this library and of the desktop's trash only.
  private func staysInside(_ journal: Journal) -> Bool {
    let places = trash.folders(for: folder.path)
    let trashes = places.map(\.folder)
    var infos: [PathBytes: String] = [:]
    for case .move(let from, let to, _, _) in journal.steps where to.ends(with: DesktopTrash.infoEnding) {
      infos[PathBytes(to)] = absolute(from)
    }
    return journal.steps.allSatisfy { step in
      step.paths.allSatisfy { Self.staysInside($0, or: trashes) } && isOwn(step, infos, places)
    }
  }

  /// Whether a path leads to a file of this library or of the desktop's trash, if no part of it is a link.
  private static func staysInside(_ path: String, or trashes: [String]) -> Bool {
    let parts = path.parts(between: "/")
    guard !parts.contains(".."), !path.utf8.contains(0) else { return false }
    return !path.isAbsolutePath || trashes.contains { path.begins(with: $0 + "/") }
  }

  /// Whether a step leaves alone what others have put into the trash. Files are moved there from the library, each with
  /// an info file that names a file of the library, and back if theirs does; of what is there, only info files are
  /// removed. A mark proves nothing: whoever has a copy of a file can write it.
  ///
  /// - Parameters:
  ///   - infos: The info files that the journal moves, by where to.
  ///   - places: The possible trash folders.
  private func isOwn(
    _ step: JournalStep, _ infos: [PathBytes: String], _ places: [(folder: String, isHome: Bool)]
  ) -> Bool {
    guard step.paths.contains(where: { $0.isAbsolutePath }) else { return true }
    switch step {
    case .publish, .replace, .adopt: return false
    case .move(let from, let to, _, _):
      if from.isAbsolutePath {
        return !to.isAbsolutePath
          && (disk.status(from) == nil || trash.isFile(from, below: folder.path, in: places))
      }
      // It has been done.
      if disk.status(absolute(from)) == nil { return true }
      if trash.isInfo(absolute(from), as: to, ofFileBelow: folder.path, in: places) { return true }
      guard let info = DesktopTrash.info(of: to) else { return false }
      // An empty one is a name that the interrupted move of the info file had reserved.
      let isMoved = disk.status(info).map { !$0.isEmptyFile } ?? false
      let present = isMoved ? info : infos[PathBytes(info)]
      return present.map { trash.isInfo($0, as: info, ofFileBelow: folder.path, in: places) } ?? false
    case .remove(let path, _, _):
      return path.ends(with: DesktopTrash.infoEnding)
        && (disk.status(path) == nil || trash.isInfo(path, as: path, ofFileBelow: folder.path, in: places))
    }
  }

  // MARK: In the way

  /// The reason for which a step's paths lead nowhere: through a link or a file, or to a folder.
  ///
  /// - Parameter passable: The folders that are known not to be in the way.
  private func blockage(
    of step: JournalStep, _ passable: inout Set<PathBytes>
  ) throws(PhotoLibraryError) -> String? {
    var files = step.paths
    if case .publish(let temporary, let parent, _, _) = step {
      // Its name is made to fit.
      files = [temporary]
      if let reason = try blockage(ofFolder: parent, &passable) { return reason }
    }
    for path in files {
      if let reason = try blockage(ofFolder: Disk.folder(of: path), &passable) { return reason }
      if disk.isTooLong(absolute(path)) { return Self.tooLong }
      switch try disk.checkedStatus(absolute(path))?.kind {
      case .file, nil: continue
      case .folder: return localized("“\(absolute(path))” is a folder")
      case .other: return localized("“\(absolute(path))” isn’t a regular file")
      }
    }
    return nil
  }

  private func blockage(
    ofFolder path: String, _ passable: inout Set<PathBytes>
  ) throws(PhotoLibraryError) -> String? {
    if passable.contains(PathBytes(path)) { return nil }
    if disk.isTooLong(absolute(path)) { return Self.tooLong }
    // The closest folder that is known, and those below it.
    var unknown = [path]
    while let parent = unknown.last.map(Disk.folder), !passable.contains(PathBytes(parent)) { unknown.append(parent) }
    for path in unknown.reversed() {
      if disk.isTooLong(absolute(path)) { return Self.tooLong }
      if let status = try disk.checkedStatus(absolute(path)), status.kind != .folder {
        return localized("“\(absolute(path))” isn’t a folder")
      }
      passable.insert(PathBytes(path))
    }
    return nil
  }

  private static var tooLong: String { localized("it contains a name that is too long") }

  // MARK: Gone

  /// The folder of a file that was on a disk that isn't mounted now, or in whose place another one is. Without a mark, a
  /// file that is there will do.
  private func awayFolder(of journal: Journal) throws(PhotoLibraryError) -> String? {
    guard let places = journal.disks.map({ Set($0.map(PathBytes.init)) }), !places.isEmpty else { return nil }
    let disks = LibraryDisks(of: folder, disk: disk)
    var isThere: [PathBytes: Bool] = [:]
    for step in journal.steps {
      let parent = Disk.folder(of: step.place)
      let key = PathBytes(parent)
      guard places.contains(key) else { continue }
      let (top, id) = (Self.top(of: parent, in: folder), journal.diskIDs?[parent])
      let isDiskThere = isThere[key] ?? (id.map { disks.id(at: top) == $0 } ?? disks.isDisk(top))
      isThere[key] = isDiskThere
      if isDiskThere { continue }
      if id != nil { return absolute(parent) }
      if try disk.checkedStatus(absolute(step.place)) == nil { return absolute(parent) }
    }
    return nil
  }

  /// The first file that the rest of a journal needs and that is gone, although its step isn't done.
  private func missingFile(of journal: Journal, _ moved: MovedPictures) throws(PhotoLibraryError) -> String? {
    let isDangerous = journal.steps.contains(where: \.needsLock)
    for step in journal.steps {
      guard let temporary = step.temporary, try disk.checkedStatus(absolute(temporary)) == nil else { continue }
      let isDone: Bool
      switch step {
      // A new picture may be anywhere by now, and nothing hangs on it where there are no other steps.
      case .publish(_, let parent, let stem, let ending):
        let first = "\(absolute(parent))/\(LibraryFolder.name(stem: stem, extension: ending, attempt: 1))"
        isDone = isDangerous ? try isThere(first) : true
      case .replace(_, let path, .file(let mark)):
        let path = absolute(path)
        isDone = try isThere(path) ? !mark.isCertainMark(of: path, disk: disk) : false
      case .replace(_, let path, _), .adopt(_, let path): isDone = try isThere(absolute(path))
      case .move, .remove: isDone = true
      }
      if isDone { continue }
      // Its step was done, and then somebody has renamed the picture.
      if let mark = journal.files?[temporary], try moved.path(of: mark) != nil { continue }
      return absolute(temporary)
    }
    return nil
  }

  /// The first picture that is to be replaced and that somebody has moved to the trash. It stays there as it is: a change
  /// of it is not made, and so neither is what belongs to that change.
  private func trashedPicture(of journal: Journal, _ moved: MovedPictures) throws(PhotoLibraryError) -> String? {
    var coming: Set<PathBytes> = []
    for case .move(let from, let to, _, _) in journal.steps {
      if try disk.checkedStatus(absolute(from)) != nil { coming.insert(PathBytes(to)) }
    }
    for case .replace(let temporary, let path, .file(let mark)) in journal.steps {
      // A step brings it back from there.
      if coming.contains(PathBytes(path)) { continue }
      guard let new = try disk.checkedStatus(absolute(temporary)) else { continue }
      let there = try disk.checkedStatus(absolute(path))
      if let there {
        if isSecondName(there, of: new) { continue }
        if try isExpected(absolute(path), there, .file(mark), written: nil) { continue }
      }
      let place = try moved.path(of: mark, from: [absolute(path)], isItself: there != nil)
      if let place, folder.relative(place) == nil, isOwnTrash(place) { return place }
    }
    return nil
  }

  /// The end of a sentence.
  static func isTrashed(_ path: String) -> String {
    localized("“\(path)” is in the Trash now and stays there as it is")
  }

  /// Whether there is a file with something in it: an empty one is a reserved name.
  private func isThere(_ path: String) throws(PhotoLibraryError) -> Bool {
    try disk.checkedStatus(path).map { !$0.isEmptyFile } ?? false
  }

  // MARK: Changed since

  /// Whether each step is either done, or would find what it expects.
  ///
  /// - Parameter written: When the journal was, in nanoseconds since 1970.
  func isUntouched(
    _ journal: Journal, _ moved: MovedPictures, written: Int64?
  ) throws(PhotoLibraryError) -> Bool {
    /// Whether a name is free for a file, or is the name of the file that is to be replaced.
    func isFree(
      _ path: String, for own: Disk.Status, _ expected: JournalStep.Expected?
    ) throws(PhotoLibraryError) -> Bool {
      guard let there = try disk.checkedStatus(absolute(path)) else {
        // What is to be replaced may be gone because of the change itself: a step has yet to bring it there, or it was
        // renamed aside.
        guard case .file(let mark) = expected, !targets.contains(PathBytes(path)) else { return true }
        return try moved.isAside(mark, from: [absolute(path)])
      }
      if isSecondName(there, of: own) { return true }
      return try isExpected(absolute(path), there, expected, written: written)
    }
    let targets = Set(
      journal.steps.compactMap { if case .move(_, let to, _, _) = $0 { PathBytes(to) } else { nil } })
    for step in journal.steps {
      guard let own = try disk.checkedStatus(absolute(step.place)) else { continue }
      let isExpected: Bool
      switch step {
      case .publish: isExpected = true
      case .replace(_, let path, let expected): isExpected = try isFree(path, for: own, expected)
      case .adopt(_, let path): isExpected = try isFree(path, for: own, .nothing)
      case .move(let from, let to, let number, let mark):
        let isMoved = try isMeant(absolute(from), own, number, mark)
        isExpected = isMoved ? try isFree(to, for: own, .nothing) : false
      case .remove(let path, let number, let mark): isExpected = try isMeant(absolute(path), own, number, mark)
      }
      if !isExpected { return false }
    }
    return true
  }
}
