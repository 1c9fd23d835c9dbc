// The library: a folder of pictures with its index.

import CameraCore
import Foundation
import Logging
import Synchronization

/// A folder of photos, live photos and movies, read and changed through one interface by every part of PhotoMe.
///
///     let library = try await PhotoLibrary.open(at: pictures)
///     let changes = library.changes()
///     var shown = try await library.fetch()
///     let asset = try await library.createAsset(AssetCreationRequest(photo: jpeg, metadata: metadata))
///     for await _ in changes { shown = try await library.changeDetails(for: shown).after }
///
/// The files are the truth; the index is a cache. Several instances, in this process or in others, may have the same
/// folder open. All methods may be called from any thread and never block it.
public final class PhotoLibrary: Sendable {
  /// The folder of the pictures, with symbolic links resolved.
  public let folder: URL
  /// The folder for the movies of shots in flight: a hidden folder of this process on the library's file system.
  /// `prepareForCapture` and `stage` create it; what is left in it is removed after the process has ended.
  public let movieFolder: URL
  /// The recoveries from a crash, made when this library was opened.
  public let recovery: [RecoveryNote]

  /// The pictures and movies that people put behind themselves.
  public let backdrops: LibraryBackdrops

  let layout: LibraryFolder
  let disk: Disk
  let index: LibraryIndex
  let session: LibrarySession
  let reconciler: FolderReconciler
  let watcher: FolderWatcher
  /// Looks for changes by other machines; `nil` where the kernel reports all of them.
  let poller: FolderPoller?
  let availabilityMonitor: AvailabilityMonitor
  let warningBoard: WarningBoard
  let desktopTrash: DesktopTrash
  /// `nil` for a library without thumbnails.
  let thumbnails: LibraryThumbnails?
  let thumbnailSweep: ThumbnailSweep?
  let concealed: Mutex<ConcealedHistory>
  var journals: JournalRunner { JournalRunner(folder: layout, disk: disk, trash: desktopTrash) }
  /// The wall clock, which may be set back at any time.
  let now: @Sendable () -> Date
  static let logger = Logger(label: "photome.library")

  private init(
    layout: LibraryFolder, disk: Disk, index: LibraryIndex, session: LibrarySession, recovery: [RecoveryNote],
    trash: DesktopTrash, thumbnails: LibraryThumbnails?, now: @escaping @Sendable () -> Date
  ) {
    self.layout = layout
    self.disk = disk
    backdrops = LibraryBackdrops(folder: layout, disk: disk)
    self.index = index
    self.session = session
    (desktopTrash, self.thumbnails) = (trash, thumbnails)
    concealed = Mutex(ConcealedHistory(sequence: index.listeners.withLock { $0.published }))
    self.now = now
    self.recovery = recovery
    folder = layout.url
    movieFolder = URL(fileURLWithPath: session.path, isDirectory: true)
    let board = WarningBoard()
    warningBoard = board
    thumbnailSweep = thumbnails.map { thumbnails in
      ThumbnailSweep(thumbnails) {
        board.post(.thumbnailsKept(in: thumbnails.thumbnails.folder, code: $0))
      } done: { paths in
        do throws(PhotoLibraryError) { try index.clearUnswept(paths) } catch {
          // The next start searches again.
          Self.logger.notice("\(error.description)")
        }
      }
    }
    let reconciler = FolderReconciler(
      folder: layout, disk: disk, index: index, session: session,
      journals: JournalRunner(folder: layout, disk: disk, trash: trash), warn: { board.post($0) })
    self.reconciler = reconciler
    session.prepare(
      with: LibrarySession.Preparation(
        check: { [weak reconciler] () throws(PhotoLibraryError) in try reconciler?.checkPresence() },
        complete: { [presence = reconciler.presence] session throws(PhotoLibraryError) in
          try presence.mark(session)
        }))
    let watcher = FolderWatcher(folder: layout, disk: disk, warn: { board.post($0) }, handler: { reconciler.note($0) })
    self.watcher = watcher
    reconciler.drain.withLock { $0 = { [weak watcher] in watcher?.drain() } }
    let isRemote = RemoteFileSystems.has(layout.path, disk: disk)
    let monitor = AvailabilityMonitor(path: layout.path) { [weak reconciler] () throws(PhotoLibraryError) in
      try reconciler?.look()
    } device: {
      disk.status(layout.path)?.device
    } returned: { [weak reconciler, weak watcher] in
      // The watches of before are those of the disk that was there before, or of the folder under it.
      watcher?.watchAnew()
      reconciler?.scanAll()
    }
    availabilityMonitor = monitor
    reconciler.presenceNoted.withLock { noted in
      noted = { [weak monitor] in if let error = $0 { monitor?.note(error) } else { monitor?.noteSeen() } }
    }
    monitor.start(isRemote: isRemote)
    poller = isRemote ? FolderPoller(folder: layout, disk: disk, handler: { reconciler.note($0) }) : nil
    poller?.start()
  }

