// The index as a cache: when it is lost, damaged or outdated, it is rebuilt from the files.

import CameraCore
import Foundation
import GRDB
import Synchronization
import Testing

@testable import PhotoLibrary

@Suite(.timeLimit(.minutes(30))) struct IndexTests {
  /// Photos and live photos of ours, a file of others, a movie, and a copy.
  private func fill(_ scratch: Scratch) async throws -> [Asset] {
    let library = try await scratch.library()
    for second in 0..<4 {
      let metadata = try Samples.metadata(date: Samples.date.addingTimeInterval(Double(second) * 1_000_000))
      let movie = second % 2 == 0 ? nil : try await Samples.movie(in: library)
      _ = try await library.createAsset(
        AssetCreationRequest(photo: Samples.jpeg(), metadata: metadata, pairedVideo: movie, photoDisplayTime: 1.25))
    }
    try scratch.put(Samples.jpeg(shade: 40), "2025-01/IMG_20250101_120000.jpg")
    try scratch.put(Samples.mp4(), "2026-11/VID_20261121_073200_000.mp4")
    let first = try #require(try await library.fetchAssets().first { $0.isLive })
    try FileManager.default.copyItem(
      at: first.url, to: scratch.pictures.appendingPathComponent("copy of a picture.jpg"))
    try await library.refresh()
    let assets = try await library.fetchAssets()
    #expect(assets.count == 7)
    await library.close()
    return assets
  }

  private func removeIndex(_ scratch: Scratch) throws {
    for suffix in ["", "-wal", "-shm"] { try? FileManager.default.removeItem(atPath: scratch.index.path + suffix) }
  }

  @Test func aLostIndexLosesNothing() async throws {
    let scratch = try Scratch()
    let assets = try await fill(scratch)
    try removeIndex(scratch)
    let library = try await scratch.library()
    var follower = try await Follower(library)
    try await follower.wait { $0.count == assets.count }
    try await library.refresh()
    #expect(try await library.fetchAssets() == assets)
    #expect(follower.shown == assets)
    #expect(library.recovery.isEmpty)
  }

  @Test func whatIsKnownIsThereAtOnce() async throws {
    let scratch = try Scratch()
    let assets = try await fill(scratch)
    // Nothing may be read from the pictures for it.
    let library = try await scratch.library(disk: Disk { step, path in step == .read ? EIO : nil })
    #expect(try await library.fetchAssets() == assets)
    #expect(try await library.fetchAssets(limit: 2, offset: 1) == Array(assets[1...2]))
    #expect(try await library.count() == assets.count)
    try await library.refresh()
    #expect(try await library.fetchAssets() == assets)
  }

  @Test func whatChangedWhileNobodyLookedIsFound() async throws {
    let scratch = try Scratch()
    let assets = try await fill(scratch)
    try FileManager.default.removeItem(at: assets[2].url)
    let moved = scratch.pictures.appendingPathComponent("2026-12/moved.jpg")
    try FileManager.default.createDirectory(at: moved.deletingLastPathComponent(), withIntermediateDirectories: true)
    try FileManager.default.moveItem(at: assets[3].url, to: moved)
    try scratch.put(Samples.jpeg(shade: 77), "2030-01/IMG_20300101_000000.jpg")
    let library = try await scratch.library()
    var follower = try await Follower(library)
    try await library.refresh()
    let fetched = try await library.fetchAssets()
    try await follower.wait { $0 == fetched }
    #expect(fetched.count == assets.count)
    #expect(fetched.first?.url.lastPathComponent == "IMG_20300101_000000.jpg")
    #expect(!fetched.contains { $0.id == assets[2].id })
    #expect(fetched.first { $0.id == assets[3].id }?.url.path == moved.path)
  }

  /// Else a transaction of 500 copies compares each with all others, and a shot waits for it.
  @Test func equalContentsAreComparedOncePerTransaction() async throws {
    let scratch = try Scratch()
    let picture = try Samples.jpeg()
    let copies = 200
    for number in 0..<copies { try scratch.put(picture, "copy \(number).jpg") }
    let index = try LibraryIndex(url: scratch.index, folder: scratch.pictures, disk: Disk())
    let selects = Mutex(0)
    let transactions = Mutex(0)
    try index.writing { db in
      db.trace(options: .statement) { event in
        let sql = event.description
        if sql.contains("FROM asset WHERE contentID") { selects.withLock { $0 += 1 } }
        if sql.hasPrefix("BEGIN IMMEDIATE") { transactions.withLock { $0 += 1 } }
      }
    }
    let reconciler = FolderReconciler(folder: LibraryFolder(scratch.pictures), disk: Disk(), index: index)
    try await reconciler.refresh()
    let rows = try index.files(after: 0, count: copies + 1)
    #expect(rows.count == copies && Set(rows.map(\.id)).count == copies)
    // The picture's own id is that of the shortest and first name.
    #expect(rows.first { $0.id == $0.contentID }?.path == "copy 0.jpg")
    let (asked, written) = (selects.withLock { $0 }, transactions.withLock { $0 })
    #expect(asked <= 4 * written && written < copies / 10, "\(asked) selects in \(written) transactions")
    index.close()
  }

  @Test func aDamagedIndexIsSetAsideAndMadeAnew() async throws {
    let scratch = try Scratch()
    let assets = try await fill(scratch)
    try removeIndex(scratch)
    try Data("this is no database, but words that someone wrote over it. ".utf8 + Data(count: 9000)).write(
      to: scratch.index)
    let library = try await scratch.library()
    guard case .rebuiltIndex(let aside, _) = library.recovery.first else {
      Issue.record("\(library.recovery)")
      return
    }
    #expect(FileManager.default.fileExists(atPath: aside.path))
    try await library.refresh()
    #expect(try await library.fetchAssets() == assets)
  }

  @Test func damageThatShowsLaterIsMendedAsWell() async throws {
    let scratch = try Scratch()
    let assets = try await fill(scratch)
    // The connection of the closed library may live a moment longer, and its pages be in the journal.
    let queue = try DatabaseQueue(path: scratch.index.path)
    try await queue.writeWithoutTransaction { _ = try $0.checkpoint(.truncate) }
    try queue.close()
    // Every page after the first two, which hold the schema.
    let handle = try FileHandle(forUpdating: scratch.index)
    let size = try handle.seekToEnd()
    try handle.seek(toOffset: 8192)
    try handle.write(contentsOf: Data(repeating: 0xa5, count: Int(size) - 8192))
    try handle.close()
    for suffix in ["-wal", "-shm"] { try? FileManager.default.removeItem(atPath: scratch.index.path + suffix) }
    let library = try await scratch.library()
    try await library.refresh()
    #expect(try await library.fetchAssets() == assets)
  }

  @Test func whoeverSleptTooLongIsToldEverything() async throws {
    let scratch = try Scratch()
    let assets = try await fill(scratch)
    let library = try await scratch.library()
    try await library.refresh()
    var changes = library.changes().makeAsyncIterator()
    let before = try await library.fetch()
    // As after a night in which another process wrote more than is kept.
    let queue = try DatabaseQueue(path: scratch.index.path)
    try await queue.write { db in
      try db.execute(sql: "DELETE FROM change")
      try db.execute(sql: "DELETE FROM asset WHERE id = ?", arguments: [assets[0].id])
      try db.execute(
        sql: "INSERT INTO change (sequence, id, number, kind) VALUES (100000, ?, 1, 2)", arguments: [assets[0].id])
    }
    try library.index.publishChanges()
    let change = try #require(await changes.next())
    #expect(change.isWholeLibrary)
    let details = try await library.changeDetails(for: before)
    #expect(try details.after.allAssets() == Array(assets.dropFirst()))
    #expect(details.removed == [0])
  }

  @Test func copiesHaveIdsOfTheirOwn() async throws {
    let scratch = try Scratch()
    let library = try await scratch.library()
    var follower = try await Follower(library)
    let asset = try await library.createAsset(
      AssetCreationRequest(photo: Samples.jpeg(), metadata: Samples.metadata()))
    let other = scratch.pictures.appendingPathComponent("a.jpg")
    try FileManager.default.copyItem(at: asset.url, to: other)
    let copy = asset.url.deletingLastPathComponent().appendingPathComponent("IMG_20261121_073106_123 (copy).jpg")
    try FileManager.default.copyItem(at: asset.url, to: copy)
    try await follower.wait { $0.count == 3 }
    #expect(follower.shown.first { $0.url == asset.url }?.id == asset.id)
    // The picture lives on in its copy, under its own id.
    try FileManager.default.removeItem(at: asset.url)
    try await follower.wait { $0.count == 2 && $0.contains { $0.id == asset.id && $0.url.path == copy.path } }
  }
}
