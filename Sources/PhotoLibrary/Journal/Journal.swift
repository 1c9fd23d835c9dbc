// Atomic changes to several files: a journal is written first, then its steps are carried out, if necessary by the next
// process.

import Foundation
import Logging

/// One step of a change. Every step is idempotent: after an interruption it does the rest.
///
/// Paths are relative to the library's folder, or absolute outside of it (in the desktop's trash).
enum JournalStep: Codable, Hashable, Sendable {
  /// Renames a durable file to the first free name of a stem.
  case publish(temporary: String, folder: String, stem: String, ending: String)
  /// Renames a durable file, replacing the file that may have the name.
  case replace(temporary: String, path: String)
  /// Renames the file with this inode number, unless the name is taken.
  case move(from: String, to: String, number: UInt64)
  /// Removes the file with this inode number.
  case remove(path: String, number: UInt64)
}

/// The steps of one change. It is on disk as `.photome/journal/<token>.<number>.json` until all of them are done.
struct Journal: Codable, Sendable {
  var version = 1
  var steps: [JournalStep]

  /// In bytes; a longer file isn't one of ours.
  static let largestFile = 1 << 26

  static func name(token: String, number: Int) -> String { "\(token).\(number).json" }

  /// The token of a journal's process, and its number; `nil` for other names.
  static func parts(of name: String) -> (token: String, number: Int)? {
    let parts = name.split(separator: ".", omittingEmptySubsequences: false)
    guard parts.count == 3, parts[2] == "json", LibraryFolder.isToken(String(parts[0])), let number = Int(parts[1])
    else { return nil }
    return (String(parts[0]), number)
  }
}

/// Carries out journals.
struct JournalRunner: Sendable {
  let folder: LibraryFolder
  let disk: Disk
  let trash: DesktopTrash
  private static let logger = Logger(label: "photome.library.journal")

  /// The trash folders to which files of this library may be moved.
  private var trashes: [(folder: String, isHome: Bool)] { trash.folders(top: trash.volumes.top(of: folder.path)) }

  /// Carries out steps atomically: all of them, or none if it throws. When the process is killed, none are done before
  /// the journal is written; afterwards the next process does the rest.
  ///
  /// - Parameter session: Of this process.
  /// - Returns: The final path of each step, in order.
  /// - Throws: The error of the disk, after undoing the steps that were done.
  func perform(_ steps: [JournalStep], session: LibrarySession) throws(PhotoLibraryError) -> [String] {
    guard !steps.isEmpty else { return [] }
    // A single step is atomic by itself.
    let journal = steps.count > 1 ? try write(Journal(steps: steps), session: session) : nil
    var undone: [Undo] = []
    var paths: [String] = []
    do throws(PhotoLibraryError) {
      for step in steps {
        let (path, undo) = try apply(step, backup: backupName(of: step, session: session))
        if let undo { undone.append(undo) }
        paths.append(path)
      }
      try synchronize(steps, paths: paths)
    } catch {
      for undo in undone.reversed() {
        do throws(PhotoLibraryError) { try self.undo(undo) } catch let failure {
          // The journal stays: the next start finishes it.
          Self.logger.error("\(failure.description)")
          throw error
        }
      }
      if let journal { try remove(journal) }
      throw error
    }
    if let journal { try remove(journal) }
    for undo in undone { if case .restore(let backup, _, _) = undo { disk.discard(backup) } }
    return paths
  }

  /// Whether a journal of this process is neither done nor undone.
  func hasJournal(of session: LibrarySession) -> Bool {
    (disk.names(in: folder.journals) ?? []).contains { Journal.parts(of: $0)?.token == session.token }
  }

  /// Carries out a journal that another process left.
  ///
  /// - Throws: `unusableFile` when it isn't a valid journal of this library, or the error of the disk.
  func finish(_ path: String) throws(PhotoLibraryError) {
    let file = try ReadableFile(path, disk: disk)
    guard file.size <= UInt64(Journal.largestFile) else {
      throw .unusableFile(path: path, reason: "it is too long for a journal")
    }
    let data = try file.data(at: 0, count: Int(file.size))
    guard let journal = try? JSONDecoder().decode(Journal.self, from: data), journal.version == 1 else {
      throw .unusableFile(path: path, reason: "it isn't a journal of this version of PhotoMe")
    }
    // Untrusted input: a library from elsewhere must not affect other files of the user.
    guard journal.steps.allSatisfy(staysInside) else {
      throw .unusableFile(path: path, reason: "it speaks of files outside of this library")
    }
    var paths: [String] = []
    for step in journal.steps { paths.append(try apply(step, backup: nil).path) }
    try synchronize(journal.steps, paths: paths)
    try remove(path)
  }

