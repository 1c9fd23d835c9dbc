// Follows what other programs do in the library's folder, by inotify.

import Dispatch
import Foundation

/// What happened in the folder since the last batch, without repetitions.
struct FolderEvents: Sendable {
  /// Files to look at, relative to the library's folder: written, renamed, removed.
  var paths: Set<PathBytes> = []
  /// Folders to look through: made, moved, removed. The empty name is the library's folder itself.
  var folders: Set<PathBytes> = []
  /// Records and albums to look at, relative to the library's folder.
  var records: Set<String> = []
  /// Everything is to be looked at: the kernel lost events, or the library's folder came or went.
  var all = false

  init(all: Bool = false) { self.all = all }
}

/// Watches the library's folder, the folders in it, and the one above it; while it isn't there, all that are above.
///
/// All state belongs to one serial queue, on which `handler` is called as well; nothing polls.
final class FolderWatcher: @unchecked Sendable {
  // Sendable: everything that changes is touched on `queue` only.
  private let folder: LibraryFolder
  private let disk: Disk
  private let handler: @Sendable (FolderEvents) -> Void
  private let warn: @Sendable (LibraryWarning) -> Void
  private let queue = DispatchQueue(label: "photome.library.watch")
  /// `nil` once it is stopped.
  private var listener: InotifyHub.Listener?

  private enum Watched: Hashable {
    /// Relative to the library's folder; empty for itself.
    case folder(String)
    /// The folder above the library's; while that isn't there, every one above.
    case above(String)
  }
  private var watches: [Int32: Watched] = [:]

  private static let folderMask = UInt32(
    IN_CREATE | IN_CLOSE_WRITE | IN_MOVED_FROM | IN_MOVED_TO | IN_DELETE | IN_DELETE_SELF | IN_MOVE_SELF | IN_ATTRIB)
  private static let aboveMask = UInt32(
    IN_CREATE | IN_MOVED_TO | IN_DELETE | IN_MOVED_FROM | IN_DELETE_SELF | IN_MOVE_SELF)

  /// Watches from now on.
  ///
  /// - Parameter warn: Told when the system has no watch left to give; the library goes without then.
  init(
    folder: LibraryFolder, disk: Disk, hub: InotifyHub = .shared,
    warn: @escaping @Sendable (LibraryWarning) -> Void = { _ in },
    handler: @escaping @Sendable (FolderEvents) -> Void
  ) {
    self.folder = folder
    self.disk = disk
    self.warn = warn
    self.handler = handler
    let listener = hub.listen { [weak self] events in
      guard let self else { return }
      queue.async { self.take(events) }
    }
    queue.sync {
      self.listener = listener
      _ = watchAll()
    }
  }

  /// No call of the handler begins after this returns.
  func stop() {
    queue.sync {
      listener?.end()
      listener = nil
    }
  }

  // MARK: On the queue

  /// - Returns: Whether the library's folder is there and watched.
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
    // A removed folder says so itself only when nobody has a file in it open, and we have: its parent says it at once.
    watch(.above(parent), parent, Self.aboveMask)
    for name in FolderListing.folders(of: folder, disk: disk) {
      watch(.folder(name), folder.absolute(name), Self.folderMask)
    }
    watchRecords()
    return true
  }

  /// The folders of records and albums, or the hidden one in which they will appear.
  private func watchRecords() {
    for name in [LibraryFolder.hiddenFolder, LibraryFolder.recordFolder, LibraryFolder.albumFolder]
    where !watches.values.contains(.folder(name)) {
      watch(.folder(name), folder.absolute(name), Self.folderMask)
    }
  }

  /// All folders above, not only the nearest: that one may go too, and not say so.
  private func watchAbove() -> Bool {
    var path = folder.path
    while path != "/" {
      path = Disk.parent(of: path)
      watch(.above(path), path, Self.aboveMask)
    }
    // It may have come between the look and the watch.
    return disk.status(folder.path)?.kind == .folder && watch(.folder(""), folder.path, Self.folderMask) != nil
      && watchAll()
  }

  /// - Returns: The watch's number; `nil` when there is no such folder, or no watch to be had.
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
      } else if let name, !name.hasPrefix(".") {
        if has(Int(IN_ISDIR)) { noteFolder(name, event, &events) } else { noteFile(name, event, &events) }
      }
    case .folder(LibraryFolder.hiddenFolder):
      // The folders of records come with the first record, which may be in them before they are watched.
      if has(Int(IN_ISDIR)), name == "assets" || name == "albums" {
        watchRecords()
        events.all = true
      }
    case .folder(let parent) where parent == LibraryFolder.recordFolder || parent == LibraryFolder.albumFolder:
      if let name, LibraryFolder.recordID(name) != nil { events.records.insert("\(parent)/\(name)") }
    case .folder(let parent):
      if has(Int(IN_DELETE_SELF), Int(IN_MOVE_SELF), Int(IN_IGNORED)) {
        events.folders.insert(PathBytes(parent))
      } else if let name, !name.hasPrefix("."), !has(Int(IN_ISDIR)) {
        noteFile("\(parent)/\(name)", event, &events)
      }
    }
  }

  private func noteAbove(_ event: InotifyHub.Event, in path: String, name: String?, _ events: inout FolderEvents) {
    // What happens to folders that don't lead to ours is none of our business.
    if let name, !(folder.path + "/").hasPrefix(path == "/" ? "/\(name)/" : "\(path)/\(name)/") { return }
    let isWatched = watches.values.contains(.folder(""))
    if isWatched, event.mask & UInt32(IN_CREATE | IN_MOVED_TO) == 0 { forgetFolders() }
    if watchAll() || isWatched { events.all = true }
  }

  private func noteFile(_ path: String, _ event: InotifyHub.Event, _ events: inout FolderEvents) {
    guard FileFacts.Kind(name: path) != nil else { return }
    // A new file is looked at when its writer closes it; one that came whole, as a second name, has no writer.
    if event.mask & UInt32(IN_CREATE) != 0, (disk.status(folder.absolute(path))?.links ?? 0) < 2 { return }
    events.paths.insert(PathBytes(path))
  }

  private func noteFolder(_ name: String, _ event: InotifyHub.Event, _ events: inout FolderEvents) {
    guard event.mask & UInt32(IN_CREATE | IN_MOVED_TO | IN_MOVED_FROM | IN_DELETE) != 0 else { return }
    if event.mask & UInt32(IN_MOVED_FROM) != 0, let number = watches.first(where: { $0.value == .folder(name) })?.key {
      // The watch would follow the folder to its new place.
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
