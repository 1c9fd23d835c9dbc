// Changes that can't be finished as they were begun: over newer state, and where there is no folder to keep them in.

import CameraCore
import Foundation
import Testing

@testable import PhotoLibrary

@Suite(.timeLimit(.minutes(30))) struct NewerStateTests {
  private let scratch: Scratch
  private let asset: Asset
  private let token = LibraryFolder.makeToken()

  init() async throws {
    scratch = try Scratch()
    let library = try await scratch.library()
    let photo = try await library.addPhoto()
    try await library.performChanges { $0.change(AssetChangeRequest(for: photo.id, isFavorite: true)) }
    asset = photo
    await library.close()
  }

  private var record: String { ".photome/assets/\(asset.id).json" }

  /// A change of the picture's record that was interrupted.
  private func journal() throws -> Data {
    let temporary = ".photome/incoming/\(token)/.record.\(token).1.tmp"
    try scratch.put(Data(#"{"hidden":true,"version":1}"#.utf8), temporary)
    let mark = try FileMark(of: scratch.pictures.path + "/" + record, disk: Disk())
    return try Journal(steps: [.replace(temporary: temporary, path: record, over: .file(mark))]).json()
  }

  /// Another computer has taken the record back while the change was waiting.
  @Test(arguments: [true, false]) func aRecordThatWasRemovedDoesNotComeBack(isRemoved: Bool) async throws {
    try scratch.put(journal(), ".photome/waiting/\(token).2.json")
    if isRemoved { try FileManager.default.removeItem(at: scratch.pictures.appendingPathComponent(record)) }
    let library = try await scratch.library()
    try await library.refresh()
    #expect(try await library.asset(id: asset.id)?.isHidden == !isRemoved, "\(library.recovery)")
    let kept = scratch.files().filter { $0.hasPrefix(".photome/kept/") }
    #expect(kept.count == (isRemoved ? 2 : 0), "\(kept)")
    await library.close()
  }

  /// A picture that was moved to the trash before an edit of it was finished; or a library from someone else, with a
  /// journal whose picture is where only the user's own trash has one.
  @Test(arguments: [true, false]) func aPictureInTheTrashStaysAsItIs(isOwn: Bool) async throws {
    let trash = scratch.path + "/Trash"
    for name in ["files", "info"] {
      try FileManager.default.createDirectory(atPath: "\(trash)/\(name)", withIntermediateDirectories: true)
    }
    let picture = "\(trash)/files/mine.jpg"
    try FileManager.default.moveItem(atPath: asset.url.path, toPath: picture)
    let source = isOwn ? asset.url.path : "/elsewhere/mine.jpg"
    try Data("[Trash Info]\nPath=\(source)\nDeletionDate=2026-11-22T10:00:00\n".utf8).write(
      to: URL(fileURLWithPath: "\(trash)/info/mine.jpg.trashinfo"))
    let before = try Data(contentsOf: URL(fileURLWithPath: picture))
    let mark = try FileMark(of: picture, disk: Disk())
    let new = try Samples.jpeg(shade: 70)
    let temporary = "2026-11/.new.\(token).1.tmp"
    try scratch.put(new, temporary)
    let recordURL = scratch.pictures.appendingPathComponent(record)
    let recordBefore = try Data(contentsOf: recordURL)
    let newRecord = ".photome/incoming/\(token)/.record.\(token).3.tmp"
    try scratch.put(Data(#"{"hidden":true,"version":1}"#.utf8), newRecord)
    let journal = try Journal(steps: [
      .replace(temporary: temporary, path: "2026-11/\(asset.url.lastPathComponent)", over: .file(mark)),
      .replace(
        temporary: newRecord, path: record, over: .file(try FileMark(of: recordURL.path, disk: Disk()))),
    ]).json()
    try scratch.put(journal, ".photome/journal/\(token).2.json")
    let library = try await scratch.library()
    try await library.refresh()
    #expect(try Data(contentsOf: URL(fileURLWithPath: picture)) == before, "\(library.recovery)")
    #expect(FileManager.default.fileExists(atPath: asset.url.path) == !isOwn)
    if isOwn {
      // Nothing of the edit counts, and nothing of it is lost.
      #expect(try Data(contentsOf: recordURL) == recordBefore)
      let kept = scratch.files().filter { $0.hasPrefix(".photome/kept/") }
      let contents = try kept.map { try Data(contentsOf: scratch.pictures.appendingPathComponent($0)) }
      #expect(contents.contains(new), "\(kept)")
      #expect(library.recovery.contains { $0.description.contains("is in the Trash") }, "\(library.recovery)")
      try await library.restore(try await library.trashedAssets())
      #expect(try Data(contentsOf: asset.url) == before)
      #expect(try await library.asset(id: asset.id)?.isFavorite == true)
      #expect(try await library.verify().problems.isEmpty)
    }
    await library.close()
  }

  enum Obstacle: CaseIterable {
    case link, file
  }

  /// Links or files are where journals are kept that can't be carried out, or that wait.
  @Test(arguments: Obstacle.allCases, [true, false])
  func aChangeIsGivenUpWithoutAFolderToKeepItIn(obstacle: Obstacle, isOld: Bool) async throws {
    let outside = scratch.path + "/outside"
    try FileManager.default.createDirectory(atPath: outside, withIntermediateDirectories: false)
    for name in ["kept", "waiting"] {
      let path = scratch.pictures.path + "/.photome/" + name
      switch obstacle {
      case .link: try FileManager.default.createSymbolicLink(atPath: path, withDestinationPath: outside)
      case .file: try Data("mine".utf8).write(to: URL(fileURLWithPath: path))
      }
    }
    var data = try journal()
    if isOld {
      // Its disk isn't there: it can only wait.
      let new = "2026-10/.new.\(token).3.tmp"
      var journal = Journal(steps: [.replace(temporary: new, path: "2026-10/a.jpg", over: .nothing)])
      journal.disks = ["2026-10"]
      data = try journal.json()
    } else {
      try FileManager.default.removeItem(
        atPath: scratch.pictures.path + "/.photome/incoming/\(token)/.record.\(token).1.tmp")
    }
    try scratch.put(data, ".photome/journal/\(token).2.json")
    for turn in 1...2 {
      let library = try await scratch.library()
      try await library.refresh()
      try await library.performChanges { $0.change(AssetChangeRequest(for: asset.id, isFavorite: turn == 2)) }
      #expect(!scratch.files().contains { $0.hasPrefix(".photome/journal/") }, "\(library.recovery)")
      #expect(
        library.recovery.contains { $0.description.contains("kept_2") } == (turn == 1), "\(library.recovery)")
      await library.close()
    }
    #expect(try FileManager.default.contentsOfDirectory(atPath: outside).isEmpty)
    if obstacle == .file {
      #expect(try Data(contentsOf: scratch.pictures.appendingPathComponent(".photome/kept")) == Data("mine".utf8))
    }
  }
}
