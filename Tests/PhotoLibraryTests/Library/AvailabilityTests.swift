// Whether the library is there, told as it goes and comes back.

import CameraCore
import Foundation
import Synchronization
import TestSupport
import Testing

@testable import PhotoLibrary

@Suite("The library goes away and comes back", .timeLimit(.minutes(30))) struct AvailabilityTests {
  /// A kernel that refuses to look at a folder and what is in it.
  private final class Refusing: FileSystem {
    let folder: String
    let code = Mutex<Int32>(0)
    /// Called with each file before it is opened.
    let opening = Mutex<(@Sendable (String) -> Void)?>(nil)
    /// Called with each file and folder that was opened.
    let opened = Mutex<(@Sendable (String) -> Void)?>(nil)

    init(_ folder: String) { self.folder = folder }

    private func refuses(_ path: UnsafePointer<CChar>) -> Bool {
      let code = code.withLock { $0 }
      guard code != 0, (String(cString: path) + "/").hasPrefix(folder + "/") else { return false }
      errno = code
      return true
    }

    func lstat(_ path: UnsafePointer<CChar>, _ status: inout Glibc.stat) -> Int32 {
      refuses(path) ? -1 : Glibc.lstat(path, &status)
    }
    func open(_ path: UnsafePointer<CChar>, _ flags: Int32, _ mode: mode_t) -> Int32 {
      guard !refuses(path) else { return -1 }
      opening.withLock { $0 }?(String(cString: path))
      defer { opened.withLock { $0 }?(String(cString: path)) }
      return Glibc.open(path, flags, mode)
    }
    func opendir(_ path: UnsafePointer<CChar>) -> OpaquePointer? {
      guard !refuses(path) else { return nil }
      defer { opened.withLock { $0 }?(String(cString: path)) }
      return Glibc.opendir(path)
    }
  }

  /// A disk in memory that is mounted where a scratch folder's pictures are, and at another place as well, so that it keeps
  /// its files while it is away.
  private struct BoundDisk {
    let own: URL
    let place: URL

    init(_ scratch: Scratch) throws {
      own = scratch.url.appendingPathComponent("disk", isDirectory: true)
      place = scratch.url.appendingPathComponent("Pictures", isDirectory: true)
      for folder in [own, place] {
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
      }
      try #require(Glibc.mount("tmpfs", own.path, "tmpfs", 0, "size=8m") == 0)
    }

    func plugIn() throws { try #require(Glibc.mount(own.path, place.path, nil, UInt(MS_BIND), nil) == 0) }
    func pull() throws { try #require(umount2(place.path, Int32(MNT_DETACH)) == 0) }
    /// At the end of a test.
    func end() { for folder in [place, own] { _ = umount2(folder.path, Int32(MNT_DETACH)) } }
  }

  private static func reason(_ availability: LibraryAvailability?) -> String? {
    if case .libraryAbsent(_, let reason)? = availability?.reason { reason } else { nil }
  }

  @Test("A disk that doesn’t answer loses nothing", arguments: [ENOTCONN, ESTALE, EIO, ENODEV])
  func fault(code: Int32) async throws {
    let scratch = try Scratch()
    let system = Refusing(scratch.pictures.path)
    let library = try await scratch.library(disk: Disk(system: system))
    let asset = try await library.addPhoto()
    try await library.refresh()
    var states = library.availability().makeAsyncIterator()
    #expect(await states.next() == .available)
    #expect(library.unavailabilityReason == nil)

    system.code.withLock { $0 = code }
    library.lookAgain()
    let reason = Self.reason(await states.next())
    #expect(reason == "its disk doesn’t respond (\(String(cString: strerror(code))))")
    #expect(library.unavailabilityReason != nil)
    // Nothing that a scan misses now is removed.
    await #expect(throws: PhotoLibraryError.self) { try await library.refresh() }
    await #expect(throws: PhotoLibraryError.self) { try await library.addPhoto(second: 5) }
    var news = FolderEvents()
    news.folders = [PathBytes("2026-11")]
    library.reconciler.note(news)
    await library.reconciler.waitUntilIdle()
    #expect(try await library.asset(id: asset.id) != nil)

    // It comes back by itself, with what was done to it meanwhile.
    try scratch.put(Samples.jpeg(shade: 7), "2026-11/other.jpg")
    system.code.withLock { $0 = 0 }
    #expect(await states.next() == .available)
    try await library.refresh()
    #expect(try await library.count() == 2 && library.unavailabilityReason == nil)
    _ = try await library.addPhoto(second: 9)
    await library.close()
    #expect(await states.next() == nil)
    var closed = library.availability().makeAsyncIterator()
    #expect(await closed.next() == .available)
    #expect(await closed.next() == nil)
  }

  @Test("A change that fails for it tells it as well")
  func failedChange() async throws {
    let scratch = try Scratch()
    let system = Refusing(scratch.pictures.path)
    let library = try await scratch.library(disk: Disk(system: system))
    _ = try await library.addPhoto()
    try await library.refresh()
    var states = library.availability().makeAsyncIterator()
    #expect(await states.next() == .available)
    system.code.withLock { $0 = EIO }
    await #expect(throws: PhotoLibraryError.self) { try await library.prepareForCapture() }
    #expect(Self.reason(await states.next()) != nil)
    system.code.withLock { $0 = 0 }
    #expect(await states.next() == .available)
    await library.close()
  }

  @Test(
    "A disk that is unmounted and mounted again is noticed, and followed again",
    .enabled(if: Command.canMount, "only root may mount"))
  func mount() async throws {
    let scratch = try Scratch()
    let disk = try BoundDisk(scratch)
    try disk.plugIn()
    defer { disk.end() }
    let library = try await scratch.library()
    _ = try await library.addPhoto()
    try await library.refresh()
    var states = library.availability().makeAsyncIterator()
    #expect(await states.next() == .available)
    // Nobody has to ask for it.
    try disk.pull()
    #expect(Self.reason(await states.next())?.contains("isn’t mounted") == true)
    #expect(try await library.count() == 1)
    #expect(try FileManager.default.contentsOfDirectory(atPath: disk.place.path).isEmpty)
    try disk.plugIn()
    #expect(await states.next() == .available)
    try await library.refresh()
    // The folders on it are watched, not those under it.
    var changes = library.changes().makeAsyncIterator()
    try scratch.put(Samples.jpeg(shade: 9), "2026-11/other.jpg")
    #expect(await changes.next()?.inserted.count == 1)
    #expect(try await library.count() == 2)
    await library.close()
  }

  @Test("A disk of which nobody may write is noticed as well", .enabled(if: Command.canMount, "only root may mount"))
  func unmarked() async throws {
    let scratch = try Scratch()
    let disk = try BoundDisk(scratch)
    try disk.plugIn()
    defer { disk.end() }
    try scratch.put(Samples.jpeg(shade: 7), "other.jpg")
    let library = try await scratch.library()
    try await library.refresh()
    var states = library.availability().makeAsyncIterator()
    #expect(await states.next() == .available)
    try disk.pull()
    #expect(Self.reason(await states.next())?.contains("isn’t mounted") == true)
    #expect(try await library.count() == 1)
    try disk.plugIn()
    #expect(await states.next() == .available)
    try await library.refresh()
    #expect(try await library.count() == 1)
    await library.close()
  }

  @Test(
    "A disk that goes just when its mark was read is no library of the disk under it",
    .enabled(if: Command.canMount, "only root may mount"))
  func goneAtMark() async throws {
    let scratch = try Scratch()
    let disk = try BoundDisk(scratch)
    try disk.plugIn()
    defer { disk.end() }
    let library = try await scratch.library()
    _ = try await library.addPhoto()
    await library.close()

    let system = Refusing(scratch.pictures.path)
    let pulled = Disk(system: system)
    let index = try LibraryIndex(url: nil, folder: scratch.pictures, disk: pulled)
    let presence = LibraryPresence(folder: LibraryFolder(scratch.pictures), disk: pulled, index: index)
    let pulls = Atomic(0)
    system.opened.withLock { opened in
      opened = { path in
        guard path.hasSuffix("/library.json"), pulls.add(1, ordering: .relaxed).oldValue == 0 else { return }
        #expect(throws: Never.self) { try disk.pull() }
      }
    }
    try presence.check(isOpening: true)
    #expect(pulls.load(ordering: .relaxed) == 1)
    #expect(throws: PhotoLibraryError.self) { try presence.check(isOpening: false) }
  }

  /// While its session begins, with the lock file or with the mark.
  @Test(
    "Nothing is written into the folder under a disk that goes while its library is being marked",
    .enabled(if: Command.canMount, "only root may mount"), arguments: [".lock", ".tmp"])
  func goneBeforeMark(ending: String) async throws {
    let scratch = try Scratch()
    let disk = try BoundDisk(scratch)
    try disk.plugIn()
    defer { disk.end() }
    try scratch.put(Samples.jpeg(shade: 7), "other.jpg")
    let system = Refusing(scratch.pictures.path)
    let library = try await scratch.library(disk: Disk(system: system))
    try await library.refresh()
    var states = library.availability().makeAsyncIterator()
    #expect(await states.next() == .available)
    let pulls = Atomic(0)
    system.opening.withLock { opening in
      opening = { path in
        guard path.contains("/incoming/"), path.hasSuffix(ending), pulls.add(1, ordering: .relaxed).oldValue == 0 else {
          return
        }
        #expect(throws: Never.self) { try disk.pull() }
      }
    }
    await #expect(throws: PhotoLibraryError.self) { try await library.prepareForCapture() }
    #expect(pulls.load(ordering: .relaxed) > 0)
    #expect(Self.reason(await states.next())?.contains("isn’t mounted") == true)
    #expect(try FileManager.default.contentsOfDirectory(atPath: disk.place.path) == [])
    #expect(try await library.count() == 1)
    try disk.plugIn()
    #expect(await states.next() == .available)
    try await library.prepareForCapture()
    try await library.refresh()
    #expect(try await library.count() == 1)
    await library.close()
  }

  @Test(
    "A library whose disk wasn't mounted yet when it was first seen is there once it is",
    .enabled(if: Command.canMount, "only root may mount"))
  func seenBeforeItsDisk() async throws {
    let scratch = try Scratch()
    let disk = try BoundDisk(scratch)
    defer { disk.end() }
    // A stray picture beneath the disk, and pictures on it, without a mark of PhotoMe's.
    try scratch.put(Samples.jpeg(shade: 5), "stray.jpg")
    var library = try await scratch.library()
    try await library.refresh()
    #expect(try await library.count() == 1)
    await library.close()
    try disk.plugIn()
    try scratch.put(Samples.jpeg(shade: 7), "one.jpg")
    try scratch.put(Samples.jpeg(shade: 9), "two.jpg")
    for _ in 0..<2 {
      library = try await scratch.library()
      try await library.refresh()
      #expect(try await library.count() == 2)
      await library.close()
    }
    // Now it is known where the disk belongs.
    try disk.pull()
    library = try await scratch.library()
    await #expect(throws: PhotoLibraryError.self) { try await library.refresh() }
    #expect(try await library.count() == 2)
    await library.close()
  }

  @Test("A disk that was away for so short a time that nobody saw it is read again")
  func otherDisk() throws {
    let device = Atomic<UInt64>(1)
    let returns = Atomic(0)
    let monitor = AvailabilityMonitor(path: "/pictures") { () throws(PhotoLibraryError) in
    } device: {
      device.load(ordering: .relaxed)
    } returned: {
      returns.add(1, ordering: .relaxed)
    }
    monitor.look()
    monitor.settle()
    #expect(returns.load(ordering: .relaxed) == 0)
    device.store(2, ordering: .relaxed)
    for _ in 0..<2 {
      monitor.look()
      monitor.settle()
    }
    #expect(returns.load(ordering: .relaxed) == 1)
    monitor.stop()
  }

  @Test("A disk that goes while a folder is read has lost no picture")
  func goneWhileRead() async throws {
    let scratch = try Scratch()
    let system = Refusing(scratch.pictures.path)
    let library = try await scratch.library(disk: Disk(system: system))
    let asset = try await library.addPhoto()
    try await library.refresh()
    system.opened.withLock { opened in
      opened = { [weak system] in if $0.hasSuffix("/2026-11") { system?.code.withLock { $0 = EIO } } }
    }
    var news = FolderEvents()
    news.folders = [PathBytes("2026-11")]
    library.reconciler.note(news)
    await library.reconciler.waitUntilIdle()
    #expect(library.unavailabilityReason != nil)
    #expect(try await library.asset(id: asset.id) != nil)
    await library.close()
  }

  @Test("A scan that saw the library before it went doesn’t say that it is there")
  func staleScan() throws {
    let isThere = Mutex(false)
    let returns = Mutex(0)
    let monitor = AvailabilityMonitor(path: "/pictures") { () throws(PhotoLibraryError) in
      guard isThere.withLock({ $0 }) else { throw .libraryAbsent(path: "/pictures", reason: "it is away") }
    } returned: {
      returns.withLock { $0 += 1 }
    }
    monitor.look()
    monitor.settle()
    #expect(monitor.reason != nil)
    monitor.noteSeen()
    monitor.settle()
    #expect(monitor.reason != nil && returns.withLock { $0 } == 0)
    isThere.withLock { $0 = true }
    monitor.noteSeen()
    monitor.settle()
    #expect(monitor.reason == nil && returns.withLock { $0 } == 1)
    monitor.stop()
  }

  @Test("What fails while the library is looked for is news")
  func newerFault() throws {
    let monitors = Mutex<AvailabilityMonitor?>(nil)
    let looks = Atomic(0)
    let monitor = AvailabilityMonitor(path: "/pictures") { () throws(PhotoLibraryError) in
      let away = PhotoLibraryError.libraryAbsent(path: "/pictures", reason: "it is away")
      guard looks.add(1, ordering: .relaxed).oldValue == 0 else { throw away }
      // The look has seen it; then it goes, and a change fails.
      monitors.withLock { $0 }?.note(away)
    } returned: {
    }
    monitors.withLock { $0 = monitor }
    monitor.look()
    monitor.settle()
    monitor.settle()
    #expect(monitor.reason != nil && looks.load(ordering: .relaxed) == 2)
    monitor.stop()
    monitors.withLock { $0 = nil }
  }
}
