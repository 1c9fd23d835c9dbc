// The steps of a change, and the file that lists them.

import Foundation
import Localization

/// One step of a change. Every step is idempotent: after an interruption it does the rest.
///
/// Paths are relative to the library's folder, or absolute outside of it (in the desktop's trash). A step that
/// replaces, moves or removes a file says which one it means, and does nothing to another: in the process that planned
/// it, the change then fails as a whole; in a later one, the other file is kept beside, or left where it is.
enum JournalStep: Codable, Hashable, Sendable {
  /// What a step expects to find under a name.
  enum Expected: Codable, Hashable, Sendable {
    case nothing
    case file(FileMark)
  }

  /// Renames a durable file to the first free name of a stem.
  case publish(temporary: String, folder: String, stem: String, ending: String)
  /// Renames a durable file, replacing the file that was looked at.
  ///
  /// - over: `nil` in journals of version 1.
  case replace(temporary: String, path: String, over: Expected? = nil)
  /// Renames a durable file, unless the name is taken: what is there stays.
  case adopt(temporary: String, path: String)
  /// Renames the file with this inode number, unless the name is taken.
  ///
  /// - file: Its marks; `nil` in journals of version 1, which go by the number alone.
  case move(from: String, to: String, number: UInt64, file: FileMark? = nil)
  /// Removes the file with this inode number.
  case remove(path: String, number: UInt64, file: FileMark? = nil)

  /// Whether it needs `WriteLock`. New files under new names don't.
  var needsLock: Bool { if case .publish = self { false } else { true } }

  /// The file that gets another name, and must be there until the step is done; `nil` for steps without a new file.
  var temporary: String? {
    switch self {
    case .publish(let temporary, _, _, _), .replace(let temporary, _, _), .adopt(let temporary, _): temporary
    case .move, .remove: nil
    }
  }

  /// The path at which a file is until the step is done.
  var place: String {
    switch self {
    case .publish(let path, _, _, _), .replace(let path, _, _), .adopt(let path, _), .move(let path, _, _, _),
      .remove(let path, _, _):
      path
    }
  }

  /// The marks of the file that it replaces, moves or removes; `nil` where it has none.
  var mark: FileMark? {
    switch self {
    case .replace(_, _, .file(let mark)): mark
    case .move(_, _, _, let mark), .remove(_, _, let mark): mark
    case .publish, .replace, .adopt: nil
    }
  }

  /// The same step for files with other names.
  func renamed(_ name: (String) -> String, folder: (String) -> String) -> Self {
    switch self {
    case .publish(let temporary, let parent, let stem, let ending):
      .publish(temporary: name(temporary), folder: folder(parent), stem: stem, ending: ending)
    case .replace(let temporary, let path, let expected):
      .replace(temporary: name(temporary), path: name(path), over: expected)
    case .adopt(let temporary, let path): .adopt(temporary: name(temporary), path: name(path))
    case .move(let from, let to, let number, let mark):
      .move(from: name(from), to: name(to), number: number, file: mark)
    case .remove(let path, let number, let mark): .remove(path: name(path), number: number, file: mark)
    }
  }

  /// The paths that it names.
  var paths: [String] {
    switch self {
    case .publish(let temporary, let parent, let stem, let ending):
      [temporary, parent, parent.isEmpty ? "\(stem)\(ending)" : "\(parent)/\(stem)\(ending)"]
    case .replace(let temporary, let path, _), .adopt(let temporary, let path): [temporary, path]
    case .move(let from, let to, _, _): [from, to]
    case .remove(let path, _, _): [path]
    }
  }
}

/// The steps of one change. It is on disk as `.photome/journal/<token>.<number>.json` until all of them are done.
struct Journal: Codable, Sendable {
  var version = 2
  var steps: [JournalStep]
  /// The computer of the process; `nil` in journals of version 1.
  var machine: MachineIdentity?
  /// The folders that were on another disk than the library's own, as the paths of the steps name them; `nil` in earlier
  /// journals.
  var disks: [String]?
  /// The marks of those disks, by these folders; see `LibraryDisks`.
  var diskIDs: [String: String]?
  /// The marks of the files that get visible names, by their hidden ones: somebody may rename them before the change is
  /// finished. `nil` in earlier journals.
  var files: [String: FileMark]?

  /// In bytes; a longer file isn't one of ours.
  static let largestFile = 1 << 26
  /// The number of steps: with the marks that they have, a change of so many is about that long.
  static let mostSteps = 1 << 18

  static func name(token: String, number: Int) -> String { "\(token).\(number).json" }

  /// The token of a journal's process, and its number; `nil` for other names.
  static func parts(of name: String) -> (token: String, number: Int)? {
    let parts = name.parts(between: ".")
    guard parts.count == 3, parts[2] == "json", LibraryFolder.isToken(parts[0]), let number = Int(parts[1])
    else { return nil }
    return (parts[0], number)
  }

  /// The processes whose changes are unfinished: their files are still needed.
  ///
  /// - Throws: When the journals can't be listed.
  static func tokens(in folder: LibraryFolder, disk: Disk) throws(PhotoLibraryError) -> Set<String> {
    let names = try disk.contents(of: folder.journals) + disk.contents(of: folder.waiting)
    return Set(names.compactMap { parts(of: $0)?.token })
  }

  /// - Throws: `changesFailed` when it would be longer than what is read.
  func json() throws(PhotoLibraryError) -> Data {
    let tooMany = PhotoLibraryError.changesFailed(
      reason: localized("there are too many changes at once; make fewer at a time"))
    guard steps.count <= Self.mostSteps else { throw tooMany }
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    let data: Data
    do { data = try encoder.encode(self) } catch {
      throw .changesFailed(reason: error.localizedDescription)
    }
    guard data.count <= Self.largestFile else { throw tooMany }
    return data
  }

  /// Reads a journal, which is untrusted.
  ///
  /// - Throws: `unfinishedChange` for one of a newer version, `unusableFile` when it is no journal, or the error of the
  ///   disk.
  init(of path: String, disk: Disk) throws(PhotoLibraryError) {
    struct Version: Codable { var version: Int }
    let file = try ReadableFile(path, disk: disk)
    guard file.size <= UInt64(Self.largestFile) else {
      throw .unusableFile(path: path, reason: localized("it’s too long for a journal"))
    }
    let data = try file.data(at: 0, count: Int(file.size))
    if let version = try? JSONDecoder().decode(Version.self, from: data), version.version > 2 {
      throw .unfinishedChange(reason: localized("a newer version of PhotoMe has begun it; update PhotoMe"))
    }
    guard let journal = try? JSONDecoder().decode(Journal.self, from: data), journal.version >= 1 else {
      throw .unusableFile(path: path, reason: localized("this version of PhotoMe can’t read it as a journal"))
    }
    guard journal.steps.count <= Self.mostSteps else {
      throw .unusableFile(path: path, reason: localized("it’s too long for a journal"))
    }
    self = journal
  }

  init(steps: [JournalStep], machine: MachineIdentity? = nil) {
    self.steps = steps
    self.machine = machine
  }
}
