// A library that isn't there is no empty one; another library, and a newer index, are kept apart.

import CameraCore
import Foundation
import GRDB
import Synchronization
import Testing

@testable import PhotoLibrary

@Suite(.timeLimit(.minutes(30))) struct PresenceTests {
  /// A kernel whose mount points and file system types a test decides.
  private final class Mounts: FileSystem {
    let points = Mutex<Set<String>>(["/"])
    let type = Mutex(0xef53)

    func mountPoints() -> Set<String> { points.withLock { $0 } }
    func fileSystemType(_ path: UnsafePointer<CChar>) -> Int { type.withLock { $0 } }
  }

  private func shot(_ library: PhotoLibrary, second: Double = 0) async throws -> Asset {
    try await library.createAsset(
      AssetCreationRequest(photo: Samples.jpeg(), metadata: Samples.metadata(date: Samples.date + second)))
  }

  /// The number of things in a folder.
  private func count(_ path: String) -> Int { (try? FileManager.default.subpathsOfDirectory(atPath: path).count) ?? -1 }

  @Test(arguments: [true, false]) func anUnmountedLibraryIsSaidAndNeverWrittenUnder(isOpen: Bool) async throws {
    let scratch = try Scratch()
    let mounts = Mounts()
    mounts.points.withLock { _ = $0.insert(scratch.path + "/Pictures") }
    let disk = Disk(system: mounts)
    var library = try await scratch.library(disk: disk)
    let asset = try await shot(library)
    try await library.refresh()
    if !isOpen { await library.close() }
    // The disk goes; its mount point stays, and belongs to the user.
    let (mount, away) = (scratch.path + "/Pictures", scratch.path + "/away")
    // First: the library looks as soon as something moves.
    mounts.points.withLock { _ = $0.remove(mount) }
    try FileManager.default.moveItem(atPath: mount, toPath: away)
    try FileManager.default.createDirectory(atPath: mount, withIntermediateDirectories: true)
    if !isOpen { library = try await scratch.library(disk: disk) }
    await #expect { try await library.refresh() } throws: { Self.isAbsent($0) }
    await #expect { try await shot(library, second: 5) } throws: { Self.isAbsent($0) }
    await #expect { try await library.verify() } throws: { $0 is PhotoLibraryError }
    await #expect { try await library.prepareForCapture() } throws: { Self.isAbsent($0) }
    await #expect {
      try await library.performChanges { $0.change(AssetChangeRequest(for: asset.id, isFavorite: true)) }
    } throws: { Self.isAbsent($0) }
    #expect(count(mount) == 0)
    var warnings = library.warnings().makeAsyncIterator()
    let warning = try #require(await warnings.next())
    #expect(warning.description.contains("isn’t in “\(scratch.pictures.path)”"))
    // All of it is still known.
    #expect(try await library.count() == 1)
    // And it comes back.
    try FileManager.default.removeItem(atPath: mount)
    try FileManager.default.moveItem(atPath: away, toPath: mount)
    mounts.points.withLock { _ = $0.insert(mount) }
    library.lookAgain()
    try await library.refresh()
    #expect(try await library.verify().isClean)
    _ = try await shot(library, second: 9)
    #expect(try await library.count() == 2)
    await library.close()
  }

  private static func isAbsent(_ error: any Error) -> Bool {
    if case .libraryAbsent? = error as? PhotoLibraryError { true } else { false }
  }

  @Test func aFolderThatIsGoneAtTheStartIsNoEmptyLibrary() async throws {
    let scratch = try Scratch()
    let first = try await scratch.library()
    _ = try await shot(first)
    await first.close()
    let away = scratch.url.appendingPathComponent("away")
    try FileManager.default.moveItem(at: scratch.pictures, to: away)
    let library = try await scratch.library()
    await #expect { try await library.refresh() } throws: { Self.isAbsent($0) }
    await #expect { try await shot(library, second: 5) } throws: { Self.isAbsent($0) }
    #expect(!FileManager.default.fileExists(atPath: scratch.pictures.path))
    // Whoever wants a new library there says so.
    try FileManager.default.createDirectory(
      at: scratch.pictures.appendingPathComponent(".photome"), withIntermediateDirectories: true)
    _ = try await shot(library, second: 5)
    try await library.refresh()
    #expect(try await library.count() == 1)
    await library.close()
  }

  /// A kernel that keeps its next answer about a path to itself until a test lets it out.
  private final class SlowAnswer: FileSystem {
    let path = Mutex<String?>(nil)
    let isAsked = Atomic(false)
    let mayAnswer = DispatchSemaphore(value: 0)

    func lstat(_ path: UnsafePointer<CChar>, _ status: inout Glibc.stat) -> Int32 {
      let result = Glibc.lstat(path, &status)
      let code = errno
      let isHeldBack = self.path.withLock { slow in
        guard slow == String(cString: path) else { return false }
        slow = nil
        return true
      }
      if isHeldBack {
        isAsked.store(true, ordering: .releasing)
        mayAnswer.wait()
      }
      errno = code
      return result
    }
  }

  @Test func whoeverLooksAfterAFailureIsNotToldIt() async throws {
    let scratch = try Scratch()
    let first = try await scratch.library()
    _ = try await shot(first)
    await first.close()
    try FileManager.default.moveItem(at: scratch.pictures, to: scratch.url.appendingPathComponent("away"))
    let hidden = scratch.pictures.appendingPathComponent(".photome")
    let system = SlowAnswer()
    let library = try await scratch.library(disk: Disk(system: system))
    system.path.withLock { $0 = hidden.path }
    library.reconciler.scanAll()
    while !system.isAsked.load(ordering: .acquiring) { await Task.yield() }
    // It is there now; the scan still has the answer from before.
    try FileManager.default.createDirectory(at: hidden, withIntermediateDirectories: true)
    let look = Task { try await library.refresh() }
    while !library.reconciler.pending.withLock({ $0.news.all }) { await Task.yield() }
    system.mayAnswer.signal()
    try await look.value
    await library.close()
  }

  @Test func aHiddenFolderWithoutAMarkIsALibraryOfItsOwn() async throws {
    let scratch = try Scratch()
    let first = try await scratch.library()
    let asset = try await shot(first)
    let mark = try #require(LibraryMark.read(first.layout, disk: Disk()))
    await first.close()
    let away = scratch.url.appendingPathComponent("away")
    try FileManager.default.moveItem(at: scratch.pictures, to: away)
    try FileManager.default.createDirectory(
      at: scratch.pictures.appendingPathComponent(".photome"), withIntermediateDirectories: true)
    for second in [5.0, 9] {
      let library = try await scratch.library()
      try await library.refresh()
      _ = try await shot(library, second: second)
      try await library.refresh()
      #expect(try #require(LibraryMark.read(library.layout, disk: Disk())) != mark)
      // The first one's pictures aren't missing here.
      #expect(try await library.verify().isClean)
      await library.close()
    }
    try FileManager.default.removeItem(at: scratch.pictures)
    try FileManager.default.moveItem(at: away, to: scratch.pictures)
    let back = try await scratch.library()
    // At once, from the index that was kept.
    #expect(try await back.fetchAssets().map(\.id) == [asset.id])
    try await back.refresh()
    #expect(try await back.verify().isClean)
    await back.close()
  }

  /// A stale hidden folder beneath the mount point of a disk that isn't there.
  @Test func aHiddenFolderUnderAMountPointIsNotTheLibrary() async throws {
    let scratch = try Scratch()
    let mounts = Mounts()
    let mount = scratch.path + "/Pictures"
    mounts.points.withLock { _ = $0.insert(mount) }
    let disk = Disk(system: mounts)
    let first = try await scratch.library(disk: disk)
    let asset = try await shot(first)
    await first.close()
    try FileManager.default.moveItem(atPath: mount, toPath: scratch.path + "/away")
    try FileManager.default.createDirectory(
      at: scratch.pictures.appendingPathComponent(".photome"), withIntermediateDirectories: true)
    mounts.points.withLock { _ = $0.remove(mount) }
    let before = count(mount)
    let library = try await scratch.library(disk: disk)
    await #expect { try await library.refresh() } throws: { Self.isAbsent($0) }
    await #expect { try await shot(library, second: 5) } throws: { Self.isAbsent($0) }
    #expect(count(mount) == before)
    #expect(try await library.fetchAssets().map(\.id) == [asset.id])
    await library.close()
  }

  @Test func aLibraryThatHasLostItsHiddenFolderIsStillThere() async throws {
    let scratch = try Scratch()
    let first = try await scratch.library()
    let asset = try await shot(first)
    let mark = try #require(LibraryMark.read(first.layout, disk: Disk()))
    await first.close()
    try FileManager.default.removeItem(at: scratch.pictures.appendingPathComponent(".photome"))
    let library = try await scratch.library()
    try await library.refresh()
    #expect(try await library.fetchAssets().map(\.id) == [asset.id])
    _ = try await shot(library, second: 5)
    #expect(try await library.count() == 2)
    #expect(LibraryMark.read(library.layout, disk: Disk()) == mark)
    await library.close()
  }

  @Test func anotherLibraryInTheSamePlaceHasAnIndexOfItsOwn() async throws {
    let scratch = try Scratch()
    let first = try await scratch.library()
    let asset = try await shot(first)
    await first.close()
    let away = scratch.url.appendingPathComponent("away")
    try FileManager.default.moveItem(at: scratch.pictures, to: away)
    let other = try Scratch()
    let second = try await other.library()
    let theirs = try await shot(second, second: 50)
    await second.close()
    try FileManager.default.moveItem(at: other.pictures, to: scratch.pictures)
    let library = try await scratch.library()
    try await library.refresh()
    #expect(try await library.fetchAssets().map(\.id) == [theirs.id])
    #expect(try await library.verify().isClean)
    await library.close()
    try FileManager.default.removeItem(at: scratch.pictures)
    try FileManager.default.moveItem(at: away, to: scratch.pictures)
    let back = try await scratch.library()
    // At once, from the index that was kept.
    #expect(try await back.fetchAssets().map(\.id) == [asset.id])
    try await back.refresh()
    #expect(try await back.verify().isClean)
    await back.close()
  }

  @Test func aNewerIndexIsKeptAsItIs() async throws {
    let scratch = try Scratch()
    let first = try await scratch.library()
    let asset = try await shot(first)
    await first.close()
    let queue = try DatabaseQueue(path: scratch.index.path)
    try await queue.write { db in
      try db.execute(sql: "ALTER TABLE asset RENAME TO picture")
      try db.execute(sql: "INSERT INTO grdb_migrations (identifier) VALUES ('6 the future')")
    }
    try queue.close()
    let library = try await scratch.library()
    #expect(library.recovery == [.newerIndex(kept: scratch.index)])
    #expect(library.recovery.first?.description.contains("newer version of PhotoMe") == true)
    try await library.refresh()
    #expect(try await library.fetchAssets().map(\.id) == [asset.id])
    await library.close()
    let kept = try DatabaseQueue(path: scratch.index.path)
    let (ids, migrations) = try await kept.read { db in
      (
        try String.fetchAll(db, sql: "SELECT id FROM picture"),
        try String.fetchAll(db, sql: "SELECT identifier FROM grdb_migrations")
      )
    }
    #expect(ids == [asset.id] && migrations.contains("6 the future"))
    try kept.close()
    // The index of its own is used again.
    let again = try await scratch.library()
    #expect(try await again.fetchAssets().map(\.id) == [asset.id])
    await again.close()
  }

  @Test(arguments: [0x6969, 0xff53_4d42, 0x6573_5546]) func aShareIsPolledAndLookedAtAgain(type: Int) async throws {
    let scratch = try Scratch()
    let mounts = Mounts()
    mounts.type.withLock { $0 = type }
    let library = try await scratch.library(disk: Disk(system: mounts))
    _ = try await shot(library)
    try await library.refresh()
    let poller = try #require(library.poller)
    // Another machine's changes cause no events here.
    library.watcher.stop()
    poller.look()
    let metadata = try Samples.metadata(date: Samples.date + 3)
    let photo = try PhotoAssembly.photo(jpeg: Samples.jpeg(), metadata: metadata, id: AssetIdentity.makeID())
    let url = try scratch.put(photo, "2026-11/theirs.jpg")
    var follower = try await Follower(library)
    poller.look()
    try await follower.wait { $0.contains { $0.url == url } }
    // Written in place: only whoever comes back sees it.
    let handle = try FileHandle(forWritingTo: url)
    try handle.seekToEnd()
    try handle.write(contentsOf: Data(count: 10))
    try handle.close()
    library.lookAgain()
    try await follower.wait { $0.contains { $0.fileSize == UInt64(photo.count + 10) } }
    await library.close()
    mounts.type.withLock { $0 = 0xef53 }
    #expect(try await scratch.library(disk: Disk(system: mounts)).poller == nil)
  }
}
