// Reconciling the index with the folder, file by file, in the background.

import Dispatch
import Foundation
import LinuxShim
import Logging
import Synchronization

/// Scans files and folders and updates the index. Files that were just written come before the rest.
final class FolderReconciler: Sendable {
  let folder: LibraryFolder
  let disk: Disk
  let index: LibraryIndex
  /// Writes into records which files they are of; `nil` leaves them as they are.
  let session: LibrarySession?
  let journals: JournalRunner?
  let presence: LibraryPresence
  let warn: @Sendable (LibraryWarning) -> Void
  /// Called on the queue when the index has what was pending, before those who wait for that.
  let settled = Mutex<(@Sendable () -> Void)?>(nil)
  private let queue = DispatchQueue(label: "photome.library.look", qos: .utility)
  private let pending = Mutex(Pending())
  /// Names that aren't UTF-8, by folder, as of the last scan of each.
  private let unusable = Mutex<[String: [String]]>([:])
  /// Whether the library was there once since it was opened.
  private let hasSeen = Mutex(false)
  /// Whether it was not there at the last scan.
  private let wasAbsent = Mutex(false)

  private struct Pending {
    var paths: Set<PathBytes> = []
    /// Records of assets and collections.
    var records: Set<String> = []
    /// Folders to be scanned, the last first.
    var folders: [PathBytes] = []
    /// Files that were not where they are known to be. They are left until all folders are scanned, as they may have
    /// been moved to one of them.
    var vanished: Set<PathBytes> = []
    /// Whether a scan of everything is in progress.
    var isScanningAll = false
    var all = false
    /// Called when nothing is pending.
    var waiters: [@Sendable (PhotoLibraryError?) -> Void] = []
    var isRunning = false
    var isStopped = false
    var failure: PhotoLibraryError?
  }

  static let logger = Logger(label: "photome.library.look")
  /// The first rows of a new index should appear soon; later ones should be cheap.
  private static let firstBatch = 24
  private static let largestBatch = 512
  /// The number of files in a library whose scan leaves so much memory behind that it is worth giving back.
  private static let largeCount = 5_000

  init(
    folder: LibraryFolder, disk: Disk, index: LibraryIndex, session: LibrarySession? = nil,
    journals: JournalRunner? = nil,
    warn: @escaping @Sendable (LibraryWarning) -> Void = { _ in }
  ) {
    self.folder = folder
    self.disk = disk
    self.index = index
    self.session = session
    self.journals = journals
    self.warn = warn
    presence = LibraryPresence(folder: folder, disk: disk, index: index)
  }

  /// Starts nothing anymore, and resumes all waiters.
  func stop() {
    let waiters = pending.withLock { pending in
      pending.isStopped = true
      defer { pending.waiters = [] }
      return pending.waiters
    }
    for waiter in waiters { waiter(nil) }
  }

  /// Schedules the events of the watcher.
  func note(_ events: FolderEvents) {
    start { pending in
      pending.paths.formUnion(events.paths)
      pending.records.formUnion(events.records)
      for folder in events.folders where !pending.folders.contains(folder) { pending.folders.append(folder) }
      if events.all { pending.all = true }
    }
  }

  /// Schedules a scan of everything.
  func scanAll() { start { $0.all = true } }

  /// The same, and then calls `body`, unless the scan fails.
  func scanAll(then body: @escaping @Sendable () -> Void) {
    start { pending in
      pending.all = true
      if !pending.isStopped { pending.waiters.append { if $0 == nil { body() } } }
    }
  }

  /// Scans everything, and returns when nothing is pending.
  ///
  /// - Throws: The error of the disk or of the index that ended a part of the scan.
  func refresh() async throws(PhotoLibraryError) {
    let failure = await withCheckedContinuation { (continuation: CheckedContinuation<PhotoLibraryError?, Never>) in
      let mustWait = addWaiter(unless: \.isStopped) { continuation.resume(returning: $0) }
      if mustWait { scanAll() } else { continuation.resume(returning: nil) }
    }
    if let failure { throw failure }
  }

