// Changes of albums with many members: room for a batch, whole or resumed after a crash.

import CameraCore
import Foundation
import MediaFormats
import Synchronization
import Testing

@testable import PhotoLibrary

@Suite(.timeLimit(.minutes(30))) struct AlbumBatchTests {
  private let scratch: Scratch
  private static let count = 150

  init() throws { scratch = try Scratch() }

  /// Pictures of different sizes, as the digest of what is in them is their id.
  private func fill(_ count: Int = count) throws {
    for number in 0..<count {
      try scratch.put(Samples.jpeg(width: 16 + number, height: 16), "2026-11/\(number).jpg")
    }
  }

  private func subjects() throws -> [[String]] {
    try scratch.files().filter { $0.hasPrefix("2026-11/") && $0.hasSuffix(".jpg") && !$0.contains("/.") }.map { name in
      let file = try ReadableFile(scratch.pictures.path + "/" + name, disk: Disk())
      return try MetadataRewriter.standardMetadata(of: file).subjects
    }
  }

  /// The most pictures that lie on the disk twice at any time.
  @Test func anAlbumNeedsRoomForABatchOnly() async throws {
    try fill()
    let month = scratch.pictures.path + "/2026-11"
    let most = Mutex(0)
    let disk = Disk { step, path in
      guard step == .rename || step == .synchronize else { return nil }
      let names = (try? FileManager.default.contentsOfDirectory(atPath: month)) ?? []
      let hidden = names.count { $0.hasSuffix(".tmp") }
      most.withLock { $0 = max($0, hidden) }
      return nil
    }
    let library = try await scratch.library(disk: disk)
    try await library.refresh()
    let ids = try await library.fetchAssets().map(\.id)
    #expect(ids.count == Self.count)
    let album = try await library.performChanges { changes in
      let album = changes.createAlbum(title: "Bern")
      changes.change(AssetCollectionChangeRequest(for: album.id, addAssets: ids))
      return album.id
    }
    #expect(try subjects().allSatisfy { $0 == ["Bern"] })
    try await library.performChanges { $0.change(AssetCollectionChangeRequest(for: album, title: "Thun")) }
    #expect(try subjects().allSatisfy { $0 == ["Thun"] })
    try await library.performChanges { $0.deleteAlbums([album]) }
    #expect(try subjects().allSatisfy { $0 == [] })
    let found = most.withLock { $0 }
    #expect(found > 0 && found <= 64)
    await library.close()
  }

  private func fillAndAdd(_ library: PhotoLibrary, count: Int) async throws -> [Asset.ID] {
    try fill(count)
    try await library.refresh()
    return try await library.fetchAssets().map(\.id)
  }

  private func add(_ ids: [Asset.ID], _ library: PhotoLibrary) async throws {
    try await library.performChanges { changes in
      let album = changes.createAlbum(title: "Bern")
      changes.change(AssetCollectionChangeRequest(for: album.id, addAssets: ids))
    }
  }

  private var lists: [String] { scratch.files().filter { $0.hasPrefix(".photome/pending/") } }

  /// Killed at any step of a change of more than a batch: the next process finds all of it or nothing, and does the rest.
  @Test(arguments: [0.02, 0.4, 0.49, 0.55, 0.7, 0.9, 0.97, 0.995]) func aKillBetweenBatchesIsMendedByTheNext(
    part: Double
  ) async throws {
    let count = ChangeTransaction.batchCount + 6
    // The number of steps, undisturbed.
    let steps = Mutex(0)
    let counting = try AlbumBatchTests()
    let undisturbed = try await counting.scratch.library(
      disk: Disk { step, _ in
        if step != .read, step != .watch { steps.withLock { $0 += 1 } }
        return nil
      })
    let ids = try await counting.fillAndAdd(undisturbed, count: count)
    steps.withLock { $0 = 0 }
    try await counting.add(ids, undisturbed)
    await undisturbed.close()

    let death = Death(at: max(1, Int(Double(steps.withLock { $0 }) * part)))
    let dying = try await scratch.library(disk: death.disk)
    let own = try await fillAndAdd(dying, count: count)
    death.arm()
    var failure: (any Error)?
    do { try await add(own, dying) } catch { failure = error }
    await Death.bury(dying)
    #expect(death.hasCome)

    let next = try await scratch.library()
    try await next.refresh()
    try await next.finishPendingMetadata()
    let albums = try await next.fetchAlbums()
    if failure == nil { #expect(albums.count == 1) }
    let expected = albums.isEmpty ? [] : ["Bern"]
    #expect(try subjects().allSatisfy { $0 == expected })
    if let album = albums.first { #expect(try await next.fetch(in: album).count == count) }
    #expect(lists == [])
    #expect(scratch.remains() == [])
    let checked = try await next.verify()
    #expect(checked.isClean, "\(checked.problems)")
    // And what was added is known: it can be taken back.
    try await next.performChanges { $0.deleteAlbums(albums.map(\.id)) }
    #expect(try subjects().allSatisfy { $0 == [] })
    await next.close()
  }

  /// The change is done when the disk gets full between batches; the user is told, and the rest follows.
  @Test func aFullDiskBetweenBatchesIsSaid() async throws {
    let count = ChangeTransaction.batchCount + 6
    let isFull = Mutex(false)
    let library = try await scratch.library(
      disk: Disk { step, path in
        step == .write && path.contains("/2026-11/.") && isFull.withLock { $0 } ? ENOSPC : nil
      })
    let ids = try await fillAndAdd(library, count: count)
    isFull.withLock { $0 = true }
    try await add(ids, library)
    let album = try #require(try await library.fetchAlbums().first)
    #expect(try await library.fetch(in: album).count == count)
    #expect(try subjects().allSatisfy { $0 == [] })
    #expect(lists.count == 1)
    var warnings = library.warnings().makeAsyncIterator()
    guard case .metadataPending(let reason)? = await warnings.next() else {
      Issue.record("Nobody was told.")
      return
    }
    #expect(reason.contains("is full"))
    isFull.withLock { $0 = false }
    try await library.finishPendingMetadata()
    #expect(try subjects().allSatisfy { $0 == ["Bern"] })
    #expect(lists == [])
    await library.close()
  }

  /// Notes which files are flushed, in order, and whether two are at once.
  private final class Flushes: FileSystem {
    struct State {
      var names: [String] = []
      var inFlight = 0
      var overlap = false
    }
    let state = Mutex(State())
    /// The first flush of a record waits for another one.
    private let second = DispatchSemaphore(value: 0)
    private let isArmed = Atomic<Bool>(false)

    func arm() { isArmed.store(true, ordering: .relaxed) }

    func fsync(_ descriptor: Int32) -> Int32 {
      let path = (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/fd/\(descriptor)")) ?? ""
      guard isArmed.load(ordering: .relaxed), path.hasSuffix(".tmp") else { return Glibc.fsync(descriptor) }
      let count = state.withLock { state in
        state.names.append(Disk.name(of: path))
        state.inFlight += 1
        return state.inFlight
      }
      if count > 1 {
        state.withLock { $0.overlap = true }
        second.signal()
      } else if state.withLock({ !$0.overlap }), second.wait(timeout: .now() + 20) == .timedOut {
        // Instead of hanging, and once only.
        state.withLock { $0.overlap = true }
        Issue.record("The files are flushed one after the other.")
      }
      defer { state.withLock { $0.inFlight -= 1 } }
      return Glibc.fsync(descriptor)
    }
  }

  /// A disk has time for many flushes at once. All files are durable before the journal that speaks of them is.
  @Test func theFilesOfAnAlbumAreFlushedTogetherAndBeforeTheJournal() async throws {
    let flushes = Flushes()
    let library = try await scratch.library(disk: Disk(system: flushes))
    let ids = try await fillAndAdd(library, count: 12)
    try await library.prepareForCapture()
    flushes.arm()
    try await add(ids, library)
    // Of each picture its record and its file, the album, and then the journal.
    let names = flushes.state.withLock { $0.names }
    #expect(names.count == 2 * ids.count + 2)
    #expect(Set(names).count == names.count)
    #expect(names.last?.contains("journal") == true)
    #expect(try subjects().allSatisfy { $0 == ["Bern"] })
    await library.close()
  }

  /// What couldn't be read again must not be written.
  @Test func aJournalIsNeverLongerThanOneThatIsRead() async throws {
    let library = try await scratch.library()
    try await library.prepareForCapture()
    let long = String(repeating: "a", count: Journal.largestFile / 2 + 100)
    let steps = (1...2).map { JournalStep.replace(temporary: "\($0)", path: long) }
    let runner = JournalRunner(folder: library.layout, disk: Disk(), trash: scratch.trash)
    let error = #expect(throws: PhotoLibraryError.self) { try runner.perform(steps, session: library.session) }
    guard case .changesFailed = error else {
      Issue.record("\(String(describing: error))")
      return
    }
    #expect(scratch.files() == [])
    await library.close()
  }
}
