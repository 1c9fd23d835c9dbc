// A month that is a disk of its own, when another disk, or none, is in its place than the library knows.

import CameraCore
import Foundation
import Synchronization
import Testing

@testable import PhotoLibrary

@Suite(.timeLimit(.minutes(30))) struct ExchangedMonthTests {
  private func folder(_ asset: Asset) -> String { asset.url.deletingLastPathComponent().lastPathComponent }

  /// The record and the original of a picture. Another one may have got a record as well, as its name is in this one.
  private func hidden(_ scratch: Scratch, _ asset: Asset) -> [String] {
    scratch.files().filter { $0.hasPrefix(".photome/") && $0.contains(asset.id.description) }
  }

  /// - Parameter isNew: Whether the index is made while the other disk is there.
  @Test(arguments: [false, true]) func aPictureIsNotGoneWhileAnotherDiskIsInItsPlace(isNew: Bool) async throws {
    let disk = try MonthDisk(Scratch())
    let scratch = disk.scratch
    try disk.mount()
    let first = try await disk.library()
    let asset = try await first.shoot()
    try await first.retouch(asset.id)
    await first.close()
    try disk.exchange()
    // A name says nothing about a picture on another disk.
    let name = asset.url.lastPathComponent
    try scratch.put(Samples.jpeg(shade: 90), "2026-11/\(name)")
    let days = Mutex(0.0)
    let index = isNew ? scratch.url.appendingPathComponent("other.sqlite") : nil
    let second = try await disk.library(index: index, now: { Samples.date + days.withLock { $0 } * 86_400 })
    #expect(try await second.fetchAssets().map(\.url.lastPathComponent) == [name])
    #expect(try await second.asset(id: asset.id) == nil)
    for day in [0.0, 31, 400] {
      days.withLock { $0 = day }
      let found = try await second.verify()
      #expect(found.problems.map(\.kind.rawValue) == ["away"], "\(found.problems)")
      #expect(found.clearedRecords == 0 && hidden(scratch, asset).count == 2, "after \(day) days: \(scratch.files())")
    }
    #expect(try await second.forgetMissing() == 0)
    #expect(hidden(scratch, asset).count == 2)
    await second.close()
    try disk.exchange()
    let third = try await disk.library()
    let back = try #require(try await third.asset(id: asset.id))
    #expect(back.isFavorite && back.isEdited && back.url == asset.url)
    // Now the other one's are away.
    let problems = try await third.verify().problems
    #expect(problems.map(\.kind.rawValue) == (isNew ? [] : ["away"]), "\(problems)")
    await third.close()
  }

  /// An edit is killed at each step; before the next start another disk with a picture of that name is mounted.
  @Test func aChangeWaitsWhileAnotherDiskIsInItsPlace() async throws {
    var number = 1
    var waited = 0
    while true {
      let disk = try MonthDisk(Scratch())
      let scratch = disk.scratch
      try disk.mount()
      let death = Death(at: number)
      let dying = try await disk.library(fault: death.disk.fault)
      let asset = try await dying.shoot()
      try await dying.refresh()
      let original = try Data(contentsOf: asset.url)
      death.arm()
      do { try await dying.retouch(asset.id) } catch { #expect(death.hasCome, "\(error)") }
      await Death.bury(dying)
      let isHot = scratch.files().contains { $0.hasPrefix(".photome/journal/") }
      let place = "killed at \(number)"
      number += 1
      guard isHot || !death.hasCome else { continue }
      try disk.exchange()
      let other = try Samples.jpeg(shade: 90)
      try scratch.put(other, "2026-11/\(asset.url.lastPathComponent)")
      for _ in 1...2 {
        let library = try await disk.library()
        await library.close()
      }
      #expect(try Data(contentsOf: asset.url) == other, "\(place)")
      #expect(!scratch.files().contains { $0.hasPrefix(".photome/kept/") }, "\(place): given up")
      try disk.exchange()
      let library = try await disk.library()
      let found = try #require(try await library.asset(id: asset.id))
      if isHot {
        waited += 1
        #expect(library.recovery.contains(.finishedChange), "\(place): \(library.recovery)")
        #expect(found.isEdited && found.isFavorite, "\(place)")
      }
      if found.isEdited { try await library.performChanges { $0.change(.revert(asset.id)) } }
      #expect(try Data(contentsOf: asset.url) == original, "\(place)")
      #expect(scratch.remains().isEmpty, "\(place): \(scratch.remains())")
      await library.close()
      if !death.hasCome { break }
    }
    #expect(waited > 2)
  }

  /// A favorite is the first that is ever written to the library.
  @Test func aDiskIsKnownFromTheFirstChangeOn() async throws {
    let disk = try MonthDisk(Scratch())
    let scratch = disk.scratch
    try disk.mount()
    try scratch.put(Samples.jpeg(), "2026-11/a.jpg")
    let looking = try await disk.library()
    let asset = try #require(try await looking.fetchAssets().first)
    #expect(try FileManager.default.contentsOfDirectory(atPath: disk.path) == ["a.jpg"], "written by looking")
    try await looking.performChanges { $0.change(AssetChangeRequest(for: asset.id, isFavorite: true)) }
    await looking.close()
    try disk.exchange()
    let second = try await disk.library()
    let problems = try await second.verify().problems
    #expect(problems.map(\.kind.rawValue) == ["away"], "\(problems)")
    await second.close()
  }

  /// A disk that takes no mark, such as a card with its switch on, was in the place of one with a mark.
  @Test func aDiskIsKnownAgainAfterOneWithoutAMark() async throws {
    let disk = try MonthDisk(Scratch())
    let scratch = disk.scratch
    func undated(_ shade: UInt8) throws -> Data { ForeignEditors.stripped(try Samples.jpeg(shade: shade)) }
    try scratch.put(undated(5), "2026-10/a.jpg")
    try disk.mount()
    let url = try scratch.put(undated(10), "2026-11/a.jpg")
    let first = try await disk.library()
    let other = try #require(try await first.asset(at: scratch.pictures.appendingPathComponent("2026-10/a.jpg")))
    try await first.performChanges { $0.change(AssetChangeRequest(for: other.id, isFavorite: true)) }
    try await first.refresh()
    let asset = try #require(try await first.asset(at: url))
    await first.close()
    try disk.exchange()
    try scratch.put(undated(90), "2026-11/a.jpg")
    let second = try await disk.library(fault: { _, path in path.contains(".photome-disk.json") ? EROFS : nil })
    #expect(try await second.asset(at: url)?.id != asset.id)
    await second.close()
    try disk.exchange()
    let third = try await disk.library()
    #expect(try await third.asset(at: url)?.id == asset.id)
    // Of the other disk's picture nobody knows where it is.
    #expect(try await third.verify().problems.allSatisfy { $0.assetID != asset.id })
    await third.close()
  }

  // MARK: Folders that are bound

  @Test func aFolderThatIsBoundThereIsADiskAsWell() async throws {
    let disk = try MonthDisk(Scratch(), isBound: true)
    let scratch = disk.scratch
    try disk.mount()
    let first = try await disk.library()
    let asset = try await first.shoot()
    try await first.retouch(asset.id)
    await first.close()
    try disk.unmount()
    let days = Mutex(0.0)
    let second = try await disk.library(now: { Samples.date + days.withLock { $0 } * 86_400 })
    for day in [0.0, 31] {
      days.withLock { $0 = day }
      let found = try await second.verify()
      #expect(found.problems.map(\.kind.rawValue) == ["away"], "\(found.problems)")
      #expect(hidden(scratch, asset).count == 2, "after \(day) days: \(scratch.files())")
    }
    #expect(folder(try await second.shoot(second: 5)) == "2026-11_2", "saved beneath the mount point")
    await second.close()
    try disk.mount()
    let third = try await disk.library()
    #expect(try await third.asset(id: asset.id)?.isEdited == true)
    #expect(try await third.verify().isClean)
    await third.close()
  }

  // MARK: Other indexes

  @Test(arguments: [false, true]) func anIndexThatNeverSawTheDiskSavesNothingBeneathIt(isBound: Bool) async throws {
    let disk = try MonthDisk(Scratch(), isBound: isBound)
    try disk.mount()
    let first = try await disk.library()
    _ = try await first.shoot()
    await first.close()
    try disk.unmount()
    let index = disk.scratch.url.appendingPathComponent("other.sqlite")
    let second = try await disk.library(index: index)
    #expect(folder(try await second.shoot(second: 5)) == "2026-11_2", "saved beneath the mount point")
    try await second.refresh()
    #expect(folder(try await second.shoot(second: 6)) == "2026-11_2", "saved beneath the mount point")
    await second.close()
    try disk.mount()
    let third = try await disk.library(index: index)
    #expect(try await third.count() == 3)
    #expect(folder(try await third.shoot(second: 10)) == "2026-11")
    await third.close()
  }

  /// The disk was copied to the library's own, without its mark, before this index has seen anything.
  @Test func anIndexSaysThatItWaitsForADisk() async throws {
    let disk = try MonthDisk(Scratch())
    let scratch = disk.scratch
    try disk.mount()
    let first = try await disk.library()
    let asset = try await first.shoot()
    let picture = try Data(contentsOf: asset.url)
    await first.close()
    try disk.unmount()
    try scratch.put(picture, "2026-11/\(asset.url.lastPathComponent)")
    let second = try await disk.library(index: scratch.url.appendingPathComponent("other.sqlite"))
    let problems = try await second.verify().problems
    #expect(problems.map(\.kind.rawValue) == ["away"] && problems.first?.path == disk.path, "\(problems)")
    #expect(folder(try await second.shoot(second: 5)) == "2026-11_2")
    // As it is advised.
    let notes = scratch.pictures.appendingPathComponent(".photome/disks")
    for note in try FileManager.default.contentsOfDirectory(at: notes, includingPropertiesForKeys: nil) {
      #expect(problems.first?.advice.contains(note.path) == true)
      try FileManager.default.removeItem(at: note)
    }
    #expect(try await second.verify().isClean)
    #expect(folder(try await second.shoot(second: 6)) == "2026-11")
    await second.close()
  }

  // MARK: Disks without room

  @Test(arguments: [ENOSPC, EROFS, EACCES, EIO, ENOTCONN, ENODEV]) func aPictureGoesBesideADiskThatTakesNone(
    code: Int32
  ) async throws {
    let disk = try MonthDisk(Scratch())
    try disk.mount()
    let month = disk.path + "/"
    let library = try await disk.library(fault: { step, path in
      (step == .create || step == .write) && path.hasPrefix(month) ? code : nil
    })
    #expect(folder(try await library.shoot()) == "2026-11_2")
    let source = disk.scratch.url.appendingPathComponent("a.jpg")
    let metadata = try Samples.metadata(date: Samples.date.addingTimeInterval(9))
    try PhotoAssembly.photo(jpeg: Samples.jpeg(shade: 50), metadata: metadata, id: Asset.makeID()).write(to: source)
    let report = try await library.importAssets(from: [source])
    #expect(report.imported.map { folder($0.asset) } == ["2026-11_2"], "\(report)")
    #expect(disk.scratch.remains().isEmpty)
    await library.close()
  }
}
