// Polling a library's folders where the kernel doesn't report changes.

import Dispatch
import Foundation
import Synchronization

/// Compares the modification times of folders from time to time: a file that is added, removed, renamed, or saved as
/// programs save, under another name first, changes that of its folder. What changes in place is seen when the user comes
/// back to the window: see `PhotoLibrary.lookAgain`.
final class FolderPoller: Sendable {
  private let folder: LibraryFolder
  private let disk: Disk
  private let handler: @Sendable (FolderEvents) -> Void
  private let times = Mutex<[PathBytes: Int64]?>(nil)
  /// Names beside the folders, which needn't be looked at again: there may be thousands of pictures.
  private let others = Mutex<Set<PathBytes>>([])
  private let timer = Mutex<(any DispatchSourceTimer)?>(nil)

  /// In seconds: a listing of some folders costs a server little.
  static let interval = 30

  init(folder: LibraryFolder, disk: Disk, handler: @escaping @Sendable (FolderEvents) -> Void) {
    (self.folder, self.disk, self.handler) = (folder, disk, handler)
  }

  deinit { stop() }

  /// Looks from time to time, until `stop`.
  func start() {
    timer.withLock { timer in
      let source = DispatchSource.makeTimerSource(queue: DispatchQueue(label: "photome.library.poll", qos: .utility))
      source.schedule(
        deadline: .now() + .seconds(Self.interval), repeating: .seconds(Self.interval), leeway: .seconds(5))
      source.setEventHandler { [weak self] in self?.look() }
      source.resume()
      timer = source
    }
  }

  func stop() {
    timer.withLock { timer in
      timer?.cancel()
      timer = nil
    }
  }

  /// Compares the folders with the last look. The first look only takes note.
  func look() {
    var now: [PathBytes: Int64] = [:]
    let records = [LibraryFolder.recordFolder, LibraryFolder.albumFolder]
    for name in [""] + records + folders() {
      now[PathBytes(name)] = disk.status(folder.absolute(name)).map { max($0.modified, $0.changed) }
    }
    let before = times.withLock { times in
      defer { times = now }
      return times
    }
    guard let before, before != now else { return }
    var events = FolderEvents()
    for name in Set(before.keys).union(now.keys) where before[name] != now[name] {
      // Records and folders are compared as a whole.
      if name.path.isEmpty || records.contains(name.path) { events.all = true } else { events.folders.insert(name) }
    }
    handler(events)
  }

  private func folders() -> [String] {
    let names = (disk.names(in: folder.path) ?? []).filter { !$0.isHiddenName }
    return others.withLock { others in
      let folders = names.filter {
        !others.contains(PathBytes($0)) && disk.status(folder.absolute($0))?.kind == .folder
      }
      others = Set(names.map(PathBytes.init)).subtracting(folders.map(PathBytes.init))
      return folders
    }
  }
}
