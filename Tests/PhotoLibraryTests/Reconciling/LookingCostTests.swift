// The cost of looking at libraries of a kind that is rare: many files beside the months, records of many albums.

import Foundation
import GRDB
import Synchronization
import Testing

@testable import PhotoLibrary

@Suite(.timeLimit(.minutes(30))) struct LookingCostTests {
  /// Counts the looks at pictures.
  private final class Counting: FileSystem {
    let looks = Atomic<Int>(0)

    func lstat(_ path: UnsafePointer<CChar>, _ status: inout Glibc.stat) -> Int32 {
      if String(cString: path).hasSuffix(".jpg") { looks.add(1, ordering: .relaxed) }
      return KernelFileSystem().lstat(path, &status)
    }
  }

  @Test func pollingLooksAtNoPicture() throws {
    let scratch = try Scratch()
    for number in 0..<20 { try scratch.put(Data(), "\(number).jpg") }
    try scratch.put(Data(), "2026-11/a.jpg")
    let system = Counting()
    let events = Mutex<[FolderEvents]>([])
    let poller = FolderPoller(folder: LibraryFolder(scratch.pictures), disk: Disk(system: system)) { found in
      events.withLock { $0.append(found) }
    }
    poller.look()
    let before = system.looks.load(ordering: .relaxed)
    poller.look()
    #expect(system.looks.load(ordering: .relaxed) == before)
    #expect(events.withLock { $0.isEmpty })
    // A new folder is found, and what comes into it.
    try scratch.put(Data(), "2026-12/b.jpg")
    poller.look()
    try scratch.put(Data(), "2026-12/c.jpg")
    poller.look()
    #expect(events.withLock { $0.last?.folders.contains(PathBytes("2026-12")) } == true)
  }

  /// All of them stay in the record.
  @Test func aRecordShowsItsFirstAlbums() throws {
    let most = AssetRecord.mostAlbums
    var record = AssetRecord()
    for number in 0..<most + 10 { record.albums[AssetIdentity.digest(Data("\(number)".utf8))] = Int64(number) }
    let scratch = try Scratch()
    let id = AssetIdentity.digest(Data("asset".utf8))
    try scratch.put(record.json, ".photome/assets/\(id).json")
    let index = try LibraryIndex(url: nil, folder: scratch.pictures, disk: Disk())
    let path = ".photome/assets/\(id).json"
    let status = Disk().status(scratch.pictures.path + "/" + path)
    let stale = try index.apply([], [RecordSnapshot(id: id, path: path, status: status, content: .record(record))])
    #expect(stale?.isEmpty == true)
    let times = try index.readingNow { db in
      try Int64.fetchAll(db, sql: "SELECT added FROM membership WHERE asset = ? ORDER BY added", arguments: [id])
    }
    #expect(times == (0..<most).map(Int64.init))
    #expect(try AssetRecord(json: record.json, path: path).albums.count == most + 10)
  }

  /// It is no fault of the index.
  @Test func verifyCountsTheAlbumsThatAreNotShown() async throws {
    let scratch = try Scratch()
    let first = try await scratch.library()
    let asset = try await first.shoot()
    await first.close()
    var record = AssetRecord()
    for number in 0..<AssetRecord.mostAlbums + 12 {
      record.albums[AssetIdentity.digest(Data("\(number)".utf8))] = Int64(number)
    }
    let url = try scratch.put(record.json, ".photome/assets/\(asset.id).json")
    let library = try await scratch.library()
    let found = try await library.verify()
    #expect(found.isClean, "\(found.problems)")
    #expect(found.notes.contains { $0.contains("12") && $0.contains("albums") }, "\(found.notes)")
    #expect(try Data(contentsOf: url) == record.json)
    await library.close()
  }
}