  /// Returns when nothing is pending.
  func waitUntilIdle() async {
    await withCheckedContinuation { (continuation: CheckedContinuation<Void, Never>) in
      let mustWait = addWaiter(unless: { $0.isStopped || !$0.isRunning }) { _ in continuation.resume() }
      if !mustWait { continuation.resume() }
    }
  }

  /// - Returns: Whether it was added, and will be called.
  @inline(never)  // called by asynchronous functions: see “Locks” in MediaEngine.md
  private func addWaiter(
    unless isIdle: (Pending) -> Bool, _ waiter: @escaping @Sendable (PhotoLibraryError?) -> Void
  ) -> Bool {
    pending.withLock { pending in
      if isIdle(pending) { return false }
      pending.waiters.append(waiter)
      return true
    }
  }

  /// Files and folders that can't be used because their names aren't UTF-8.
  var unusableNames: [UnusableNames] {
    unusable.withLock { $0 }.sorted { $0.key < $1.key }.map { name, names in
      UnusableNames(folder: URL(fileURLWithPath: folder.absolute(name), isDirectory: true), names: names)
    }
  }

  @inline(never)  // called by asynchronous functions, as above
  private func start(_ change: (inout Pending) -> Void) {
    let mustRun = pending.withLock { pending in
      change(&pending)
      if pending.isRunning || pending.isStopped { return false }
      pending.isRunning = true
      return true
    }
    if mustRun { queue.async { [self] in run() } }
  }

  // MARK: On the queue

  private enum Step {
    case paths([String])
    case records([String])
    case folder(String)
    case list
    case vanished([String])
    case scanned
    case bind
    case settle
    case done([@Sendable (PhotoLibraryError?) -> Void], PhotoLibraryError?)
  }

  private func run() {
    var scannedCount = 0
    var hasBound = false
    var hasSettled = false
    while true {
      let step = pending.withLock { pending -> Step in
        if !pending.isStopped {
          if !pending.paths.isEmpty {
            defer { pending.paths = [] }
            return .paths(pending.paths.map(\.path))
          }
          if !pending.records.isEmpty {
            defer { pending.records = [] }
            return .records(Array(pending.records))
          }
          if pending.all {
            pending.all = false
            return .list
          }
          if let folder = pending.folders.popLast() { return .folder(folder.path) }
          if !pending.vanished.isEmpty {
            defer { pending.vanished = [] }
            return .vanished(pending.vanished.map(\.path).sorted())
          }
          if pending.isScanningAll {
            pending.isScanningAll = false
            return .scanned
          }
          if !hasBound, pending.failure == nil { return .bind }
          if !hasSettled { return .settle }
        }
        pending.isRunning = false
        defer { (pending.waiters, pending.failure) = ([], nil) }
        return .done(pending.waiters, pending.failure)
      }
      switch step {
      case .bind: (hasBound, hasSettled) = (true, false)
      case .settle: hasSettled = true
      default: (hasBound, hasSettled) = (false, false)
      }
      do throws(PhotoLibraryError) {
        switch step {
        case .paths(let paths):
          try reindex(paths)
          try index.publishChanges()
        case .records(let paths):
          try reindex(records: paths)
          try index.publishChanges()
        case .folder(let name):
          scannedCount += try scan(folder: name)
        case .list:
          try planScan()
          try index.publishChanges()
        case .vanished(let paths):
          try indexVanished(paths)
        case .scanned:
          try index.noteScanned()
          try index.forgetFormerDisks()
        case .bind:
          try bindRecords()
        case .settle:
          settled.withLock { $0 }?()
        case .done(let waiters, let failure):
          // A scan of a hundred thousand files leaves some megabytes behind in small pieces. To look for them costs as
          // much as the scan of a small library.
          if scannedCount >= Self.largeCount {
            index.releaseMemory()
            linux_give_back_memory()
          }
          for waiter in waiters { waiter(failure) }
          return
        }
      } catch {
        Self.logger.error("\(error.description)")
        if case .libraryAbsent = error {
          wasAbsent.withLock { $0 = true }
          warn(.absent(description: error.description))
        }
        pending.withLock { pending in
          pending.failure = error
          // What a part of the scan has missed may be anywhere.
          pending.isScanningAll = false
          pending.vanished = []
        }
      }
    }
  }

