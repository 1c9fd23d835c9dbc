// Hidden and deleted pictures leave no thumbnails, neither on the desktop nor in memory.

import CameraCore
import EngineInterface
import Foundation
import TestSupport
import Testing

@testable import PhotoLibrary

@Suite(.timeLimit(.minutes(30))) struct ConcealmentTests {
  private let scratch: Scratch
  private let manager: ImageManager
  private let sizes = [100, 256, 512].map { PixelSize(width: $0, height: $0) }

  init() throws {
    scratch = try Scratch()
    manager = ImageManager(thumbnailFolder: scratch.thumbnails)
  }

  /// Two pictures with thumbnails of several sizes.
  private func shown(_ library: PhotoLibrary) async throws -> (secret: Asset, other: Asset) {
    try scratch.put(Samples.jpeg(width: 1920, height: 1080), "secret.jpg")
    try scratch.put(Samples.jpeg(width: 1280, height: 960), "other.jpg")
    try await library.refresh()
    let assets = try await library.fetchAssets()
    for asset in assets { try await show(asset) }
    let secret = try #require(assets.first { $0.url.lastPathComponent == "secret.jpg" })
    let other = try #require(assets.first { $0.url.lastPathComponent == "other.jpg" })
    return (secret, other)
  }

  private func show(_ asset: Asset) async throws {
    for size in sizes { _ = try await manager.image(for: asset, targetSize: size) }
    await manager.becomesIdle()
  }

  private enum Change: CaseIterable {
    case hiding
    case deleting
  }

  private func conceal(_ asset: Asset, in library: PhotoLibrary, _ change: Change) async throws {
    try await library.performChanges { changes in
      switch change {
      case .hiding: changes.change(AssetChangeRequest(for: asset.id, isHidden: true))
      case .deleting: changes.deletePermanently([asset.id])
      }
    }
  }

  @Test(arguments: Change.allCases) private func noThumbnailIsLeft(change: Change) async throws {
    let library = try await scratch.library()
    let (secret, other) = try await shown(library)
    try scratch.plantThumbnails(of: secret.url.path)
    try scratch.plantThumbnails(of: other.url.path)
    #expect(try scratch.thumbnails(of: secret.url.path).count >= 6)
    try await conceal(secret, in: library, change)
    #expect(try scratch.thumbnails(of: secret.url.path) == [])
    #expect(try scratch.thumbnails(of: other.url.path).count >= 6)
    #expect(manager.cachedImage(for: secret, targetSize: sizes[0]) == nil)
    #expect(manager.cachedImage(for: other, targetSize: sizes[0]) != nil)
  }

  /// A picture that was renamed before: the thumbnails of its old names are those of nothing in the library anymore.
  @Test(arguments: Change.allCases) private func formerNamesLeaveNoneEither(change: Change) async throws {
    let library = try await scratch.library()
    let (secret, other) = try await shown(library)
    let former = secret.url.path
    try scratch.plantThumbnails(of: former)
    let renamed = secret.url.deletingLastPathComponent().appendingPathComponent("später é #.jpg")
    try FileManager.default.moveItem(at: secret.url, to: renamed)
    try await library.refresh()
    let asset = try #require(try await library.asset(id: secret.id))
    #expect(asset.url.path == renamed.path)
    try scratch.plantThumbnails(of: renamed.path)
    // Of files elsewhere, there or not, nothing is touched.
    let elsewhere = scratch.path + "/Pictures/PhotoMe elsewhere/gone.jpg"
    try scratch.plantThumbnails(of: elsewhere)
    try await conceal(asset, in: library, change)
    #expect(try scratch.thumbnails(of: renamed.path) == [])
    await library.sweptThumbnails()
    #expect(try scratch.thumbnails(of: renamed.path) == [] && scratch.thumbnails(of: former) == [])
    #expect(try scratch.thumbnails(of: other.url.path).isEmpty == false && scratch.thumbnails(of: elsewhere).count == 6)
  }

  /// The Hidden album shows its pictures, and leaves nothing behind.
  @Test func hiddenPicturesGetNone() async throws {
    let library = try await scratch.library()
    let (secret, _) = try await shown(library)
    try await conceal(secret, in: library, .hiding)
    let hidden = try #require(try await library.asset(id: secret.id))
    #expect(hidden.isHidden)
    try await show(hidden)
    // A request that was made before it was hidden is answered, and keeps nothing either.
    try await show(secret)
    #expect(try scratch.thumbnails(of: secret.url.path) == [])
    // Shown again, it is a picture as any other.
    try await library.performChanges { $0.change(AssetChangeRequest(for: secret.id, isHidden: false)) }
    let visible = try #require(try await library.asset(id: secret.id))
    manager.removeCachedImages()
    try await show(visible)
    #expect(try scratch.thumbnails(of: secret.url.path).isEmpty == false)
  }

  /// A folder that is a link: other programs know its pictures by that name as well.
  @Test func theFoldersOtherNameIsKnown() async throws {
    let real = scratch.url.appendingPathComponent("disk/Photos")
    try FileManager.default.createDirectory(at: real, withIntermediateDirectories: true)
    try FileManager.default.createDirectory(
      at: scratch.pictures.deletingLastPathComponent(), withIntermediateDirectories: true)
    try FileManager.default.createSymbolicLink(at: scratch.pictures, withDestinationURL: real)
    let library = try await scratch.library()
    let (secret, _) = try await shown(library)
    #expect(secret.url.path.hasPrefix(real.path))
    let shown = scratch.pictures.path + "/secret.jpg"
    try scratch.plantThumbnails(of: shown)
    try await conceal(secret, in: library, .deleting)
    #expect(try scratch.thumbnails(of: shown) == [] && scratch.thumbnails(of: secret.url.path) == [])
  }
}
