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
  func reindex(_ paths: [String]) throws(PhotoLibraryError) {
    let known = try index.knownStates(paths: paths)
    let names = ExactNames(root: folder.path, disk: disk)
    let changed = paths.filter { path in
      let status = names.has(path) ? disk.status(folder.absolute(path)) : nil
      let state = status?.kind == .file ? status.map { FileState($0) } : nil
      return state != known[PathBytes(path)]
    }
    try index(changesOf: changed)
  }

  /// Reads files and updates the index until it agrees with the disk.
  func index(changesOf paths: [String]) throws(PhotoLibraryError) {
    var left = paths
    var attempt = 0
    while !left.isEmpty, attempt < Self.attempts {
      left = try index.apply(snapshots(of: left))
      attempt += 1
    }
  }

  /// Reads files, several at a time, in no particular order.
  private func snapshots(of paths: [String]) -> [FileSnapshot] {
    let parts = paths.count / Self.part
    let device = disk.status(folder.path)?.device
    guard parts > 1 else {
      let names = ExactNames(root: folder.path, disk: disk)
      return paths.map { snapshot(of: $0, names, device: device) }
    }
    let found = Mutex<[FileSnapshot]>([])
    DispatchQueue.concurrentPerform(iterations: parts) { number in
      let part = paths[paths.count * number / parts..<paths.count * (number + 1) / parts]
      let names = ExactNames(root: folder.path, disk: disk)
      let snapshots = part.map { snapshot(of: $0, names, device: device) }
      found.withLock { $0 += snapshots }
    }
    return found.withLock { $0 }
  }

  /// - Parameter device: Of the library's folder.
  private func snapshot(of path: String, _ names: ExactNames, device: UInt64?) -> FileSnapshot {
    // On a file system without case the file has another name now.
    guard names.has(path) else { return FileSnapshot(path: path) }
    let before = disk.status(folder.absolute(path))
    do throws(PhotoLibraryError) {
      let file = try ReadableFile(folder.absolute(path), disk: disk)
      return FileSnapshot(
        path: path, status: file.status, facts: try FileFacts(file), isElsewhere: file.status.device != device)
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