  /// Opens the library of a folder, which need not exist: the first write creates it.
  ///
  /// Returns as soon as the index is open. Changes that were made in the folder since are found in the background and
  /// published by `changes()`.
  ///
  /// - Parameter index: The index's file; `nil` takes `$XDG_DATA_HOME/photome/<digest of the folder's path>.sqlite`.
  /// - Throws: `folderUnavailable` when something other than a folder is at the path, `index` when no index can be
  ///   opened, not even in memory.
  public static func open(at folder: URL, index: URL? = nil) async throws(PhotoLibraryError) -> PhotoLibrary {
    try await open(
      at: folder, index: index, disk: Disk(), thumbnails: DesktopThumbnails(folder: UserFolders().thumbnails))
  }

  /// Opens a library on a simulated file system, for tests of the whole program.
  ///
  /// - Parameter trash: The folder of the home trash.
  /// - Throws: As `open(at:index:)`.
  package static func open(
    at folder: URL, index: URL, on system: any FileSystem, trash: String
  ) async throws(PhotoLibraryError) -> PhotoLibrary {
    let disk = Disk(system: system)
    return try await open(at: folder, index: index, disk: disk, trash: DesktopTrash(disk: disk, home: trash))
  }

  /// - Parameters:
  ///   - disk: Tests inject faults with it.
  ///   - trash: `nil` takes the desktop's.
  ///   - thumbnails: The thumbnails from which hidden and deleted pictures are removed; `nil` for none.
  ///   - now: The wall clock; tests set it.
  static func open(
    at folder: URL, index: URL?, disk: Disk, trash: DesktopTrash? = nil, thumbnails: DesktopThumbnails? = nil,
    now: @escaping @Sendable () -> Date = { Date() }
  ) async throws(PhotoLibraryError) -> PhotoLibrary {
    try await Blocking.run { () throws(PhotoLibraryError) in
      let layout = LibraryFolder(folder)
      if let status = disk.status(layout.path), status.kind != .folder {
        throw .folderUnavailable(path: layout.path, reason: .notFolder)
      }
      // Whatever a record, a journal or the index says, nothing outside is reached.
      let disk = disk.confined(to: [layout.path])
      let session = LibrarySession(folder: layout, disk: disk)
      var finished: [FinishedJournal] = []
      var notes: [RecoveryNote] = []
      let index = try openIndex(at: index ?? defaultIndex(of: folder), folder: layout, disk: disk, notes: &notes)
      // The index knows which folders are disks that aren't there.
      let recovery = LibraryRecovery(
        folder: layout, disk: disk, trash: trash ?? DesktopTrash(disk: disk), isAway: index.isAway)
      notes = recovery.run(except: session.token, finished: { finished = $0 }) + notes
      let library = PhotoLibrary(
        layout: layout, disk: disk, index: index, session: session, recovery: notes,
        trash: trash ?? DesktopTrash(disk: disk),
        thumbnails: thumbnails.map {
          LibraryThumbnails($0, of: layout, given: folder.standardizedFileURL.path, disk: disk)
        }, now: now)
      library.reconciler.settled.withLock { $0 = { [weak library] in library?.concealNews() } }
      index.wasReplaced.withLock { $0 = { [weak reconciler = library.reconciler] in reconciler?.scanAll() } }
      do throws(PhotoLibraryError) { try library.reconciler.reindex(finished) } catch {
        // The scan finds nearly all of it.
        logger.error("\(error.description)")
      }
      library.reconciler.scanAll { [weak library] in library?.clearOrphanedRecordsInBackground() }
      return library
    }
  }

  /// Runs once after opening.
  private func clearOrphanedRecordsInBackground() {
    Task.detached(priority: .background) { [weak self] in
      do throws(PhotoLibraryError) {
        try await self?.clearOrphanedRecords()
      } catch {
        // The next start tries again.
        Self.logger.notice("\(error.description)")
      }
    }
  }

  /// Moves records and originals of assets to the trash that have been neither in the library nor in the trash for the
  /// time of grace.
  @discardableResult
  func clearOrphanedRecords() async throws(PhotoLibraryError) -> OrphanedRecords.Count {
    let count = try await orphanedRecords.clear()
    if count.cleared > 0 {
      warningBoard.post(.movedToTrash(count: count.cleared, days: OrphanedRecords.daysOfGrace))
    }
    return count
  }

  var orphanedRecords: OrphanedRecords {
    OrphanedRecords(reconciler: reconciler, session: session, trash: desktopTrash, now: now)
  }

  deinit { shutDown() }

