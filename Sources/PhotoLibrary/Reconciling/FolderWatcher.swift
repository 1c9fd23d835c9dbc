// Watching the library's folder for changes by other programs, with inotify.

import Dispatch
import Foundation

/// The events in the folder since the last batch, without duplicates.
struct FolderEvents: Sendable {
  /// Files that were written, renamed or removed, relative to the library's folder.
  var paths: Set<PathBytes> = []
  /// Folders that were created, moved or removed. The empty name is the library's folder itself.
  var folders: Set<PathBytes> = []
  /// Records of assets and collections that were changed, relative to the library's folder.
  var records: Set<String> = []
  /// Whether everything has to be scanned: the kernel lost events, or the library's folder was created or removed.
  var all = false

  init(all: Bool = false) { self.all = all }

  /// One file that was written.
  init(path: String) { paths = [PathBytes(path)] }
}

/// Watches the library's folder, the folders in it, and its parent; while it doesn't exist, all of its ancestors.
///
/// All state is confined to one serial queue, on which `handler` is called as well; nothing polls.
final class FolderWatcher: @unchecked Sendable {
  // Sendable: mutable state is accessed on `queue` only.
  private let folder: LibraryFolder
  private let disk: Disk
  private let handler: @Sendable (FolderEvents) -> Void
  private let warn: @Sendable (LibraryWarning) -> Void
  private let hub: InotifyHub
  private let queue = DispatchQueue(label: "photome.library.watch")
  /// `nil` once it is stopped.
  private var listener: InotifyHub.Listener?

  private enum Watched: Hashable {
    /// A folder of the library, relative to its folder; empty for itself.
    case folder(String)
    /// The parent of the library's folder; while that doesn't exist, every ancestor.
    case above(String)
  }
  private var watches: [Int32: Watched] = [:]

  private static let folderMask = UInt32(
    IN_CREATE | IN_CLOSE_WRITE | IN_MOVED_FROM | IN_MOVED_TO | IN_DELETE | IN_DELETE_SELF | IN_MOVE_SELF | IN_ATTRIB)
  private static let aboveMask = UInt32(
    IN_CREATE | IN_MOVED_TO | IN_DELETE | IN_MOVED_FROM | IN_DELETE_SELF | IN_MOVE_SELF)

  /// Sets the watches in the background: for each folder the kernel goes through all names that it has in memory, which
  /// takes it half a second with a million. Whoever scans the folder calls `drain` first, so that what is changed
  /// afterwards is noticed.
  ///
  /// - Parameter warn: Called when the system has no watch left; the library works without, then.
  init(
    folder: LibraryFolder, disk: Disk, hub: InotifyHub = .shared,
    warn: @escaping @Sendable (LibraryWarning) -> Void = { _ in },
    handler: @escaping @Sendable (FolderEvents) -> Void
  ) {
    self.folder = folder
    self.disk = disk
    self.hub = hub
    self.warn = warn
    self.handler = handler
    let listener = hub.listen { [weak self] events in
      guard let self else { return }
      queue.async { self.take(events) }
    }
    queue.async { [self] in
      self.listener = listener
      watchAll()
    }
  }

  /// The handler isn't called after this returns.
  func stop() {
    queue.sync {
      listener?.end()
      listener = nil
    }
  }

  /// Calls the handler for everything that has happened so far, and returns when that is done and all folders are
  /// watched.
  func drain() {
    hub.drain()
    queue.sync {}
  }

  /// Watches other folders of the same names: a disk was mounted in their place.
  func watchAnew() {
    queue.async { [self] in
      forgetFolders()
      watchAll()
    }
  }

  // MARK: On the queue

  /// - Returns: Whether the library's folder exists and is watched.
  @discardableResult
  private func watchAll() -> Bool {
    guard listener != nil else { return false }
    guard watch(.folder(""), folder.path, Self.folderMask) != nil else { return watchAbove() }
    let parent = Disk.parent(of: folder.path)
    for (number, watched) in watches {
      if case .above(let path) = watched, path != parent {
        listener?.stopWatching(number)
        watches[number] = nil
      }
    }
    // A removed folder reports it itself only when no file in it is open, and ours are: its parent reports it at once.
    watch(.above(parent), parent, Self.aboveMask)
    for name in FolderListing.folders(of: folder, disk: disk) {
      watch(.folder(name), folder.absolute(name), Self.folderMask)
    }
    watchRecords()
    return true
  }

  /// The folders of records, or the hidden one in which they will be created.
  private func watchRecords() {
    for name in [LibraryFolder.hiddenFolder, LibraryFolder.recordFolder, LibraryFolder.albumFolder]
    where !watches.values.contains(.folder(name)) {
      watch(.folder(name), folder.absolute(name), Self.folderMask)
    }
  }

  /// All ancestors, not only the nearest: that one may be removed too without an event.
  private func watchAbove() -> Bool {
    var path = folder.path
    while path != "/" {
      path = Disk.parent(of: path)
      watch(.above(path), path, Self.aboveMask)
    }
    // It may have been created before the watch was.
    return disk.status(folder.path)?.kind == .folder && watch(.folder(""), folder.path, Self.folderMask) != nil
      && watchAll()
  }