  /// Plans a scan of everything: the folders that exist and those that existed, the latest first.
  private func planScan() throws(PhotoLibraryError) {
    try checkPresence()
    _ = try disk.contents(of: folder.path)
    try scanAllRecords()
    let names = try FolderListing.folders(of: folder, disk: disk) + index.knownFolders() + [""]
    let folders = Set(names.map(PathBytes.init)).sorted { $0.path < $1.path }
    pending.withLock { pending in
      pending.folders = folders
      pending.isScanningAll = true
    }
    hasSeen.withLock { $0 = true }
    wasAbsent.withLock { $0 = false }
  }

  private var hasSeenLibrary: Bool { hasSeen.withLock { $0 } }
  var isAbsent: Bool { wasAbsent.withLock { $0 } }

  /// Checks that the library is there, before anything is scanned or written.
  ///
  /// - Throws: As `LibraryPresence.check`.
  func checkPresence() throws(PhotoLibraryError) {
    try presence.check(isOpening: !hasSeenLibrary)
  }

  /// - Returns: The number of names in it.
  private func scan(folder name: String) throws(PhotoLibraryError) -> Int {
    let path = folder.absolute(name)
    var known = try index.knownStates(folder: name)
    var changed: [String] = []
    // A folder that is now a symbolic link doesn't count, nor one that has another name.
    let names = ExactNames(root: folder.path, disk: disk)
    let isFolder = name.isEmpty || disk.status(path)?.kind == .folder && names.has(name)
    let listing = isFolder ? try disk.checkedListing(of: path) : Disk.Listing()
    if isFolder { try index.noteDisk(at: name) }
    note(unusable: FolderListing.unusableNames(listing, in: path, takesFolders: name.isEmpty, disk: disk), in: name)
    for file in listing.names {
      if let token = LibraryFolder.token(temporaryName: file) {
        removeLeftover(file, among: listing.names, in: path, token: token)
        continue
      }
      if let token = LibraryFolder.aside(file)?.token {
        if let settled = settleAside(file, in: path, token: token), let relative = folder.relative(settled) {
          // It isn't in the listing.
          pending.withLock { _ = $0.paths.insert(PathBytes(relative)) }
        }
        continue
      }
      guard FileFacts.Kind(name: file) != nil else { continue }
      let relative = name.isEmpty ? file : "\(name)/\(file)"
      let before = known.removeValue(forKey: PathBytes(relative))
      guard let status = disk.status("\(path)/\(file)"), status.kind == .file else {
        if let before { known[PathBytes(relative)] = before }
        continue
      }
      if before != FileState(status) { changed.append(relative) }
    }
    changed.sort(by: >)
    if !known.isEmpty { pending.withLock { $0.vanished.formUnion(known.keys) } }
    var count = Self.firstBatch
    while !changed.isEmpty {
      if pending.withLock({ $0.isStopped }) { break }
      try index(changesOf: Array(changed.prefix(count)))
      changed.removeFirst(min(count, changed.count))
      count = min(2 * count, Self.largestBatch)
      // Files that were just written go first.
      let urgent = pending.withLock { pending in
        defer { pending.paths = [] }
        return pending.paths.map(\.path)
      }
      if !urgent.isEmpty { try reindex(urgent) }
    }
    return listing.names.count
  }

  /// Removes files from the index that are not where it knows them.
  private func indexVanished(_ paths: [String]) throws(PhotoLibraryError) {
    var left = paths[...]
    while !left.isEmpty {
      if pending.withLock({ $0.isStopped }) { return }
      try index(changesOf: Array(left.prefix(Self.largestBatch)))
      left = left.dropFirst(Self.largestBatch)
    }
  }

  /// Schedules a record.
  func note(record name: String, in parent: String) {
    pending.withLock { _ = $0.records.insert("\(parent)/\(name)") }
  }

  private func note(unusable names: [String], in name: String) {
    let isNews = unusable.withLock { unusable in
      defer { unusable[name] = names.isEmpty ? nil : names }
      return !names.isEmpty && unusable[name] != names
    }
    guard isNews else { return }
    let folder = URL(fileURLWithPath: folder.absolute(name), isDirectory: true)
    Self.logger.warning("\(UnusableNames(folder: folder, names: names).description)")
  }
}