  /// Whether a step concerns only files of this library and the desktop's trash.
  private func staysInside(_ step: JournalStep) -> Bool {
    let paths =
      switch step {
      case .publish(let temporary, let parent, let stem, let ending): [temporary, parent, "\(stem)\(ending)"]
      case .replace(let temporary, let path): [temporary, path]
      case .move(let from, let to, _): [from, to]
      case .remove(let path, _): [path]
      }
    return paths.allSatisfy { path in
      let parts = path.split(separator: "/", omittingEmptySubsequences: false)
      guard !parts.contains(".."), !path.utf8.contains(0) else { return false }
      return !path.hasPrefix("/") || trashes.contains { path.hasPrefix($0.folder + "/") }
    }
  }

  /// Removes a journal durably, so that it is never carried out on later files.
  private func remove(_ journal: String) throws(PhotoLibraryError) {
    try disk.remove(journal)
    try disk.synchronizeFolder(folder.journals)
  }

  // MARK: Steps

  private enum Undo {
    /// Moves a file back.
    case move(from: String, to: String)
    /// Restores a file that was replaced or removed; the file that took its name gets its old one back.
    case restore(backup: String, path: String, taker: String?)
  }

  /// - Parameter backup: The path at which a replaced or removed file is kept until all steps are done; `nil` keeps
  ///   nothing.
  private func apply(
    _ step: JournalStep, backup: String?
  ) throws(PhotoLibraryError) -> (path: String, undo: Undo?) {
    switch step {
    case .publish(let temporary, let parent, let stem, let ending):
      let temporary = absolute(temporary)
      guard disk.status(temporary) != nil else { return ("", nil) }
      try disk.makeFolder(absolute(parent))
      var attempt = 1
      while true {
        let path = "\(absolute(parent))/\(LibraryFolder.name(stem: stem, extension: ending, attempt: attempt))"
        if try disk.renameNew(temporary, to: path) { return (path, .move(from: path, to: temporary)) }
        attempt += 1
      }
    case .replace(let temporary, let path):
      let (temporary, path) = (absolute(temporary), absolute(path))
      guard disk.status(temporary) != nil else { return (path, nil) }
      try disk.makeFolder(Disk.parent(of: path))
      var undo = Undo.move(from: path, to: temporary)
      if let backup, disk.status(path) != nil, try disk.link(path, to: backup) {
        undo = .restore(backup: backup, path: path, taker: temporary)
      }
      try disk.replace(path, with: temporary)
      return (path, undo)
    case .move(let from, let to, let number):
      let (from, to) = (absolute(from), absolute(to))
      guard disk.status(from)?.number == number else { return (to, nil) }
      try disk.makeFolder(Disk.parent(of: to))
      guard try disk.renameNew(from, to: to) else {
        throw .inputOutput(operation: "move", path: from, reason: "“\(to)” is there already")
      }
      return (to, .move(from: to, to: from))
    case .remove(let path, let number):
      let path = absolute(path)
      guard disk.status(path)?.number == number else { return (path, nil) }
      guard let backup else {
        try disk.remove(path)
        return (path, nil)
      }
      try disk.replace(backup, with: path)
      return (path, .restore(backup: backup, path: path, taker: nil))
    }
  }

  private func undo(_ undo: Undo) throws(PhotoLibraryError) {
    switch undo {
    case .move(let from, let to):
      guard try disk.renameNew(from, to: to) else {
        throw .inputOutput(operation: "move back", path: from, reason: "“\(to)” is there already")
      }
    case .restore(let backup, let path, let taker):
      if let taker { _ = try disk.renameNew(path, to: taker) }
      try disk.replace(path, with: backup)
    }
  }

  private func backupName(of step: JournalStep, session: LibrarySession) -> String? {
    switch step {
    case .publish, .move: nil
    case .replace(_, let path), .remove(let path, _):
      "\(session.path)/" + session.temporaryName(for: Disk.name(of: path))
    }
  }

  /// Makes all renames of the steps durable.
  private func synchronize(_ steps: [JournalStep], paths: [String]) throws(PhotoLibraryError) {
    var parents: Set<String> = []
    for (step, path) in zip(steps, paths) {
      if !path.isEmpty { parents.insert(Disk.parent(of: path)) }
      if case .move(let from, _, _) = step { parents.insert(Disk.parent(of: absolute(from))) }
    }
    for parent in parents.sorted() where disk.status(parent) != nil { try disk.synchronizeFolder(parent) }
  }

  /// Writes a journal durably.
  ///
  /// - Returns: Its path.
  private func write(_ journal: Journal, session: LibrarySession) throws(PhotoLibraryError) -> String {
    let path = "\(folder.journals)/\(Journal.name(token: session.token, number: session.nextNumber()))"
    try disk.makeFolder(folder.journals)
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    let data: Data
    do { data = try encoder.encode(journal) } catch {
      throw .changesFailed(reason: error.localizedDescription)
    }
    // A longer one would not be read again.
    guard data.count <= Journal.largestFile else {
      throw .changesFailed(reason: "it concerns too many pictures at once; make it in several parts")
    }
    let temporary = "\(session.path)/" + session.temporaryName(for: "journal")
    try FileWriter(disk: disk).write(data, to: temporary)
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

  private func absolute(_ path: String) -> String { path.hasPrefix("/") ? path : folder.absolute(path) }
}
