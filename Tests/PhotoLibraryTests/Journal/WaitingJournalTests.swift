// Changes that were nearly done when they were interrupted, and whose pictures are elsewhere then.

import CameraCore
import Foundation
import Testing

@testable import PhotoLibrary

@Suite(.timeLimit(.minutes(30))) struct WaitingJournalTests {
  /// In another month, under another name, or in the trash.
  enum Move: CaseIterable {
    case renamed, moved, trashed
  }

  /// An edit is killed at each step; before the next start somebody has renamed the picture.
  @Test(arguments: Move.allCases) func anEditIsFinishedThoughItsPictureWasMoved(move: Move) async throws {
    var number = 1
    var finished = 0
    while true {
      let scratch = try Scratch()
      let death = Death(at: number)
      let dying = try await scratch.library(disk: death.disk)
      let asset = try await dying.shoot()
      try await dying.refresh()
      let original = try Data(contentsOf: asset.url)
      death.arm()
      do { try await dying.retouch(asset.id) } catch { #expect(death.hasCome, "\(error)") }
      await Death.bury(dying)
      let place = "killed at \(number)"
      let isRendered = try Data(contentsOf: asset.url) != original
      number += 1
      guard isRendered else { continue }
      let target =
        switch move {
        case .renamed: scratch.pictures.path + "/2026-11/beach.jpg"
        case .moved: scratch.pictures.path + "/Beach/beach.jpg"
        case .trashed: scratch.path + "/Trash/files/beach.jpg"
        }
      try FileManager.default.createDirectory(atPath: Disk.parent(of: target), withIntermediateDirectories: true)
      try FileManager.default.moveItem(atPath: asset.url.path, toPath: target)
      let library = try await scratch.library()
      try await library.refresh()
      finished += 1
      #expect(scratch.remains().isEmpty, "\(place): \(scratch.remains())")
      #expect(!scratch.files().contains { $0.hasPrefix(".photome/kept/") }, "\(place): \(library.recovery)")
      if move == .trashed {
        try FileManager.default.moveItem(atPath: target, toPath: asset.url.path)
        try await library.refresh()
      }
      let found = try #require(try await library.asset(id: asset.id))
      #expect(found.isEdited && found.isFavorite, "\(place)")
      try await library.performChanges { $0.change(.revert(asset.id)) }
      #expect(try Data(contentsOf: found.url) == original, "\(place)")
      await library.close()
      if !death.hasCome { break }
    }
    #expect(finished > 1)
  }

  /// The month is a disk of its own, and isn't mounted at the next start.
  @Test func anEditOnADiskThatIsAwayIsFinishedWhenItIsBack() async throws {
    var number = 1
    var waited = 0
    while true {
      let disk = try MonthDisk(Scratch())
      let scratch = disk.scratch
      try disk.mount()
      let death = Death(at: number)
      let dying = try await disk.library(fault: death.disk.fault)
      let asset = try await dying.shoot()
      let other = try await dying.createAsset(
        AssetCreationRequest(
          photo: Samples.jpeg(shade: 60), metadata: Samples.metadata(date: Samples.date - 90 * 86_400)))
      try await dying.refresh()
      let original = try Data(contentsOf: asset.url)
      death.arm()
      do { try await dying.retouch(asset.id) } catch { #expect(death.hasCome, "\(error)") }
      await Death.bury(dying)
      let isHot = scratch.files().contains { $0.hasPrefix(".photome/journal/") }
      let place = "killed at \(number)"
      number += 1
      // What is left without a journal, other tests look at.
      guard isHot || !death.hasCome else { continue }
      try disk.unmount()
      for turn in 1...2 {
        let library = try await disk.library()
        // It keeps nobody from changing something.
        try await library.performChanges { $0.change(AssetChangeRequest(for: other.id, isFavorite: turn == 1)) }
        if isHot {
          #expect(library.recovery.contains { $0.description.contains("2026-11") }, "\(place): \(library.recovery)")
          let problems = try await library.verify().problems.map(\.kind.rawValue)
          #expect(problems.contains("journal") && !problems.contains("gone"), "\(place): \(problems)")
        }
        await library.close()
      }
      #expect(!scratch.files().contains { $0.hasPrefix(".photome/kept/") }, "\(place): given up")
      try disk.mount()
      let library = try await disk.library()
      let found = try #require(try await library.asset(id: asset.id))
      if isHot {
        waited += 1
        #expect(library.recovery.contains(.finishedChange), "\(place): \(library.recovery)")
        #expect(found.isEdited && found.isFavorite, "\(place)")
      }
      if found.isEdited {
        try await library.performChanges { $0.change(.revert(asset.id)) }
        #expect(try Data(contentsOf: asset.url) == original, "\(place)")
      }
      #expect(try Data(contentsOf: asset.url) == original, "\(place)")
      #expect(scratch.remains().isEmpty, "\(place): \(scratch.remains())")
      let checked = try await library.verify()
      #expect(checked.isClean, "\(place): \(checked.problems)")
      await library.close()
      if !death.hasCome { break }
    }
    #expect(waited > 2)
  }

  /// Somebody has changed the record meanwhile, as a synchronizing program does.
  @Test func aChangeThatHasWaitedIsNotMadeOverNewerState() async throws {
    let disk = try MonthDisk(Scratch())
    let scratch = disk.scratch
    try disk.mount()
    let dying = try await disk.library()
    let asset = try await dying.shoot()
    try await dying.refresh()
    await dying.close()
    let token = LibraryFolder.makeToken()
    let rendering = "2026-11/.new.\(token).1.tmp"
    try scratch.put(Samples.jpeg(shade: 70), rendering)
    let record = ".photome/incoming/\(token)/.record.\(token).2.tmp"
    try scratch.put(Data(#"{"hidden":true,"version":1}"#.utf8), record)
    let before = try Data(contentsOf: asset.url)
    var journal = Journal(steps: [
      .replace(
        temporary: rendering, path: "2026-11/\(asset.url.lastPathComponent)",
        over: .file(try FileMark(of: asset.url.path, disk: Disk()))),
      .replace(temporary: record, path: ".photome/assets/\(asset.id).json", over: .nothing),
    ])
    journal.disks = ["2026-11"]
    try scratch.put(journal.json(), ".photome/journal/\(token).3.json")
    try disk.unmount()
    let without = try await disk.library()
    await without.close()
    let newer = Data(#"{"favorite":true,"version":1}"#.utf8)
    try scratch.put(newer, ".photome/assets/\(asset.id).json")
    try disk.mount()
    let library = try await disk.library()
    #expect(try Data(contentsOf: asset.url) == before)
    #expect(try Data(contentsOf: URL(fileURLWithPath: library.layout.record(asset.id))) == newer)
    #expect(scratch.files().filter { $0.hasPrefix(".photome/kept/") }.count == 2, "\(scratch.files())")
    #expect(try await library.asset(id: asset.id)?.isFavorite == true)
    await library.close()
  }
}