  /// Stops watching the folder, ends the streams and removes what only this process needs. Returns when nothing of it
  /// reads the folder or writes to the index anymore: whoever moves the folder away then has not removed its pictures. Where
  /// the disk hangs, it returns after ten seconds.
  ///
  /// `deinit` does the same without waiting; the leftovers of a program that exits without it are removed at the next start.
  public func close() async {
    await thumbnailSweep?.settle()
    // Nothing in it throws.
    try? await Blocking.run { () throws(PhotoLibraryError) in
      self.shutDown()
      self.reconciler.waitForEnd(atMost: .seconds(10))
    }
  }

  private func shutDown() {
    availabilityMonitor.stop()
    watcher.stop()
    poller?.stop()
    thumbnailSweep?.stop()
    warningBoard.close()
    reconciler.stop()
    index.close()
    session.end()
  }

  /// The file of the index of a library's folder, unless another one is given.
  ///
  /// - Parameter data: The folder of the user's data.
  package static func defaultIndex(of folder: URL, in data: URL = UserFolders().data) -> URL {
    data.appendingPathComponent("photome", isDirectory: true)
      .appendingPathComponent("\(LibraryFolder(folder).digest).sqlite", isDirectory: false)
  }

  /// 16 hexadecimal digits that stand for the folder's path in the names of files about this library.
  public var folderDigest: String { layout.digest }

  private static func openIndex(
    at url: URL, folder: LibraryFolder, disk: Disk, notes: inout [RecoveryNote]
  ) throws(PhotoLibraryError) -> LibraryIndex {
    do {
      try disk.makeFolder(Disk.parent(of: url.path))
      let index = try usableIndex(at: url, folder: folder, disk: disk, notes: &notes)
      if try LibraryPresence(folder: folder, disk: disk, index: index).isAnother() {
        // What is known about the first one stays. Once the new one has a mark, it has a file of its own.
        return try LibraryIndex(url: nil, folder: folder.url, disk: disk)
      }
      guard let mark = LibraryMark.read(folder, disk: disk), let known = try index.property(.library), known != mark
      else { return index }
      // Another disk is mounted there now. What is known about the library of the first one stays.
      return try usableIndex(
        at: LibraryIndex.url(url, infix: String(mark.prefix(16))), folder: folder, disk: disk, notes: &notes)
    } catch {
      // A read-only or full home directory must not keep users from their pictures.
      notes.append(.indexInMemory(reason: LibraryIndex.reason(error)))
      do { return try LibraryIndex(url: nil, folder: folder.url, disk: disk) } catch {
        throw .index(path: url.path, reason: LibraryIndex.reason(error))
      }
    }
  }

  private static func usableIndex(
    at url: URL, folder: LibraryFolder, disk: Disk, notes: inout [RecoveryNote]
  ) throws -> LibraryIndex {
    do {
      return try LibraryIndex(url: url, folder: folder.url, disk: disk)
    } catch is LibraryIndex.Newer {
      let own = LibraryIndex.url(url, infix: "schema-\(IndexSchema.migrator.migrations.count)")
      notes.append(.newerIndex(kept: url))
      return try LibraryIndex(url: own, folder: folder.url, disk: disk)
    } catch  where LibraryIndex.isDamage(error) {
      let aside = try LibraryIndex.setAside(url)
      notes.append(.rebuiltIndex(setAside: aside, reason: LibraryIndex.reason(error)))
      return try LibraryIndex(url: url, folder: folder.url, disk: disk)
    }
  }

  // MARK: Following

  /// Every change from now on, in order, by this library, another instance, or another program.
  public func changes() -> AsyncStream<PhotoLibraryChange> { index.changes() }

  /// Warnings for the user: first those so far, then new ones, until the library is closed.
  public func warnings() -> AsyncStream<LibraryWarning> { warningBoard.stream() }

  /// The files that can't be shown because of their names, by folder. Waits for a scan in progress, as there is one
  /// after opening.
  public func unusableNames() async -> [UnusableNames] {
    await reconciler.waitUntilIdle()
    return reconciler.unusableNames
  }

  /// Looks in the background whether the library is there, and scans the folder again if changes to it may not have been
  /// reported: on file systems that other machines change, and when the library wasn't there, as its disk may be back. To
  /// be called when the user comes back to the program.
  public func lookAgain() {
    availabilityMonitor.look()
    if poller != nil || reconciler.isAbsent { reconciler.scanAll() }
  }

  /// Has a file indexed that this program has written into the library's folder, in the background. Some network file
  /// systems don't even report what is done on this computer. Does nothing with a file outside of the folder.
  public func noticeFile(at url: URL) {
    guard let path = relativePath(of: url) else { return }
    reconciler.note(FolderEvents(path: path))
  }

  /// Scans the whole folder again, and returns when the index agrees with it and the notifications are sent.
  ///
  /// - Throws: When the folder can't be listed, or the index can't be used.
  public func refresh() async throws(PhotoLibraryError) { try await reconciler.refresh() }
}
