// The times of changed pictures on disks that have no times of change.

import CameraCore
import ForeignDisks
import Foundation
import Testing

@testable import PhotoLibrary

@Suite(.timeLimit(.minutes(30))) struct ChangeTimeTests {
  /// As another computer or a backup program sees a file.
  private struct Seen: Hashable {
    var size: UInt64
    var modified: Int64
  }

  /// There is room in a picture's metadata, so a rating changes neither the length of the file nor, as pictures keep
  /// their times, its date: `verify` took PhotoMe's own change for one of a failing disk, and a backup left it out.
  @Test(arguments: [FileSystemKind.vfat, .exfat]) func aChangeCanBeSeenWithoutTimesOfChange(kind: FileSystemKind)
    async throws
  {
    let scratch = try Scratch()
    let disk = Disk(system: SimulatedFileSystem(kind, at: scratch.path))
    let library = try await scratch.library(disk: disk)
    let asset = try await library.createAsset(
      AssetCreationRequest(photo: Samples.jpeg(), metadata: Samples.metadata()))
    var seen: Set<Seen> = []
    func look() async throws {
      let status = try #require(disk.status(asset.url.path))
      #expect(seen.insert(Seen(size: status.size, modified: status.modified)).inserted)
      let verification = try await library.verify()
      #expect(verification.isClean, "\(verification.problems)")
    }
    try await look()
    for round in 0..<4 {
      try await library.performChanges {
        $0.change(AssetChangeRequest(for: asset.id, isFavorite: round % 2 == 0))
      }
      try await look()
    }
    for shade: UInt8 in [10, 11] {
      try await library.editPhoto(asset.id, shade: shade)
      try await look()
    }
    await library.close()
  }

  @Test func elsewhereAPictureKeepsItsDate() async throws {
    let scratch = try Scratch()
    let library = try await scratch.library()
    let asset = try await library.createAsset(
      AssetCreationRequest(photo: Samples.jpeg(), metadata: Samples.metadata()))
    let before = try #require(Disk().status(asset.url.path))
    try await library.performChanges { $0.change(AssetChangeRequest(for: asset.id, isFavorite: true)) }
    let after = try #require(Disk().status(asset.url.path))
    #expect(after.modified == before.modified)
    #expect(after.changed != before.changed)
    await library.close()
  }
}
