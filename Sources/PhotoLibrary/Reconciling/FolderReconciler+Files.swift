// Reading files and updating their rows in the index, from any thread.

import Dispatch
import Foundation
import Synchronization

extension FolderReconciler {
  /// The number of files that is worth another thread.
  private static let part = 16
  /// The number of times that a continuously changing file is read before it is left to its next event.
  private static let attempts = 4

  /// Indexes these files now, unless the index knows their current state.
  func reindex(_ paths: [String]) throws(PhotoLibraryError) { try reindex(paths, records: []) }

  /// The same for files and records, in one step: nobody sees one without the other.
  ///
  /// - Parameters:
  ///   - records: Relative to the library's folder, as the other paths.
  ///   - reading: When it doesn't last, nothing is indexed: a program is changing the library, or has just done so.
  /// - Returns: Whether it lasted.
  @discardableResult
  func reindex(
    _ paths: [String], records: [String], in reading: ChangeProgress.Reading? = nil
  ) throws(PhotoLibraryError) -> Bool {
    let known = try index.knownStates(paths: paths)
    let names = ExactNames(root: folder.path, disk: disk)
    let changed = paths.filter { path in
      let status = names.has(path) ? disk.status(folder.absolute(path)) : nil
      let state = status?.kind == .file ? status.map { FileState($0) } : nil
      return state != known[PathBytes(path)]
    }
    return try index(changesOf: changed, records: records, in: reading)
  }

  /// Reads files and records and updates the index until it agrees with the disk; otherwise as above.
  ///
  /// - Parameter isPart: Whether the rest of a scan follows. Files whose ids depend on that wait for it.
  @discardableResult
  func index(
    changesOf paths: [String], records: [String] = [], in reading: ChangeProgress.Reading? = nil, isPart: Bool = false
  ) throws(PhotoLibraryError) -> Bool {
    let isValid: (() -> Bool)? = reading.map { reading in { self.progress.lasts(reading) } }
    var (paths, records) = (paths, records)
    var attempt = 1
    while !paths.isEmpty || !records.isEmpty, attempt <= Self.attempts {
      // All or nothing, unless a program goes on writing into a file.
      let takesPart = reading == nil || attempt == Self.attempts
      let looks = records.compactMap { snapshot(ofRecord: $0) }
      let unseen: IndexTransaction.Unseen = isPart ? .toCome : attempt == Self.attempts ? .ignored : .wanted
      let files = snapshots(of: paths)
      // A disk that went while they were read has no files, and none of them was removed.
      if hasSeenLibrary, files.contains(where: { $0.status == nil }) { try checkPresence() }
      guard let stale = try index.apply(files, looks, unseen: unseen, takesPart: takesPart, if: isValid) else {
        return false
      }
      if takesPart || stale.isEmpty, !stale.unsettled.isEmpty {
        pending.withLock { $0.unsettled.formUnion(stale.unsettled.map(PathBytes.init)) }
      }
      if stale.isEmpty { return true }
      if takesPart {
        let ids = Set(stale.records)
        (paths, records) = (stale.paths, looks.filter { ids.contains($0.id) }.map(\.path))
      } else {
        let known = Set(paths.map(PathBytes.init))
        paths += stale.paths.filter { !known.contains(PathBytes($0)) }
      }
      attempt += 1
    }
    return true
  }

  /// Reads files, several at a time, in no particular order.
  private func snapshots(of paths: [String]) -> [FileSnapshot] {
    let parts = paths.count / Self.part
    let places = Places(of: paths, in: folder, disk: disk)
    guard parts > 1 else {
      let names = ExactNames(root: folder.path, disk: disk)
      return paths.map { snapshot(of: $0, names, places) }
    }
    let found = Mutex<[FileSnapshot]>([])
    DispatchQueue.concurrentPerform(iterations: parts) { number in
      let part = paths[paths.count * number / parts..<paths.count * (number + 1) / parts]
      let names = ExactNames(root: folder.path, disk: disk)
      let snapshots = part.map { snapshot(of: $0, names, places) }
      found.withLock { $0 += snapshots }
    }
    return found.withLock { $0 }
  }

  /// Where files are: the folders of the library that are other disks, and their ids.
  private struct Places {
    let device: UInt64?
    var disks: [PathBytes: String] = [:]

    init(of paths: [String], in folder: LibraryFolder, disk: Disk) {
      device = disk.status(folder.path)?.device
      let disks = LibraryDisks(of: folder, disk: disk)
      for parent in Set(paths.map { PathBytes(Disk.folder(of: $0)) }) where disks.isDisk(parent.path) {
        self.disks[parent] = disks.id(at: parent.path) ?? ""
      }
    }
  }

  private func snapshot(of path: String, _ names: ExactNames, _ places: Places) -> FileSnapshot {
    // On a file system without case the file has another name now.
    guard names.has(path) else { return FileSnapshot(path: path) }
    let before = disk.status(folder.absolute(path))
    do throws(PhotoLibraryError) {
      let file = try ReadableFile(folder.absolute(path), disk: disk)
      let id = places.disks[PathBytes(Disk.folder(of: path))]
      return FileSnapshot(
        path: path, status: file.status, facts: try FileFacts(file),
        isElsewhere: id != nil || file.status.device != places.device, diskID: id ?? "")
    } catch {
      guard let status = disk.status(folder.absolute(path)), status.kind == .file else {
        return FileSnapshot(path: path)
      }
      // What a parser refuses is no picture, if no other file has come into its place. What the disk doesn't give may be
      // one.
      if case .unusableFile = error, status == before { return FileSnapshot(path: path, status: status) }
      return FileSnapshot(path: path, status: status, isUnread: true)
    }
  }
}
