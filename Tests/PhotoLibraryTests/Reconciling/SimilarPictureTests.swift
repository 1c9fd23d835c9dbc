// Pictures that begin with the same coded bytes, and libraries that know them by those alone.

import CameraCore
import Foundation
import GRDB
import MediaFormats
import StillCodecs
import Testing

@testable import PhotoLibrary

@Suite(.timeLimit(.minutes(30))) struct SimilarPictureTests {
  /// Pictures of one size with the same noise in the upper half, as two screenshots of a window.
  private static func png(lower: UInt8) throws -> Data {
    let size = PixelSize(width: 600, height: 400)
    let block = FrameBlock(count: size.area * 4) { target in
      var state: UInt32 = 1
      for index in target.indices {
        state = state &* 1_664_525 &+ 1_013_904_223
        target[index] = index < target.count / 2 ? UInt8(truncatingIfNeeded: state >> 24) : lower
      }
    }
    return try StillCodecs.encode(DecodedImage(size: size, stride: size.width * 4, block: block), as: .png)
  }

  private static func facts(_ png: Data, _ scratch: Scratch) throws -> FileFacts {
    let file = scratch.url.appendingPathComponent("facts.png")
    try png.write(to: file)
    return try #require(try FileFacts(ReadableFile(file.path, disk: Disk())))
  }

  @Test func whatIsHiddenStaysAlone() async throws {
    let scratch = try Scratch()
    let (one, two) = (try Self.png(lower: 10), try Self.png(lower: 200))
    let facts = try [one, two].map { try Self.facts($0, scratch) }
    let former = try #require(facts[0].formerContentID)
    try #require(former == facts[1].formerContentID)
    #expect(facts[0].contentID != facts[1].contentID)
    let library = try await scratch.library()
    let first = try scratch.put(one, "a.png")
    try await library.refresh()
    let hidden = try #require(try await library.fetchAssets().first)
    try await library.performChanges { $0.change(AssetChangeRequest(for: hidden.id, isHidden: true)) }
    try FileManager.default.removeItem(at: first)
    try await library.refresh()
    try scratch.put(two, "b.png")
    try await library.refresh()
    let other = try #require(try await library.fetchAssets().first)
    #expect(other.id != hidden.id && !other.isHidden)
    await library.close()
  }

  /// A library with a hidden PNG as an earlier version kept it.
  private static func earlier(_ scratch: Scratch) async throws -> (id: Asset.ID, png: Data) {
    let png = try Self.png(lower: 10)
    let facts = try Self.facts(png, scratch)
    let former = try #require(facts.formerContentID)
    try scratch.put(png, "a.png")
    let library = try await scratch.library()
    try await library.refresh()
    let asset = try #require(try await library.fetchAssets().first)
    #expect(asset.id == facts.contentID)
    try await library.performChanges { $0.change(AssetChangeRequest(for: asset.id, isHidden: true)) }
    await library.close()
    let records = scratch.pictures.appendingPathComponent(".photome/assets")
    let json = try String(contentsOf: records.appendingPathComponent("\(asset.id).json"), encoding: .utf8)
    try FileManager.default.removeItem(at: records.appendingPathComponent("\(asset.id).json"))
    try json.replacingOccurrences(of: asset.id, with: former).write(
      to: records.appendingPathComponent("\(former).json"), atomically: true, encoding: .utf8)
    let database = try DatabaseQueue(path: scratch.index.path)
    try await database.write { db in
      try db.execute(sql: "UPDATE asset SET id = ?, contentID = ?", arguments: [former, former])
      try db.execute(sql: "UPDATE binding SET id = ?, content = ?", arguments: [former, former])
      try db.execute(sql: "UPDATE record SET id = ?", arguments: [former])
    }
    try database.close()
    return (former, png)
  }

  /// Whether the picture with an id is the only one that is hidden.
  private static func isHidden(_ id: Asset.ID, in library: PhotoLibrary) async throws -> Bool {
    let isOnly = try await library.fetchAssets().allSatisfy { $0.id != id }
    return try await library.asset(id: id)?.isHidden == true && isOnly
  }

  @Test(arguments: [false, true]) func picturesKeepTheIDsOfEarlierVersions(isIndexNew: Bool) async throws {
    let scratch = try Scratch()
    let (id, png) = try await Self.earlier(scratch)
    if isIndexNew { try scratch.removeIndex() }
    let library = try await scratch.library()
    try await library.refresh()
    #expect(try await Self.isHidden(id, in: library))
    // It can be changed, written anew, and moved.
    try await library.performChanges { $0.change(AssetChangeRequest(for: id, isFavorite: true)) }
    #expect(try await library.asset(id: id)?.isFavorite == true)
    try await library.performChanges { $0.change(AssetChangeRequest(for: id, isFavorite: false)) }
    try scratch.put(png, "a.png")
    try await library.refresh()
    #expect(try await Self.isHidden(id, in: library))
    try FileManager.default.createDirectory(
      at: scratch.pictures.appendingPathComponent("b"), withIntermediateDirectories: true)
    try FileManager.default.moveItem(
      at: scratch.pictures.appendingPathComponent("a.png"), to: scratch.pictures.appendingPathComponent("b/b.png"))
    try await library.refresh()
    #expect(try await Self.isHidden(id, in: library))
    #expect(try await library.verify().problems.isEmpty)
    // Another picture that begins in the same way is new.
    try scratch.put(Self.png(lower: 200), "c.png")
    try await library.refresh()
    #expect(try await Self.isHidden(id, in: library))
    #expect(try await library.fetchAssets().count == 1)
    let trashed = try await library.trash([id])
    try await library.restore(trashed)
    #expect(try await Self.isHidden(id, in: library))
    await library.close()
  }

  @Test func aPictureThatWasMovedMeanwhileIsFoundByItsRecord() async throws {
    let scratch = try Scratch()
    let (id, _) = try await Self.earlier(scratch)
    try FileManager.default.moveItem(
      at: scratch.pictures.appendingPathComponent("a.png"), to: scratch.pictures.appendingPathComponent("z.png"))
    try scratch.removeIndex()
    let library = try await scratch.library()
    try await library.refresh()
    #expect(try await Self.isHidden(id, in: library))
    await library.close()
  }
}
