// A month of the library that is a disk of its own, while that disk isn't mounted.

import CameraCore
import Foundation
import Synchronization
import Testing

@testable import PhotoLibrary

@Suite(.timeLimit(.minutes(30))) struct UnmountedMonthTests {
  private func folder(_ asset: Asset) -> String { asset.url.deletingLastPathComponent().lastPathComponent }

  private func hidden(_ scratch: Scratch) -> [String] {
    scratch.files().filter { $0.hasPrefix(".photome/assets") || $0.hasPrefix(".photome/originals") }
  }

  /// Empty, or with a picture.
  @Test(arguments: [true, false]) func aShotWithoutItsDiskGetsAFolderBesideItsMountPoint(isEmpty: Bool) async throws {
    let disk = try MonthDisk(Scratch())
    try disk.mount()
    let first = try await disk.library()
    var shown: [Asset.ID] = []
    if !isEmpty { shown.append(try await first.shoot().id) }
    await first.close()
    try disk.unmount()
    let second = try await disk.library()
    let shot = try await second.shoot(second: 5)
    #expect(folder(shot) == "2026-11_2", "saved beneath the mount point")
    #expect(try await second.shoot(second: 6).url.deletingLastPathComponent() == shot.url.deletingLastPathComponent())
    await second.close()
    try disk.mount()
    let third = try await disk.library()
    #expect(try await third.count() == shown.count + 2)
    #expect(folder(try await third.shoot(second: 10)) == "2026-11")
    #expect(try await third.verify().isClean)
    await third.close()
  }

  /// The still of a live photo that was never finished, and a picture from the trash.
  @Test func whatIsBroughtBackIsNotHiddenEither() async throws {
    let disk = try MonthDisk(Scratch())
    // Before the month was a disk.
    let first = try await disk.library()
    let trashed = try await first.trash([try await first.shoot().id])
    await first.close()
    try disk.mount()
    let second = try await disk.library()
    _ = try await second.shoot(second: 5)
    _ = try await second.stage(Samples.jpeg(), metadata: Samples.metadata(date: Samples.date + 10))
    let staged = try #require(disk.scratch.files().first { $0.hasPrefix(".photome/incoming/") })
    let still = try Data(contentsOf: disk.scratch.pictures.appendingPathComponent(staged))
    await second.close()
    try disk.unmount()
    try disk.scratch.put(still, staged)
    let third = try await disk.library()
    guard case .recoveredPhoto(let saved) = third.recovery.first else {
      Issue.record("\(third.recovery)")
      return
    }
    #expect(saved.deletingLastPathComponent().lastPathComponent == "2026-11_2")
    try await third.restore(trashed)
    #expect(try await third.fetchAssets().map { folder($0) } == ["2026-11_2", "2026-11_2"])
    await third.close()
  }

  /// The disk's pictures were copied to the library's own, and the disk is gone for good.
  @Test func aMonthThatIsNoDiskAnymoreIsUsedAgain() async throws {
    let disk = try MonthDisk(Scratch())
    try disk.mount()
    let first = try await disk.library()
    let asset = try await first.shoot()
    await first.close()
    try disk.unmount()
    try FileManager.default.copyItem(
      atPath: "\(disk.scratch.path)/disk/\(asset.url.lastPathComponent)", toPath: asset.url.path)
    let second = try await disk.library()
    try await second.refresh()
    #expect(folder(try await second.shoot(second: 5)) == "2026-11")
    await second.close()
  }

  // MARK: Pictures that can't be seen now

  /// - Parameter isBeneath: Whether the picture is on the library's own disk, beneath the one that is mounted, or on the
  ///   one that isn't.
  @Test(arguments: [true, false]) func aPictureOnAnotherDiskIsNeverGone(isBeneath: Bool) async throws {
    let disk = try MonthDisk(Scratch())
    let scratch = disk.scratch
    if !isBeneath { try disk.mount() }
    let first = try await disk.library()
    let asset = try await first.shoot()
    try await first.retouch(asset.id)
    await first.close()
    if isBeneath { try disk.mount() } else { try disk.unmount() }
    let days = Mutex(0.0)
    let second = try await disk.library(now: { Samples.date + days.withLock { $0 } * 86_400 })
    #expect(try await second.count() == 0)
    for day in [0.0, 31, 400] {
      days.withLock { $0 = day }
      let found = try await second.verify()
      #expect(found.problems.map(\.kind.rawValue) == ["away"], "\(found.problems)")
      #expect(found.problems.first?.path == asset.url.path && found.clearedRecords == 0)
      #expect(hidden(scratch).count == 2, "after \(day) days: \(scratch.files())")
    }
    #expect(try await second.forgetMissing() == 0)
    #expect(hidden(scratch).count == 2)
    await second.close()
    if isBeneath { try disk.unmount() } else { try disk.mount() }
    let third = try await disk.library()
    let back = try #require(try await third.asset(id: asset.id))
    #expect(back.isFavorite && back.isEdited && back.url == asset.url)
    #expect(try await third.verify().isClean)
    await third.close()
  }
}
