// The folders of one sweep: a disk of another kind, and what lies beside it.

import Foundation
import PhotoLibrary
import Synchronization

/// A disk with a library, a memory card, and the folders of the user's own disk.
package final class SweepSite: Sendable {
  /// Absolute, without symbolic links.
  let path: String
  let kind: FileSystemKind

  package init(_ path: String, kind: FileSystemKind) { (self.path, self.kind) = (path, kind) }

  /// The mount point.
  var disk: String { path + "/disk" }
  var pictures: String { disk + "/Pictures/PhotoMe" }
  var exports: String { disk + "/Exports" }
  /// A folder to be imported, on the user's own disk.
  var card: String { path + "/card" }
  /// The number of the present state. Each has an index of its own: SQLite knows an open database by its inode number,
  /// and takes a new file with the number of one that was removed for the old one.
  private let number = Atomic<Int>(0)
  /// So many states keep their index.
  private static let keptIndexes = 50
  private var data: String { data(number.load(ordering: .relaxed)) }
  private func data(_ number: Int) -> String { "\(path)/data-\(number)" }
  private var index: String { data + "/index.sqlite" }
  private var template: String { path + "/template" }

  /// Opens the library.
  ///
  /// - Parameter mount: Each number is another mount of the disk.
  func open(mount: UInt64, faults: CallFaults = CallFaults()) async throws -> PhotoLibrary {
    let system = SimulatedFileSystem(kind, at: disk, mount: mount, isOnly: true, faults: faults)
    let library = try await PhotoLibrary.open(
      at: URL(fileURLWithPath: pictures, isDirectory: true), index: URL(fileURLWithPath: index), on: system,
      trash: data + "/Trash")
    try await library.refresh()
    return library
  }

  /// Closes a library, and returns when the next one may have what it left.
  ///
  /// A child that another thread is starting has a copy of every lock until its own program begins.
  func close(_ library: PhotoLibrary) async {
    await library.close()
    let hidden = pictures + "/.photome"
    for name in (Self.files(below: hidden + "/incoming").filter { $0.hasSuffix(".lock") }.map { "/incoming/" + $0 })
      + ["/lock"]
    {
      let descriptor = Glibc.open(hidden + name, O_RDWR | O_CLOEXEC)
      guard descriptor >= 0 else { continue }
      flock(descriptor, LOCK_EX)
      Glibc.close(descriptor)
    }
  }

  // MARK: The template

  /// Empties everything.
  func clear() throws {
    try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    for name in try FileManager.default.contentsOfDirectory(atPath: path) {
      try Self.remove("\(path)/\(name)")
    }
    for folder in [disk, card, data] {
      try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    }
  }

  /// Keeps the present state for `reset`.
  func keep() throws {
    try FileManager.default.createDirectory(atPath: template, withIntermediateDirectories: true)
    for (folder, kept) in [(disk, "/disk"), (card, "/card"), (data, "/data")] {
      try FileManager.default.moveItem(atPath: folder, toPath: template + kept)
    }
    try reset()
  }

  /// Restores the state that was kept.
  func reset() throws {
    let next = number.add(1, ordering: .relaxed).newValue
    for folder in [disk, card, data(next - Self.keptIndexes)] { try Self.remove(folder) }
    for (folder, kept) in [(disk, "/disk"), (card, "/card"), (data, "/data")] {
      try FileManager.default.copyItem(atPath: template + kept, toPath: folder)
    }
  }

  /// Removes a folder with all in it, if it is there. A library that is being closed in the background removes files as
  /// well, which can fail the first attempts.
  package static func remove(_ folder: String) throws {
    for attempt in 1...5 where FileManager.default.fileExists(atPath: folder) {
      do { try FileManager.default.removeItem(atPath: folder) } catch  where attempt < 5 { continue }
    }
  }

  // MARK: Files

  /// The files below a folder, relative to it, sorted.
  static func files(below folder: String) -> [String] {
    let names = FileManager.default.enumerator(atPath: folder)?.compactMap { $0 as? String } ?? []
    return names.filter { name in
      var status = stat()
      return lstat("\(folder)/\(name)", &status) == 0 && status.st_mode & S_IFMT == S_IFREG
    }.sorted()
  }

  /// The files in the trash of the disk and of the user, absolute.
  var trashed: [String] {
    [disk, data].flatMap { top in Self.files(below: top).filter { $0.contains("Trash") }.map { "\(top)/\($0)" } }
      .filter { $0.contains("/files/") }
  }

  /// A short digest of a file's bytes (FNV-1a); “empty” and “missing” say what it is.
  static func digest(_ path: String) -> String {
    guard let data = FileManager.default.contents(atPath: path) else { return "missing" }
    if data.isEmpty { return "empty" }
    return String(data.reduce(14_695_981_039_346_656_037) { ($0 ^ UInt64($1)) &* 1_099_511_628_211 }, radix: 16)
  }
}
