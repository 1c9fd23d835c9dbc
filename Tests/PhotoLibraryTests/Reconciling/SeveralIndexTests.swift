// Several indexes of one library, as two computers or two users have: they agree, by what the records say.

import CameraCore
import Foundation
import Testing

@testable import PhotoLibrary

@Suite(.timeLimit(.minutes(30))) struct SeveralIndexTests {
  private func library(_ scratch: Scratch, _ name: String) async throws -> PhotoLibrary {
    try await PhotoLibrary.open(
      at: scratch.pictures, index: scratch.url.appendingPathComponent("\(name).sqlite"), disk: Disk(),
      trash: DesktopTrash(home: scratch.path + "/Trash-\(name)"))
  }

  /// All that a start does by itself, and what `body` asks for.
  private func start<R>(
    _ scratch: Scratch, _ name: String, _ body: (PhotoLibrary) async throws -> R
  ) async throws -> R {
    let library = try await library(scratch, name)
    try await library.refresh()
    try await library.clearOrphanedRecords()
    let result = try await body(library)
    await library.close()
    return result
  }

  private func start(_ scratch: Scratch, _ name: String) async throws { try await start(scratch, name) { _ in } }

  private func edit(_ library: PhotoLibrary, _ asset: Asset) async throws {
    var request = AssetChangeRequest(for: asset.id, isFavorite: true, isHidden: true)
    request.contentEditingOutput = ContentEditingOutput(
      photo: try Samples.jpeg(shade: 10),
      adjustmentData: AdjustmentData(formatIdentifier: "test", formatVersion: "1", data: Data()))
    let change = request
    try await library.performChanges { $0.change(change) }
  }

  private func kept(_ scratch: Scratch) -> [String] {
    scratch.files().filter { $0.hasPrefix(".photome/assets") || $0.hasPrefix(".photome/originals") }
  }

  /// A hidden picture with an edit that two indexes know, saved by another program and moved while only the first one
  /// looked.
  private func moved(_ scratch: Scratch) async throws -> (asset: Asset, url: URL) {
    let asset = try await start(scratch, "A") { library async throws in
      let asset = try await library.createAsset(
        AssetCreationRequest(photo: Samples.jpeg(), metadata: Samples.metadata()))
      try await edit(library, asset)
      return asset
    }
    try await start(scratch, "B")
    try ForeignEditors.stripped(Data(contentsOf: asset.url)).write(to: asset.url, options: .atomic)
    try await start(scratch, "A")
    let url = scratch.pictures.appendingPathComponent("2026-11/beach.jpg")
    try FileManager.default.moveItem(at: asset.url, to: url)
    try await start(scratch, "A")
    return (asset, url)
  }

  @Test func whatOneIndexFollowedTheOtherFindsByTheRecord() async throws {
    let scratch = try Scratch()
    let (asset, url) = try await moved(scratch)
    for name in ["B", "A", "B"] {
      try await start(scratch, name) { library async throws in
        let now = try #require(try await library.asset(at: url), "\(name)")
        #expect(now.id == asset.id && now.isHidden && now.isEdited && now.isFavorite, "\(name)")
        #expect(try await library.verify().isClean)
      }
    }
  }

  /// As an earlier version left it: the file has an id of its own, and the record's picture counts as gone.
  @Test(arguments: [true, false]) func aRecordWhosePictureLivesIsNeverMoved(isScanned: Bool) async throws {
    let scratch = try Scratch()
    let (asset, url) = try await moved(scratch)
    let before = kept(scratch)
    try await start(scratch, "B")
    let wrong = AssetIdentity.makeID()
    let library = try await library(scratch, "B")
    try await library.refresh()
    try library.index.writing { db in
      try db.execute(
        sql: """
          UPDATE asset SET id = '\(wrong)', isHidden = 0, isEdited = 0, isFavorite = 0;
          DELETE FROM unbound;
          INSERT OR REPLACE INTO departed (id, path, contentID, isVideo, isElsewhere, isUnusable, since)
          VALUES ('\(asset.id)', '2026-11/\(asset.url.lastPathComponent)', '\(asset.id)', 0, 0, 0, 1);
          """)
    }
    if isScanned {
      try await library.clearOrphanedRecords()
      let now = try #require(try await library.asset(at: url))
      #expect(now.id == asset.id && now.isHidden && now.isEdited)
    } else {
      // As another program may ask before a scan.
      try library.orphanedRecords.moveToTrash([asset.id])
    }
    #expect(try await library.verify().clearedRecords == 0)
    #expect(kept(scratch) == before)
    await library.close()
  }

  @Test func twoIndexesDoNotRewriteARecordInTurn() async throws {
    let scratch = try Scratch()
    let one = try scratch.put(Samples.jpeg(), "1.jpg")
    try await start(scratch, "A")
    try await start(scratch, "B")
    let two = scratch.pictures.appendingPathComponent("2.jpg")
    try FileManager.default.copyItem(at: one, to: two)
    try await start(scratch, "A")
    try FileManager.default.removeItem(at: one)
    try await start(scratch, "A")
    try FileManager.default.copyItem(at: two, to: one)
    try await start(scratch, "A")
    for name in ["B", "A"] { try await start(scratch, name) }
    func states() throws -> [String: FileState] {
      var states: [String: FileState] = [:]
      for path in kept(scratch) {
        states[path] = FileState(try #require(Disk().status(scratch.pictures.path + "/" + path)))
      }
      return states
    }
    let before = try states()
    #expect(before.count == 1)
    var ids: [[Asset.ID?]] = []
    for name in ["A", "B", "A", "B"] {
      ids.append(
        try await start(scratch, name) { [try await $0.asset(at: one)?.id, try await $0.asset(at: two)?.id] })
      #expect(try states() == before, "\(name)")
    }
    #expect(Set(ids).count == 1 && Set(ids.flatMap(\.self)).count == 2, "\(ids)")
  }

  /// Two records that name one file: no index may follow first the one and then the other.
  @Test func recordsThatNameTheSameFileSettle() async throws {
    let scratch = try Scratch()
    let url = try scratch.put(Samples.jpeg(), "1.jpg")
    let content = try await start(scratch, "A") { library async throws in
      try #require(try await library.asset(at: url)).id
    }
    let claims = ["a", "b"].map { String(repeating: $0, count: 32) }
    for id in claims {
      var record = AssetRecord()
      record.isFavorite = true
      record.file = AssetRecord.File(path: "1.jpg", content: content)
      try scratch.put(record.json, ".photome/assets/\(id).json")
    }
    var ids: [Asset.ID?] = []
    for name in ["A", "B", "A", "B"] {
      ids.append(try await start(scratch, name) { try await $0.asset(at: url)?.id })
    }
    #expect(ids.allSatisfy { $0 == claims[0] }, "\(ids)")
  }
}
