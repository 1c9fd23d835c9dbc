// Journals that can't be carried out as they are written: they keep nobody from changing something, and are never
// carried out later.

import CameraCore
import Foundation
import Synchronization
import Testing

@testable import PhotoLibrary

@Suite(.timeLimit(.minutes(30))) struct GivenUpJournalTests {
  private let scratch: Scratch
  private let asset: Asset
  private let token = LibraryFolder.makeToken()

  init() async throws {
    scratch = try Scratch()
    let library = try await scratch.library()
    asset = try await library.shoot()
    try await library.refresh()
    await library.close()
  }

  private var journals: [String] { scratch.files().filter { $0.hasPrefix(".photome/journal/") } }
  private var kept: [String] { scratch.files().filter { $0.hasPrefix(".photome/kept/") } }

  private func isGivenUp(_ note: RecoveryNote) -> Bool {
    if case .couldNotRecover(let path, _) = note { path == scratch.pictures.path + "/.photome/kept" } else { false }
  }

  /// Opens the library twice: it is said once, and changes can be made.
  private func expectGivenUp(_ place: String) async throws {
    for turn in 1...2 {
      let library = try await scratch.library()
      try await library.refresh()
      #expect(library.recovery.filter(isGivenUp).count == (turn == 1 ? 1 : 0), "\(place): \(library.recovery)")
      #expect(journals.isEmpty, "\(place)")
      try await library.performChanges { $0.change(AssetChangeRequest(for: asset.id, isFavorite: turn == 1)) }
      await library.close()
    }
    #expect(kept.contains { $0.contains(token) }, "\(place): \(kept)")
  }

  // MARK: What can't be done at all

  enum Obstacle: String, CaseIterable {
    case link, linkToFile, fileAsFolder, folderAsFile, longName, longPath, noJournal, otherLibrary
  }

  @Test(arguments: Obstacle.allCases) func aJournalThatLeadsNowhereIsGivenUp(obstacle: Obstacle) async throws {
    let outside = scratch.url.appendingPathComponent("outside", isDirectory: true)
    try FileManager.default.createDirectory(at: outside, withIntermediateDirectories: true)
    try Data("mine".utf8).write(to: outside.appendingPathComponent("a"))
    let temporary = ".photome/incoming/\(token)/.new.\(token).1.tmp"
    try scratch.put(Data("new".utf8), temporary)
    var target = "2026-11/b"
    switch obstacle {
    case .link:
      target = "d/a"
      try FileManager.default.createSymbolicLink(
        at: scratch.pictures.appendingPathComponent("d"), withDestinationURL: outside)
    case .linkToFile:
      try FileManager.default.createSymbolicLink(
        at: scratch.pictures.appendingPathComponent(target), withDestinationURL: outside.appendingPathComponent("a"))
    case .fileAsFolder: target = "2026-11/\(asset.url.lastPathComponent)/b"
    case .folderAsFile: try scratch.put(Data(), "\(target)/c")
    case .longName: target = "2026-11/" + String(repeating: "b", count: 300)
    case .longPath: target = String(repeating: "b/", count: 2100) + "b"
    case .noJournal: break
    case .otherLibrary: target = "/etc/b"
    }
    var journal = Journal(steps: [.replace(temporary: temporary, path: target, over: .nothing)])
    journal.machine = MachineIdentity.this
    let data = obstacle == .noJournal ? Data("{".utf8) : try journal.json()
    try scratch.put(data, ".photome/journal/\(token).2.json")
    try await expectGivenUp(obstacle.rawValue)
    #expect(try Data(contentsOf: outside.appendingPathComponent("a")) == Data("mine".utf8))
  }

  /// An edit of a hidden picture; a folder has its name when it is to be finished.
  @Test func aFolderInThePlaceOfAPictureEndsTheChange() async throws {
    let first = try await scratch.library()
    try await first.performChanges { $0.change(AssetChangeRequest(for: asset.id, isHidden: true)) }
    await first.close()
    let rendering = ".photome/incoming/\(token)/.new.\(token).1.tmp"
    try scratch.put(Data("rendering".utf8), rendering)
    let record = ".photome/assets/\(asset.id).json"
    let new = ".photome/incoming/\(token)/.record.\(token).2.tmp"
    try scratch.put(Data(#"{"version":1}"#.utf8), new)
    let path = "2026-11/\(asset.url.lastPathComponent)"
    let disk = Disk()
    let marks =
      [try FileMark(of: asset.url.path, disk: disk)] + [
        try FileMark(of: "\(scratch.pictures.path)/\(record)", disk: disk)
      ]
    let journal = Journal(steps: [
      .replace(temporary: rendering, path: path, over: .file(marks[0])),
      .replace(temporary: new, path: record, over: .file(marks[1])),
    ])
    try scratch.put(journal.json(), ".photome/journal/\(token).3.json")
    try FileManager.default.removeItem(at: asset.url)
    try scratch.put(Data(), "\(path)/letter")
    let second = try await scratch.library()
    try await second.refresh()
    #expect(second.recovery.filter(isGivenUp).count == 1, "\(second.recovery)")
    #expect(journals.isEmpty)
    await second.close()
    // Later, over newer state.
    try FileManager.default.removeItem(at: asset.url)
    try scratch.put(Samples.jpeg(shade: 70), path)
    let third = try await scratch.library()
    try await third.refresh()
    #expect(try Data(contentsOf: asset.url) == Samples.jpeg(shade: 70))
    #expect(kept.count == 3, "\(kept)")
    await third.close()
  }

  // MARK: Another trash

  /// Deleting is interrupted. Then the library is used with another home, and later with the first again.
  @Test func aDeletionToAnotherTrashIsNotMadeLater() async throws {
    var number = 1
    var hot = 0
    while true {
      let ground = try await GivenUpJournalTests()
      let (scratch, asset) = (ground.scratch, ground.asset)
      let death = Death(at: number)
      let dying = try await scratch.library(disk: death.disk)
      try await dying.refresh()
      death.arm()
      do { try await dying.trash([asset.id]) } catch { #expect(death.hasCome, "\(error)") }
      await Death.bury(dying)
      let place = "killed at \(number)"
      let isHot = !ground.journals.isEmpty
      let isThere = FileManager.default.fileExists(atPath: asset.url.path)
      let trash = DesktopTrash(home: scratch.path + "/OtherTrash")
      let other = try await PhotoLibrary.open(at: scratch.pictures, index: scratch.index, disk: Disk(), trash: trash)
      try await other.refresh()
      #expect(ground.journals.isEmpty, "\(place): \(ground.journals)")
      if isHot { #expect(other.recovery.filter(ground.isGivenUp).count == 1, "\(place): \(other.recovery)") }
      if isHot, isThere {
        hot += 1
        try await other.performChanges { $0.change(AssetChangeRequest(for: asset.id, isFavorite: true)) }
      }
      await other.close()
      let first = try await scratch.library()
      try await first.refresh()
      #expect(FileManager.default.fileExists(atPath: asset.url.path) == isThere, "\(place): deleted later")
      if isHot, isThere { #expect(try await first.asset(id: asset.id)?.isFavorite == true, "\(place)") }
      await first.close()
      if !death.hasCome { break }
      number += 1
    }
    #expect(hot > 0)
  }

  // MARK: What may pass

  /// A journal that can't be finished for long keeps nobody from changing something; it is finished when that is possible,
  /// unless something has been changed since.
  @Test(arguments: [true, false]) func aJournalThatCannotBeFinishedForADayWaits(isChanged: Bool) async throws {
    let temporary = ".photome/incoming/\(token)/.new.\(token).1.tmp"
    let new = try Samples.jpeg(shade: 70)
    try scratch.put(new, temporary)
    let mark = try FileMark(of: asset.url.path, disk: Disk())
    let path = "2026-11/\(asset.url.lastPathComponent)"
    let journal = Journal(steps: [.replace(temporary: temporary, path: path, over: .file(mark))])
    let url = try scratch.put(journal.json(), ".photome/journal/\(token).2.json")
    let name = asset.url.lastPathComponent
    let isBroken = Atomic<Bool>(true)
    let disk = Disk { step, path in
      step == .rename && path.hasSuffix(name) && isBroken.load(ordering: .relaxed) ? EIO : nil
    }
    let library = try await scratch.library(disk: disk)
    try await library.refresh()
    let error = await #expect(throws: PhotoLibraryError.self) {
      try await library.performChanges { _ = $0.createAlbum(title: "Bern") }
    }
    guard case .unfinishedChange = error else {
      Issue.record("\(String(describing: error))")
      return
    }
    var times = [timespec(tv_sec: 1_000_000_000, tv_nsec: 0), timespec(tv_sec: 1_000_000_000, tv_nsec: 0)]
    #expect(utimensat(AT_FDCWD, url.path, &times, 0) == 0)
    try await library.performChanges { _ = $0.createAlbum(title: "Bern") }
    #expect(FileManager.default.fileExists(atPath: "\(scratch.pictures.path)/\(temporary)"))
    let old = try Data(contentsOf: asset.url)
    let changed = try Samples.jpeg(shade: 30)
    if isChanged { try changed.write(to: asset.url) }
    #expect(try Data(contentsOf: asset.url) == (isChanged ? changed : old))
    isBroken.store(false, ordering: .relaxed)
    try await library.performChanges { _ = $0.createAlbum(title: "Chur") }
    #expect(try Data(contentsOf: asset.url) == (isChanged ? changed : new))
    #expect(kept.isEmpty == !isChanged, "\(kept)")
    #expect(!scratch.files().contains { $0.contains("journal/") || $0.contains("waiting/") }, "\(scratch.files())")
    await library.close()
  }
}
