// Pictures that begin with the same coded bytes, and libraries that know them by those alone.

import CameraCore
import Foundation
import GRDB
import MediaFormats
import StillCodecs
import TestSupport
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

  private static func facts(_ data: Data, _ scratch: Scratch, name: String = "a.png") throws -> FileFacts {
    let file = scratch.url.appendingPathComponent("facts-\(name)")
    try data.write(to: file)
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

  /// A library with a hidden picture, usually a PNG, as an earlier version kept it.
  private static func earlier(
    _ scratch: Scratch, _ picture: Data? = nil, name: String = "a.png"
  ) async throws -> (id: Asset.ID, picture: Data) {
    let picture = try picture ?? Self.png(lower: 10)
    let facts = try Self.facts(picture, scratch, name: name)
    let former = try #require(facts.formerContentID)
    try scratch.put(picture, name)
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
    return (former, picture)
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

  /// Its digest had a part of the movie in it, which a change of the date changes.
  @Test(arguments: [false, true]) func aShortLivePhotoLosesNothing(isIndexNew: Bool) async throws {
    let scratch = try Scratch()
    let movie = HandMadeMovie.placed().data
    let still = try PhotoAssembly.livePhoto(
      photo: Samples.jpeg(), movieLength: UInt64(movie.count), photoDisplayTime: 0.5)
    let (id, picture) = try await Self.earlier(scratch, still + movie, name: "a.MP.jpg")
    if isIndexNew { try scratch.removeIndex() }
    let library = try await scratch.library()
    try await library.refresh()
    #expect(try await Self.isHidden(id, in: library))
    // It wouldn't be found as the same picture afterwards.
    let request = AssetChangeRequest(for: id, creationDate: Date(timeIntervalSince1970: 1_600_000_000))
    await #expect(throws: PhotoLibraryError.self) { try await library.performChanges { $0.change(request) } }
    try await library.refresh()
    #expect(try await Self.isHidden(id, in: library))
    #expect(try Data(contentsOf: scratch.pictures.appendingPathComponent("a.MP.jpg")) == picture)
    try await library.performChanges { $0.change(AssetChangeRequest(for: id, isFavorite: true)) }
    #expect(try await library.asset(id: id)?.isFavorite == true)
    #expect(try await library.verify().problems.isEmpty)
    await library.close()
  }
}
