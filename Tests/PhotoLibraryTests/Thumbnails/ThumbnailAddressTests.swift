// Thumbnails of hidden and deleted pictures whose addresses are written in other forms, or are those of other files.

import CameraCore
import Foundation
import TestSupport
import Testing

@testable import PhotoLibrary

@Suite(.timeLimit(.minutes(30))) struct ThumbnailAddressTests {
  private let scratch: Scratch

  init() throws { scratch = try Scratch() }

  private func secret(_ library: PhotoLibrary) async throws -> Asset {
    try scratch.put(Samples.jpeg(shade: 20), "a picture with a long name.jpg")
    try await library.refresh()
    return try #require(try await library.fetchAssets().first)
  }

  @Test(arguments: ThumbnailText.allCases) func everyFormOfTextIsRead(text: ThumbnailText) throws {
    let file = scratch.url.appendingPathComponent("a.png")
    try PNGFile.thumbnail(of: "file:///a%20place/%C3%A9.jpg", text).write(to: file)
    #expect(DesktopThumbnails.statedPath(ofThumbnail: file.path) == "/a place/é.jpg")
  }

  /// A text that would be millions of letters isn't read.
  @Test func aFloodIsNoAddress() throws {
    let image = DecodedImage.plain(PixelSize(width: 8, height: 8), green: 255)
    for copies in [20, 30_000] {
      var png = try #require(ThumbnailPNG.encode(image, texts: ["Software": "test"]))
      png.insert(
        contentsOf: PNGFile.chunk("zTXt", Array("Thumb::URI\0\0".utf8) + PNGFile.flood(copies: copies)), at: 33)
      let file = scratch.url.appendingPathComponent("a.png")
      try png.write(to: file)
      #expect(DesktopThumbnails.statedPath(ofThumbnail: file.path) == nil)
      // The short one could be read.
      let text = ThumbnailPNG.Reader(png)?.texts()["Thumb::URI"]
      #expect(text?.utf8.count == (copies == 20 ? 20 * 258 + 1 : nil))
    }
  }

  @Test(arguments: ThumbnailText.allCases) func formerNamesLeaveNone(text: ThumbnailText) async throws {
    let library = try await scratch.library()
    let asset = try await secret(library)
    let former = scratch.pictures.path + "/a former name that is long.jpg"
    let link = scratch.path + "/link"
    try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: scratch.pictures.path)
    let through = link + "/" + asset.url.lastPathComponent
    for path in [former, through, asset.url.path] { try scratch.plantThumbnails(of: path, text) }
    try await library.performChanges { $0.change(AssetChangeRequest(for: asset.id, isHidden: true)) }
    await library.sweptThumbnails()
    for path in [former, through, asset.url.path] { #expect(try scratch.thumbnails(of: path) == [], "\(path)") }
    await library.close()
  }

  /// A program that ends after its command has searched, too: the next start doesn't know what was deleted.
  @Test func aClosedLibraryHasSearchedForWhatItDeleted() async throws {
    let library = try await scratch.library()
    let asset = try await secret(library)
    let link = scratch.path + "/link"
    try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: scratch.pictures.path)
    let through = link + "/" + asset.url.lastPathComponent
    try scratch.plantThumbnails(of: through)
    try await library.performChanges { $0.deletePermanently([asset.id]) }
    await library.close()
    #expect(try scratch.thumbnails(of: through) == [])
  }

  /// A program that was killed before its search had an end: the next one does it, and waits for it.
  @Test(arguments: [true, false]) func aSearchThatWasKilledIsDoneByTheNextStart(isDeleted: Bool) async throws {
    let dying = try await scratch.library()
    let asset = try await secret(dying)
    await dying.sweptThumbnails()
    let link = scratch.path + "/link"
    try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: scratch.pictures.path)
    let through = link + "/" + asset.url.lastPathComponent
    try scratch.plantThumbnails(of: through)
    try #require(dying.thumbnailSweep).hold()
    try await dying.performChanges { changes in
      if isDeleted {
        changes.deletePermanently([asset.id])
      } else {
        changes.change(AssetChangeRequest(for: asset.id, isHidden: true))
      }
    }
    #expect(try dying.index.unswept() == [asset.url.path])
    await dying.close()
    #expect(try scratch.thumbnails(of: through).count == 6)
    let next = try await scratch.library()
    try await next.refresh()
    await next.close()
    #expect(try scratch.thumbnails(of: through) == [])
    let last = try await scratch.library()
    #expect(try last.index.unswept() == [])
    // Nothing is deleted.
    await #expect(throws: PhotoLibraryError.self) {
      try await last.performChanges { changes in
        changes.change(AssetChangeRequest(for: asset.id, isHidden: true))
        changes.deletePermanently(["00000000000000000000000000000000"])
      }
    }
    #expect(try last.index.unswept() == [])
    await last.close()
  }

  // MARK: Originals

  private enum Change: CaseIterable {
    case hiding
    case deleting
    case trashing
    case hidingElsewhere
  }

  /// The original shows the picture as well.
  @Test(arguments: Change.allCases) private func theOriginalOfAnEditedPictureLeavesNone(change: Change) async throws {
    let library = try await scratch.library()
    let asset = try await secret(library)
    try await library.editPhoto(asset.id, shade: 200)
    let name = try #require(scratch.files().first { $0.hasPrefix(".photome/originals/") })
    let original = scratch.pictures.path + "/" + name
    try scratch.plantThumbnails(of: original)
    switch change {
    case .hiding:
      try await library.performChanges { $0.change(AssetChangeRequest(for: asset.id, isHidden: true)) }
    case .deleting: try await library.performChanges { $0.deletePermanently([asset.id]) }
    case .trashing: try await library.trash([asset.id])
    case .hidingElsewhere:
      // The library finishes its own record of the edit first.
      try await library.refresh()
      let path = ".photome/assets/\(asset.id).json"
      let known = try Data(contentsOf: scratch.pictures.appendingPathComponent(path))
      var record = try AssetRecord(json: known, path: path)
      record.isHidden = true
      try scratch.put(record.json, path)
      try await library.refresh()
    }
    #expect(try scratch.thumbnails(of: original) == [])
    await library.close()
  }

  // MARK: The trash

  /// As GNOME's programs call what is in the trash.
  @Test(arguments: [true, false]) func theTrashsOwnAddressesLeaveNone(isRestored: Bool) async throws {
    let library = try await scratch.library()
    let asset = try await secret(library)
    let trashed = try await library.trash([asset.id])
    let path = trashed[0].trashedURL.path
    let uris = [
      "trash:///a%20picture%20with%20a%20long%20name.jpg",
      "trash:///" + path.replacing("/", with: "%5C").replacing(" ", with: "%20"),
    ]
    #expect(Disk.name(of: path) == asset.url.lastPathComponent)
    for uri in uris { try scratch.plantThumbnails(uri: uri) }
    let other = "trash:///another.jpg"
    try scratch.plantThumbnails(uri: other)
    if isRestored { try await library.restore(trashed) } else { try await library.deletePermanently(trashed) }
    for uri in uris { #expect(scratch.thumbnails(uri: uri) == [], "\(uri)") }
    #expect(scratch.thumbnails(uri: other).count == 6)
    await library.close()
  }

  // MARK: Cost

  /// A change removes by digest, and waits for no look at all thumbnails.
  @Test(arguments: [true, false]) func aChangeDoesNotWaitForTheOthers(isDeleted: Bool) async throws {
    let library = try await scratch.library()
    let asset = try await secret(library)
    await library.sweptThumbnails()
    let former = scratch.pictures.path + "/former.jpg"
    for path in [former, asset.url.path] { try scratch.plantThumbnails(of: path) }
    let sweep = try #require(library.thumbnailSweep)
    sweep.hold()
    try await library.performChanges { changes in
      if isDeleted {
        changes.deletePermanently([asset.id])
      } else {
        changes.change(AssetChangeRequest(for: asset.id, isHidden: true))
      }
    }
    #expect(try scratch.thumbnails(of: asset.url.path) == [])
    #expect(try scratch.thumbnails(of: former).count == 6)
    sweep.release()
    await library.sweptThumbnails()
    #expect(try scratch.thumbnails(of: former) == [])
    await library.close()
  }

  /// What came while the program wasn't running.
  @Test func aStartLooksAtAll() async throws {
    var library = try await scratch.library()
    _ = try await secret(library)
    await library.close()
    let former = scratch.pictures.path + "/former.jpg"
    try scratch.plantThumbnails(of: former, .compressed)
    library = try await scratch.library()
    try await library.refresh()
    await library.sweptThumbnails()
    #expect(try scratch.thumbnails(of: former) == [])
    await library.close()
  }
}
