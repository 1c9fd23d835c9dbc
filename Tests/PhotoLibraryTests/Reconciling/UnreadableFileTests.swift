// Files and records that can't be read at the moment: nothing is taken for known because of them.

import CameraCore
import Foundation
import Synchronization
import Testing

@testable import PhotoLibrary

@Suite(.timeLimit(.minutes(30))) struct UnreadableFileTests {
  /// A disk on which one file can't be read.
  private func faulty(_ path: String) -> Disk {
    Disk { step, at in step == .read && at == path ? EIO : nil }
  }

  /// Opens the library, scans it, and closes it.
  private func look<R>(
    _ scratch: Scratch, disk: Disk = Disk(), _ body: (PhotoLibrary) async throws -> R
  ) async throws -> R {
    let library = try await scratch.library(disk: disk)
    try await library.refresh()
    let result = try await body(library)
    await library.close()
    return result
  }

  private func precious(_ scratch: Scratch, isHidden: Bool = false) async throws -> Asset {
    try await look(scratch) { library async throws in
      let asset = try await library.createAsset(
        AssetCreationRequest(photo: Samples.jpeg(), metadata: Samples.metadata()))
      try await library.performChanges {
        $0.change(AssetChangeRequest(for: asset.id, isFavorite: true, isHidden: isHidden))
      }
      return asset
    }
  }

  private func removeIndex(_ scratch: Scratch) {
    for suffix in ["", "-wal", "-shm"] { try? FileManager.default.removeItem(atPath: scratch.index.path + suffix) }
  }

  /// The same bytes anew, so that a scan reads the file.
  private func touch(_ path: String) throws {
    let url = URL(fileURLWithPath: path)
    try Data(contentsOf: url).write(to: url)
    try FileManager.default.setAttributes([.modificationDate: Samples.date], ofItemAtPath: path)
  }

  /// Where there are no hard links, a picture that is being replaced has no name for a moment: it was read then, and its
  /// next version was taken for no picture.
  @Test func aPictureThatHadNoNameWhenItWasReadIsReadAgain() async throws {
    let scratch = try Scratch()
    let asset = try await precious(scratch)
    try touch(asset.url.path)
    let isMissing = Mutex(true)
    let disk = Disk { step, at in
      guard step == .read, at == asset.url.path else { return nil }
      return isMissing.withLock { isMissing in
        defer { isMissing = false }
        return isMissing ? ENOENT : nil
      }
    }
    let library = try await scratch.library(disk: disk)
    try await library.refresh()
    try await library.refresh()
    #expect(try await library.fetchAssets().map(\.id) == [asset.id])
    await library.close()
  }

  @Test func aPictureThatCouldNotBeReadOnceStays() async throws {
    let scratch = try Scratch()
    let asset = try await precious(scratch)
    try touch(asset.url.path)
    let copy = scratch.pictures.appendingPathComponent("a.jpg")
    try FileManager.default.copyItem(at: asset.url, to: copy)
    try await look(scratch, disk: faulty(asset.url.path)) { library async throws in
      let now = try #require(try await library.asset(at: asset.url))
      #expect(now.id == asset.id && now.isFavorite)
      #expect(try await library.asset(at: copy)?.id != asset.id)
      let found = try await library.verify()
      #expect(found.problems.map(\.kind) == [.unreadable], "\(found.problems)")
    }
    for _ in 0..<2 {
      try await look(scratch) { library async throws in
        let now = try #require(try await library.asset(at: asset.url))
        #expect(now.id == asset.id && now.isFavorite)
        #expect(try await library.asset(at: copy)?.id != asset.id)
        #expect(try await library.verify().isClean)
      }
    }
  }

  @Test func aNewPictureThatCouldNotBeReadIsFoundAtTheNextStart() async throws {
    let scratch = try Scratch()
    let url = try scratch.put(Samples.jpeg(), "a.jpg")
    try await look(scratch, disk: faulty(url.path)) { library async throws in
      #expect(try await library.asset(at: url) == nil)
      #expect(try await library.verify().problems.map(\.kind) == [.unreadable])
    }
    try await look(scratch) { library async throws in
      let now = try await library.asset(at: url)
      #expect(now != nil)
    }
  }

  /// As an earlier version left it: the index has the file's present state, and takes it for no picture.
  @Test func verifyFindsAPictureThatCountsAsNone() async throws {
    let scratch = try Scratch()
    let asset = try await precious(scratch)
    let library = try await scratch.library()
    try await library.refresh()
    try library.index.writing { db in
      try db.execute(
        sql: """
          INSERT INTO unusable (path, folder, fileSize, modified, changed)
          SELECT path, folder, fileSize, modified, changed FROM asset;
          DELETE FROM asset;
          """)
    }
    let found = try await library.verify()
    #expect(found.notes.contains { $0.contains(asset.url.path) }, "\(found.notes)")
    let now = try #require(try await library.asset(at: asset.url))
    #expect(now.id == asset.id && now.isFavorite)
    await library.close()
  }

  @Test func aHiddenPictureStaysHiddenWhenItsRecordCanNotBeRead() async throws {
    let scratch = try Scratch()
    let asset = try await precious(scratch, isHidden: true)
    let record = LibraryFolder(scratch.pictures).record(asset.id)
    try touch(record)
    func check(_ disk: Disk, isFavorite: Bool, _ why: Comment) async throws {
      try await look(scratch, disk: disk) { library async throws in
        let now = try #require(try await library.asset(id: asset.id))
        #expect(now.isHidden && now.isFavorite == isFavorite, why)
        #expect(try await library.fetchAssets().isEmpty, why)
      }
    }
    try await check(faulty(record), isFavorite: true, "The index knows it.")
    try await check(Disk(), isFavorite: true, "It can be read again.")
    removeIndex(scratch)
    try await check(faulty(record), isFavorite: false, "A new index can't know.")
    try await check(Disk(), isFavorite: true, "It can be read again.")
    // A newer PhotoMe has written it.
    let bytes = try Data(contentsOf: URL(fileURLWithPath: record))
    var values = try #require(JSONValue(parsing: bytes)?.object)
    values["version"] = .integer(2)
    try JSONValue.object(values).data.write(to: URL(fileURLWithPath: record))
    try await check(Disk(), isFavorite: true, "The index knows it.")
    removeIndex(scratch)
    try await check(Disk(), isFavorite: false, "A new index can't know.")
    // One that can be read says what is so.
    values["version"] = .integer(1)
    values["hidden"] = nil
    try JSONValue.object(values).data.write(to: URL(fileURLWithPath: record))
    try await look(scratch) { library async throws in
      let now = try await library.asset(id: asset.id)
      #expect(now?.isHidden == false)
    }
  }

  @Test func anAlbumWhoseRecordCanNotBeReadStays() async throws {
    let scratch = try Scratch()
    let album = try await look(scratch) { library async throws in
      try await library.performChanges { _ = $0.createAlbum(title: "Bern") }
      return try #require(try await library.fetchAlbums().first)
    }
    let path = LibraryFolder(scratch.pictures).album(album.id)
    try touch(path)
    try await look(scratch, disk: faulty(path)) { library async throws in
      let titles = try await library.fetchAlbums().map(\.title)
      #expect(titles == ["Bern"])
    }
    try await look(scratch) { library async throws in
      #expect(try await library.fetchAlbums().map(\.title) == ["Bern"])
      #expect(try await library.verify().isClean)
    }
  }
}
