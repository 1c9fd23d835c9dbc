// A clock that is set back while the library is open: no name is used twice, nothing is overwritten, and order stays.

import CameraCore
import Foundation
import Synchronization
import Testing

@testable import PhotoLibrary

@Suite(.timeLimit(.minutes(30))) struct ClockTests {
  /// A manual clock.
  private final class Clock: Sendable {
    private let date = Mutex(Samples.date)

    var now: Date { date.withLock { $0 } }
    func set(_ date: Date) { self.date.withLock { $0 = date } }
  }

  private static let year: TimeInterval = 365 * 86_400
  private let scratch: Scratch
  private let clock = Clock()

  init() throws { scratch = try Scratch() }

  private func library() async throws -> PhotoLibrary { try await scratch.library(now: { [clock] in clock.now }) }

  private func shoot(_ library: PhotoLibrary, shade: Int) async throws -> Asset {
    try await library.createAsset(
      AssetCreationRequest(
        photo: Samples.jpeg(shade: UInt8(shade)), metadata: Samples.metadata(date: clock.now)))
  }

  @Test func shotsBeforeAndAfterKeepTheirNamesAndBytes() async throws {
    let library = try await library()
    try await library.refresh()
    var follower = try await Follower(library)
    var saved: [Asset] = []
    var bytes: [Data] = []
    // Now, a year ago, and the very same milliseconds once more.
    for start in [Samples.date, Samples.date - Self.year, Samples.date, Samples.date - Self.year] {
      for step in 0..<3 {
        clock.set(start + Double(step) / 1000)
        let asset = try await shoot(library, shade: saved.count * 10)
        bytes.append(try Data(contentsOf: asset.url))
        saved.append(asset)
        try await follower.wait { $0.count == saved.count }
      }
    }
    #expect(Set(saved.map(\.id)).count == 12 && Set(saved.map(\.url)).count == 12)
    #expect(saved.filter { $0.url.path.contains("/2025-11/") }.count == 6)
    #expect(saved.filter { $0.url.lastPathComponent.hasSuffix("_2.jpg") }.count == 6)
    for (asset, bytes) in zip(saved, bytes) { #expect(try Data(contentsOf: asset.url) == bytes) }
    let listed = try await library.fetchAssets()
    #expect(listed == saved.sorted(by: Asset.isNewer) && listed == follower.shown)
    #expect(try await library.verify().isClean)
    try await library.rebuild()
    #expect(try await library.fetchAssets() == listed)
    await library.close()
    try scratch.removeIndex()
    let next = try await self.library()
    try await next.refresh()
    #expect(try await next.fetchAssets() == listed)
  }

  @Test func aLivePhotoMayBeginAfterItsEnd() async throws {
    let library = try await library()
    let id = AssetIdentity.makeID()
    let staged = try await library.stage(Samples.jpeg(), id: id, metadata: Samples.metadata(date: clock.now))
    clock.set(Samples.date - Self.year)
    let other = try await shoot(library, shade: 1)
    let live = try await library.createAsset(
      AssetCreationRequest(staged: staged, pairedVideo: Samples.movie(in: library), photoDisplayTime: 1.5))
    #expect(live.id == id && live.isLive && live.created == Samples.date)
    #expect(try await library.fetchAssets() == [live, other])
    #expect(try await library.verify().isClean)
  }

  @Test func changesGoOnInTheirOrder() async throws {
    let library = try await library()
    try await library.refresh()
    var follower = try await Follower(library)
    var assets: [Asset] = []
    for step in 0..<4 { assets.append(try await shoot(library, shade: step)); clock.set(clock.now + 1) }
    let ids = assets.map(\.id)
    let album = try await library.performChanges { $0.createAlbum(title: "Bern").id }
    // One after the other into the album, each a year before the last.
    for id in ids {
      clock.set(clock.now - Self.year)
      try await library.performChanges { $0.change(AssetCollectionChangeRequest(for: album, addAssets: [id])) }
    }
    var options = FetchOptions()
    options.sort = .init(.added, isAscending: true)
    let collection = try #require(try await library.fetchAlbums().first)
    #expect(try await library.fetch(options, in: collection).allAssets().map(\.id) == ids)

    var edit = AssetChangeRequest(for: ids[1], isFavorite: true)
    edit.contentEditingOutput = ContentEditingOutput(
      photo: try Samples.jpeg(shade: 99),
      adjustmentData: AdjustmentData(formatIdentifier: "test", formatVersion: "1", data: Data()))
    let change = edit
    try await library.performChanges { $0.change(change) }
    let trashed = try await library.trash([ids[2]])
    #expect(trashed.first?.deleted == clock.now)
    try await follower.wait { $0.count == 3 && $0.contains { $0.isFavorite && $0.isEdited } }
    clock.set(clock.now - Self.year)
    try await library.restore(trashed)
    try await library.performChanges { $0.change(.revert(ids[1])) }
    try await follower.wait { $0.count == 4 && !$0.contains(where: \.isEdited) }
    #expect(follower.shown.map(\.id) == ids.reversed())
    #expect(try await library.fetch(options, in: collection).allAssets().map(\.id) == ids)
    #expect(try await library.verify().isClean)
  }
}
