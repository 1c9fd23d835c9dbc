// Pictures that are hidden or deleted in every other way leave no thumbnails either.

import CameraCore
import Foundation
import Testing

@testable import PhotoLibrary

@Suite(.timeLimit(.minutes(30))) struct ForeignConcealmentTests {
  private let scratch: Scratch

  init() throws { scratch = try Scratch() }

  /// Two pictures with thumbnails.
  private func shown(_ library: PhotoLibrary) async throws -> (secret: Asset, other: Asset) {
    try scratch.put(Samples.jpeg(width: 1920, height: 1080, shade: 20), "secret.jpg")
    try scratch.put(Samples.jpeg(shade: 90), "other.jpg")
    try await library.refresh()
    let assets = try await library.fetchAssets()
    for asset in assets { try scratch.plantThumbnails(of: asset.url.path) }
    return (
      try #require(assets.first { $0.url.lastPathComponent == "secret.jpg" }),
      try #require(assets.first { $0.url.lastPathComponent == "other.jpg" })
    )
  }

  /// The record that another machine or program writes.
  private func hideElsewhere(_ asset: Asset) throws {
    var record = AssetRecord()
    record.isHidden = true
    try scratch.put(record.json, ".photome/assets/\(asset.id).json")
  }

  // MARK: The trash

  @Test func aPictureThatGoesToTheTrashLeavesNone() async throws {
    let library = try await scratch.library()
    let (secret, other) = try await shown(library)
    let manager = ImageManager(thumbnailFolder: scratch.thumbnails)
    let size = PixelSize(width: 256, height: 256)
    _ = try await manager.image(for: secret, targetSize: size)
    let trashed = try await library.trash([secret.id])
    #expect(try scratch.thumbnails(of: secret.url.path) == [])
    #expect(try scratch.thumbnails(of: other.url.path).count == 6)
    #expect(manager.cachedImage(for: secret, targetSize: size) == nil)
    // It comes back as a picture as any other.
    try await library.restore(trashed)
    let back = try #require(try await library.asset(id: secret.id))
    _ = try await manager.image(for: back, targetSize: size)
    await manager.becomesIdle()
    #expect(try scratch.thumbnails(of: secret.url.path).isEmpty == false)
    await library.close()
  }

  @Test(arguments: [true, false]) func whatIsDeletedInTheTrashLeavesNoneThere(isRestored: Bool) async throws {
    let library = try await scratch.library()
    let (secret, _) = try await shown(library)
    let trashed = try await library.trash([secret.id])
    // As a file manager makes them that shows the trash.
    try scratch.plantThumbnails(of: trashed[0].trashedURL.path)
    if isRestored { try await library.restore(trashed) } else { try await library.deletePermanently(trashed) }
    #expect(try scratch.thumbnails(of: trashed[0].trashedURL.path) == [])
    await library.close()
  }

  /// Recently Deleted shows its pictures, and leaves nothing behind.
  @Test func whatIsShownInTheTrashGetsNone() async throws {
    let library = try await scratch.library()
    let (secret, _) = try await shown(library)
    try await library.trash([secret.id])
    let picture = try #require(try await library.trashedPictures().first)
    let manager = ImageManager(thumbnailFolder: scratch.thumbnails)
    let image = try await manager.image(for: picture.asset, targetSize: PixelSize(width: 256, height: 256))
    #expect(image != nil)
    await manager.becomesIdle()
    #expect(try scratch.thumbnails(of: picture.asset.url.path) == [])
    await library.close()
  }

  // MARK: Others

  /// By another machine that has the library on a share, or another program.
  @Test(arguments: [true, false]) func aPictureThatIsHiddenElsewhereLeavesNone(isOpen: Bool) async throws {
    var library = try await scratch.library()
    let (secret, other) = try await shown(library)
    let former = scratch.pictures.path + "/former.jpg"
    try scratch.plantThumbnails(of: former)
    if !isOpen { await library.close() }
    try hideElsewhere(secret)
    if !isOpen { library = try await scratch.library() }
    try await library.refresh()
    #expect(try await library.asset(id: secret.id)?.isHidden == true)
    #expect(try scratch.thumbnails(of: secret.url.path) == [])
    await library.sweptThumbnails()
    #expect(try scratch.thumbnails(of: former) == [])
    #expect(try scratch.thumbnails(of: other.url.path).count == 6)
    // A request that was made before is answered, and keeps nothing.
    let manager = ImageManager(thumbnailFolder: scratch.thumbnails)
    _ = try await manager.image(for: secret, targetSize: PixelSize(width: 256, height: 256))
    await manager.becomesIdle()
    #expect(try scratch.thumbnails(of: secret.url.path) == [])
    // Shown again there, it gets thumbnails here.
    try scratch.put(AssetRecord().json, ".photome/assets/\(secret.id).json")
    try await library.refresh()
    let visible = try #require(try await library.asset(id: secret.id))
    #expect(!visible.isHidden)
    _ = try await manager.image(for: visible, targetSize: PixelSize(width: 512, height: 512))
    await manager.becomesIdle()
    #expect(try scratch.thumbnails(of: secret.url.path).isEmpty == false)
    await library.close()
  }

  /// Another process with the same index has taken the record in, and knows no thumbnails.
  @Test func aPictureThatAnotherProcessHidesLeavesNone() async throws {
    let library = try await scratch.library()
    let (secret, other) = try await shown(library)
    let second = try await PhotoLibrary.open(
      at: scratch.pictures, index: scratch.index, disk: Disk(), trash: scratch.trash)
    try await second.performChanges { $0.change(AssetChangeRequest(for: secret.id, isHidden: true)) }
    try await library.refresh()
    #expect(try scratch.thumbnails(of: secret.url.path) == [])
    #expect(try scratch.thumbnails(of: other.url.path).count == 6)
    await second.close()
    await library.close()
  }

  @Test func aPictureThatAnotherProgramRemovesLeavesNone() async throws {
    let library = try await scratch.library()
    let (secret, other) = try await shown(library)
    try FileManager.default.removeItem(at: secret.url)
    try await library.refresh()
    await library.sweptThumbnails()
    #expect(try scratch.thumbnails(of: secret.url.path) == [])
    #expect(try scratch.thumbnails(of: other.url.path).count == 6)
    await library.close()
  }

  /// Hidden before, while thumbnails were made: the next start removes them.
  @Test func aStartRemovesThoseOfHiddenPictures() async throws {
    var library = try await scratch.library()
    let (secret, _) = try await shown(library)
    try await library.performChanges { $0.change(AssetChangeRequest(for: secret.id, isHidden: true)) }
    await library.close()
    try scratch.plantThumbnails(of: secret.url.path)
    library = try await scratch.library()
    try await library.refresh()
    #expect(try scratch.thumbnails(of: secret.url.path) == [])
    await library.close()
  }

  // MARK: Other paths

  /// A link to the library's folder, or to a folder above, that the library wasn't opened by.
  @Test(arguments: ["", "/.."], [true, false])
  func pathsThroughALinkAreKnown(above: String, isDeleted: Bool) async throws {
    let library = try await scratch.library()
    let (secret, other) = try await shown(library)
    let link = scratch.path + "/link"
    try FileManager.default.createSymbolicLink(
      atPath: link, withDestinationPath: above.isEmpty ? scratch.pictures.path : Disk.parent(of: scratch.pictures.path))
    let through = above.isEmpty ? link : link + "/" + scratch.pictures.lastPathComponent
    try scratch.plantThumbnails(of: through + "/secret.jpg")
    try scratch.plantThumbnails(of: through + "/other.jpg")
    // A file of the same name that is none of ours.
    let elsewhere = scratch.path + "/elsewhere/secret.jpg"
    try FileManager.default.createDirectory(atPath: scratch.path + "/elsewhere", withIntermediateDirectories: true)
    try scratch.plantThumbnails(of: elsewhere)
    try await library.performChanges { changes in
      if isDeleted {
        changes.deletePermanently([secret.id])
      } else {
        changes.change(AssetChangeRequest(for: secret.id, isHidden: true))
      }
    }
    await library.sweptThumbnails()
    #expect(try scratch.thumbnails(of: through + "/secret.jpg") == [])
    #expect(try scratch.thumbnails(of: secret.url.path) == [])
    #expect(try scratch.thumbnails(of: through + "/other.jpg").count == 6)
    #expect(try scratch.thumbnails(of: other.url.path).count == 6 && scratch.thumbnails(of: elsewhere).count == 6)
    await library.close()
  }

  // MARK: Edits

  /// What showed a picture before it was edited, or as it was edited.
  @Test(arguments: [true, false]) func formerVersionsLeaveNone(isReverted: Bool) async throws {
    let library = try await scratch.library()
    let movie = try await Samples.movie(in: library)
    let asset = try await library.createAsset(
      AssetCreationRequest(
        photo: Samples.jpeg(), metadata: Samples.metadata(), pairedVideo: movie, photoDisplayTime: 1.5))
    try scratch.plantThumbnails(of: asset.url.path)
    // A live photo gets another name with a still edit.
    try await library.editPhoto(asset.id, shade: 200)
    let edited = try #require(try await library.asset(id: asset.id))
    #expect(edited.url != asset.url)
    try scratch.plantThumbnails(of: edited.url.path)
    if isReverted { try await library.performChanges { $0.change(.revert(asset.id)) } }
    // Hidden elsewhere: no change of this program takes care of it. First the library finishes its own record of the edit.
    try await library.refresh()
    let path = ".photome/assets/\(asset.id).json"
    var record = AssetRecord()
    if let known = try? Data(contentsOf: scratch.pictures.appendingPathComponent(path)) {
      record = try AssetRecord(json: known, path: path)
    }
    record.isHidden = true
    try scratch.put(record.json, path)
    try await library.refresh()
    #expect(try await library.asset(id: asset.id)?.isHidden == true)
    await library.sweptThumbnails()
    #expect(try scratch.thumbnails(of: asset.url.path) == [] && scratch.thumbnails(of: edited.url.path) == [])
    await library.close()
  }
}
