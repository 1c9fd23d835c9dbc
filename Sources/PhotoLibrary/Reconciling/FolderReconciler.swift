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
  let queue = DispatchQueue(label: "photome.library.look", qos: .utility)
  let pending = Mutex(Pending())
  /// Whether others are in the middle of a change.
  let progress: ChangeProgress
  /// Has everything noted that has happened so far.
  let drain = Mutex<(@Sendable () -> Void)?>(nil)
  /// Called with the error when the library isn't there, and with `nil` when it is.
  let presenceNoted = Mutex<(@Sendable (PhotoLibraryError?) -> Void)?>(nil)
  /// When an interrupted change could not be finished.
  let unfinished = Mutex<ChangeProgress.Moment?>(nil)
  /// How often what was read was given up since something was taken in.
  let refusals = Atomic<Int>(0)
  /// How often in a row a change of another program was waited for, and how often at most whoever wants to see the
  /// present state does: ten seconds. That program may have been stopped.
  let waits = Atomic<Int>(0)
  let patience = Atomic<Int>(500)
  /// Whether a new index is made without waiting for a program that seems to be stopped, until that one is done.
  let isImpatient = Atomic<Bool>(false)
  /// In milliseconds: after that time, whoever waits for the lock says so.
  let silence = Atomic<Int>(5_000)
  /// The number of names that were listed since memory was given back.
  let scannedCount = Atomic<Int>(0)
  /// Names that aren't UTF-8, by folder, as of the last scan of each.
  private let unusable = Mutex<[String: [String]]>([:])
  /// Whether the library was there once since it was opened.
  private let hasSeen = Mutex(false)
  /// Whether it was not there at the last scan.
  private let wasAbsent = Mutex(false)

  struct Pending {
    var news = LibraryNews()
    /// The folders of a scan that are left, the last first.
    var folders: [PathBytes] = []
    /// Files that were not where they are known to be. They are left until all folders are scanned, as they may have
    /// been moved to one of them.
    var vanished: Set<PathBytes> = []
    /// Files whose ids depend on others: see `IndexTransaction.setAside`. They are left until then as well.
    var unsettled: Set<PathBytes> = []
    /// What is being read.
    var inHand = LibraryNews()
    /// Whether a scan of everything is in progress.
    var isScanningAll = false
    var waiters: [Waiter] = []
    var isRunning = false
    var isStopped = false
    var failure: PhotoLibraryError?

    var isScanning: Bool { isScanningAll || !folders.isEmpty || !vanished.isEmpty || !unsettled.isEmpty }
    /// Whether there is anything to read.
    var hasWork: Bool { !news.isEmpty || isScanning }
  }

  /// Whoever waits until nothing is pending.
  struct Waiter: Sendable {
    /// Whether a change of another program that takes long is waited for.
    enum Patience: Int, Sendable {
      case none
      case some
      case endless
    }

    var patience: Patience
    var resume: @Sendable (PhotoLibraryError?) -> Void
  }

  static let logger = Logger(label: "photome.library.look")

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
    progress = ChangeProgress(folder: folder, disk: disk, token: session?.token)
    presence = LibraryPresence(folder: folder, disk: disk, index: index)
  }

  /// Starts nothing anymore, and resumes all waiters.
  func stop() {
    let waiters = pending.withLock { pending in
      pending.isStopped = true
      defer { pending.waiters = [] }
      return pending.waiters
    }
    for waiter in waiters { waiter.resume(nil) }
  }

  /// Returns when nothing of it reads the folder or writes to the index anymore, once it is stopped.
  ///
  /// - Parameter limit: Waits no longer; a disk may hang.
  func waitForEnd(atMost limit: DispatchTimeInterval) {
    let end = DispatchSemaphore(value: 0)
    queue.async { end.signal() }
    if end.wait(timeout: .now() + limit) == .timedOut {
      Self.logger.warning("“\(folder.path)” is still being read; its disk doesn’t answer.")
    }
  }

  /// Schedules the events of the watcher.
  func note(_ events: FolderEvents) {
    start { pending in
      pending.news.formUnion(
        LibraryNews(paths: events.paths, records: events.records, folders: events.folders, all: events.all))
    }
  }

  /// Schedules a scan of everything.
  func scanAll() { start { $0.news.all = true } }

  /// The same, and then calls `body`, unless the scan fails.
  func scanAll(then body: @escaping @Sendable () -> Void) {
    start { pending in
      pending.news.all = true
      if !pending.isStopped { pending.waiters.append(Waiter(patience: .endless) { if $0 == nil { body() } }) }
    }
  }

  /// Scans everything, and returns when nothing is pending, or another program doesn't complete a change: then the list
  /// is that before it.
  ///
  /// - Throws: The error of the disk or of the index that ended a part of the scan.
  func refresh(patience: Waiter.Patience = .some) async throws(PhotoLibraryError) {
    let failure = await withCheckedContinuation { (continuation: CheckedContinuation<PhotoLibraryError?, Never>) in
      let mustWait = add { pending in
        if pending.isStopped { return false }
        pending.waiters.append(Waiter(patience: patience) { continuation.resume(returning: $0) })
        return true
      }
      if mustWait { scanAll() } else { continuation.resume(returning: nil) }
    }
    if let failure { throw failure }
  }

  /// Returns when nothing is pending, or what is pending waits until another program has completed a change.
  func waitUntilIdle() async {
    await withCheckedContinuation { (continuation: CheckedContinuation<Void, Never>) in
      let mustWait = add { pending in
        if pending.isStopped || !pending.isRunning { return false }
        pending.waiters.append(Waiter(patience: .none) { _ in continuation.resume() })
        return true
      }
      if !mustWait { continuation.resume() }
    }
  }

  /// - Returns: What the closure returns: whether a waiter was added, and will be called.
  @inline(never)  // called by asynchronous functions: see “Locks” in MediaEngine.md
  private func add(_ waiter: (inout Pending) -> Bool) -> Bool { pending.withLock { waiter(&$0) } }

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
    case news(LibraryNews)
    case folder(String)
    case list(LibraryNews)
    case unsettled([String])
    case vanished([String])
    case scanned
    case bind
    case settle
    case done([Waiter], PhotoLibraryError?)
  }

  private func nextStep(_ pending: inout Pending, hasBound: Bool, hasSettled: Bool) -> Step {
    if !pending.isStopped {
      // All is looked at again. Whoever waits since then isn't told what failed before, as while the folder was away.
      if pending.news.all { pending.failure = nil }
      // A change may be in all of it. Only a scan at the start shows what it finds as it goes.
      if !pending.news.isEmpty, hasSeenLibrary, !pending.isScanning {
        (pending.inHand, pending.news) = (pending.news, LibraryNews())
        return .news(pending.inHand)
      }
      // Files that were just written come before the rest.
      if !pending.news.paths.isEmpty || !pending.news.records.isEmpty {
        pending.inHand = LibraryNews(paths: pending.news.paths, records: pending.news.records)
        (pending.news.paths, pending.news.records) = ([], [])
        return .news(pending.inHand)
      }
      if pending.news.all {
        defer { pending.news.all = false }
        return .list(LibraryNews(all: true))
      }
      pending.folders.append(contentsOf: pending.news.folders.sorted { $0.path < $1.path })
      pending.news.folders = []
      if let folder = pending.folders.popLast() { return .folder(folder.path) }
      if !pending.unsettled.isEmpty {
        defer { pending.unsettled = [] }
        return .unsettled(pending.unsettled.map(\.path).sorted())
      }
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

  private func run() {
    var (hasBound, hasSettled) = (false, false)
    while true {
      var reading: ChangeProgress.Reading?
      if pending.withLock({ !$0.isStopped && (!hasBound || $0.hasWork) }) {
        guard case .read(let now) = readiness() else {
          // The step is put off until that change is complete.
          if putOff() { return }
          continue
        }
        reading = now
        // All that was changed until now is noted: whole changes.
        drain.withLock { $0 }?()
      }
      let step = pending.withLock { nextStep(&$0, hasBound: hasBound, hasSettled: hasSettled) }
      switch step {
      case .bind: (hasBound, hasSettled) = (true, false)
      case .settle: hasSettled = true
      default: (hasBound, hasSettled) = (false, false)
      }
      do throws(PhotoLibraryError) {
        switch step {
        case .news(let news):
          defer { putBack { $0.inHand = LibraryNews() } }
          if try !takeIn(news, in: reading) { putBack { $0.news.formUnion(news) } }
          try index.publishChanges()
        case .folder(let name):
          // It reads several times.
          reading = nil
          if try !scan(folder: name) { putBack { $0.folders.append(PathBytes(name)) } }
        case .list(let news):
          if try !scan(news, in: reading) { putBack { $0.news.all = true } }
          try index.publishChanges()
        case .unsettled(let paths):
          try indexUnsettled(paths, in: reading)
        case .vanished(let paths):
          // A disk that was unplugged meanwhile has no files.
          try checkPresence()
          try indexVanished(paths, in: reading)
        case .scanned:
          try index.noteScanned { progress.isIdle }
          try index.forgetFormerDisks()
        case .bind:
          // It takes the lock itself.
          if reading?.pausesOthers == true { reading = nil }
          hasBound = try bindRecords(in: reading)
          if !hasBound, putOff() { return }
        case .settle:
          settled.withLock { $0 }?()
        case .done(let waiters, let failure):
          // A scan of a hundred thousand files leaves some megabytes behind in small pieces. To look for them costs as
          // much as the scan of a small library.
          if scannedCount.exchange(0, ordering: .relaxed) >= Self.largeCount {
            index.releaseMemory()
            linux_give_back_memory()
          }
          for waiter in waiters { waiter.resume(failure) }
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
          (pending.vanished, pending.unsettled) = ([], [])
        }
      }
    }
  }

  /// Goes on in a moment.
  ///
  /// - Returns: `false` after the end.
  private func putOff() -> Bool {
    let count = waits.add(1, ordering: .relaxed).newValue
    // A new index has nothing to show before it has read without waiting: see `readiness`.
    let isLong =
      count >= patience.load(ordering: .relaxed) && (index.wasScanned || isImpatient.load(ordering: .relaxed))
    let patient: Waiter.Patience = isLong ? .endless : .some
    let waiters = pending.withLock { pending -> [Waiter]? in
      if pending.isStopped { return nil }
      defer { pending.waiters.removeAll { $0.patience.rawValue < patient.rawValue } }
      return pending.waiters.filter { $0.patience.rawValue < patient.rawValue }
    }
    guard let waiters else { return false }
    for waiter in waiters { waiter.resume(nil) }
    queue.asyncAfter(deadline: .now() + .milliseconds(Self.pause)) { [weak self] in self?.run() }
    return true
  }

  func putBack(_ body: (inout Pending) -> Void) { pending.withLock { body(&$0) } }

  func noteSeen() {
    hasSeen.withLock { $0 = true }
    wasAbsent.withLock { $0 = false }
    presenceNoted.withLock { $0 }?(nil)
  }

  var hasSeenLibrary: Bool { hasSeen.withLock { $0 } }
  var isAbsent: Bool { wasAbsent.withLock { $0 } }

  /// Checks that the library is there, before anything is scanned or written.
  ///
  /// - Throws: As `LibraryPresence.check`.
  func checkPresence() throws(PhotoLibraryError) {
    do throws(PhotoLibraryError) { try look() } catch {
      presenceNoted.withLock { $0 }?(error)
      throw error
    }
  }

  /// The same, without a note of it.
  func look() throws(PhotoLibraryError) { try presence.check(isOpening: !hasSeenLibrary) }

  /// Schedules a record.
  func note(record name: String, in parent: String) {
    pending.withLock { _ = $0.news.records.insert("\(parent)/\(name)") }
  }

  func note(unusable names: [String], in name: String) {
    let isNews = unusable.withLock { unusable in
      defer { unusable[name] = names.isEmpty ? nil : names }
      return !names.isEmpty && unusable[name] != names
    }
    guard isNews else { return }
    let folder = URL(fileURLWithPath: folder.absolute(name), isDirectory: true)
    Self.logger.warning("\(UnusableNames(folder: folder, names: names).description)")
  }
}