  /// - Returns: The watch descriptor; `nil` when the folder doesn't exist, or no watch is left.
  @discardableResult
  private func watch(_ watched: Watched, _ path: String, _ mask: UInt32) -> Int32? {
    let result: Result<Int32, InotifyHub.Failure>?
    if disk.fault?(.watch, path) != nil {
      result = .failure(.exhausted(limit: "fs.inotify.max_user_watches"))
    } else {
      result = listener?.watch(path, mask)
    }
    switch result {
    case .success(let number):
      watches[number] = watched
      return number
    case .failure(.exhausted(let limit)):
      warn(.notFollowed(folder: folder.path, limit: limit))
      return nil
    case .failure(.noFolder), nil:
      return nil
    }
  }

  private func take(_ all: [InotifyHub.Event]) {
    guard listener != nil else { return }
    var events = FolderEvents()
    for event in all { note(event, name: event.name, &events) }
    if events.all || !events.paths.isEmpty || !events.folders.isEmpty || !events.records.isEmpty { handler(events) }
  }

  private func note(_ event: InotifyHub.Event, name: String?, _ events: inout FolderEvents) {
    func has(_ flags: Int...) -> Bool { flags.contains { event.mask & UInt32($0) != 0 } }
    if event.isOverflow {
      watchAll()
      events.all = true
      return
    }
    guard let watched = watches[event.watch] else { return }
    if has(Int(IN_IGNORED)) { watches[event.watch] = nil }
    switch watched {
    case .above(let path):
      noteAbove(event, in: path, name: name, &events)
    case .folder(""):
      if has(Int(IN_DELETE_SELF), Int(IN_MOVE_SELF), Int(IN_IGNORED), Int(IN_UNMOUNT)) {
        forgetFolders()
        watchAll()
        events.all = true
      } else if name == LibraryFolder.hiddenFolder {
        if has(Int(IN_MOVED_FROM)) { forgetFolders(); watchAll() }
        watchRecords()
        events.all = true
      } else if let name, !name.isHiddenName {
        if has(Int(IN_ISDIR)) { noteFolder(name, event, &events) } else { noteFile(name, event, &events) }
      }
    case .folder(LibraryFolder.hiddenFolder):
      // The folders of records are created with the first record, which may be in them before they are watched.
      if has(Int(IN_ISDIR)), name == "assets" || name == "albums" {
        watchRecords()
        events.all = true
      }
    case .folder(let parent) where parent == LibraryFolder.recordFolder || parent == LibraryFolder.albumFolder:
      if let name, LibraryFolder.recordID(name) != nil { events.records.insert("\(parent)/\(name)") }
    case .folder(let parent):
      if has(Int(IN_DELETE_SELF), Int(IN_MOVE_SELF), Int(IN_IGNORED)) {
        events.folders.insert(PathBytes(parent))
      } else if let name, !name.isHiddenName, !has(Int(IN_ISDIR)) {
        noteFile("\(parent)/\(name)", event, &events)
      }
    }
  }

  private func noteAbove(_ event: InotifyHub.Event, in path: String, name: String?, _ events: inout FolderEvents) {
    // Folders that don't lead to ours don't matter.
    if let name, !(folder.path + "/").begins(with: path == "/" ? "/\(name)/" : "\(path)/\(name)/") { return }
    let isWatched = watches.values.contains(.folder(""))
    if isWatched, event.mask & UInt32(IN_CREATE | IN_MOVED_TO) == 0 { forgetFolders() }
    if watchAll() || isWatched { events.all = true }
  }

  private func noteFile(_ path: String, _ event: InotifyHub.Event, _ events: inout FolderEvents) {
    guard FileFacts.Kind(name: path) != nil else { return }
    // A new file is indexed when its writer closes it; a hard link has no writer.
    if event.mask & UInt32(IN_CREATE) != 0, (disk.status(folder.absolute(path))?.links ?? 0) < 2 { return }
    events.paths.insert(PathBytes(path))
  }

  private func noteFolder(_ name: String, _ event: InotifyHub.Event, _ events: inout FolderEvents) {
    guard event.mask & UInt32(IN_CREATE | IN_MOVED_TO | IN_MOVED_FROM | IN_DELETE) != 0 else { return }
    if event.mask & UInt32(IN_MOVED_FROM) != 0, let number = watches.first(where: { $0.value == .folder(name) })?.key {
      // The watch would follow the folder to its new path.
      listener?.stopWatching(number)
      watches[number] = nil
    }
    if event.mask & UInt32(IN_CREATE | IN_MOVED_TO) != 0, disk.status(folder.absolute(name))?.kind == .folder {
      watch(.folder(name), folder.absolute(name), Self.folderMask)
    }
    events.folders.insert(PathBytes(name))
  }

  private func forgetFolders() {
    for number in watches.keys { listener?.stopWatching(number) }
    watches = [:]
  }
}
