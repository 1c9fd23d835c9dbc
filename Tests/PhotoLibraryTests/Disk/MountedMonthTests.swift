// A month of the library that is a disk of its own: nothing can be renamed from there to the rest of the library.

import CameraCore
import ForeignDisks
import Foundation
import Testing

@testable import PhotoLibrary

@Suite(.timeLimit(.minutes(30))) struct MountedMonthTests {
  private let scratch: Scratch
  private let asset: Asset
  private let untouched: Data

  init() async throws {
    scratch = try Scratch()
    let library = try await scratch.library()
    asset = try await library.createAsset(AssetCreationRequest(photo: Samples.jpeg(), metadata: Samples.metadata()))
    untouched = try Data(contentsOf: asset.url)
    await library.close()
  }

  /// The same library after its month has become a mount point.
  private func library() async throws -> PhotoLibrary {
    let month = asset.url.deletingLastPathComponent().path
    let disk = Disk(system: SimulatedFileSystem(.nfs, at: month))
    let trash = DesktopTrash(disk: disk, home: scratch.path + "/Trash")
    let library = try await PhotoLibrary.open(at: scratch.pictures, index: scratch.index, disk: disk, trash: trash)
    try await library.refresh()
    return library
  }

  @Test func anEditIsReverted() async throws {
    let library = try await library()
    for shade: UInt8 in [10, 20] {
      try await library.editPhoto(asset.id, shade: shade)
      #expect(try Data(contentsOf: asset.url) != untouched)
      try await library.performChanges { [asset] in $0.change(.revert(asset.id)) }
      #expect(try Data(contentsOf: asset.url) == untouched)
      #expect(!scratch.files().contains { $0.hasPrefix(".photome/originals/") })
    }
    #expect(try await library.verify().isClean)
    await library.close()
  }

  @Test func aPictureGoesToTheTrashAndComesBack() async throws {
    let library = try await library()
    try await library.editPhoto(asset.id, shade: 10)
    let rendering = try Data(contentsOf: asset.url)
    let trashed = try await library.trash([asset.id])
    #expect(trashed.first?.trashedURL.path.hasPrefix(asset.url.deletingLastPathComponent().path + "/.Trash-") == true)
    #expect(try await library.trashedAssets().map(\.id) == [asset.id])
    try await library.restore(trashed)
    #expect(try Data(contentsOf: asset.url) == rendering)
    #expect(try await library.asset(id: asset.id)?.isEdited == true)
    let again = try await library.trash([asset.id])
    try await library.deletePermanently(again)
    #expect(try await library.trashedAssets().isEmpty)
    #expect(scratch.files().filter { $0 != ".photome/lock" } == [], "\(scratch.files())")
    await library.close()
  }
}
