// Journals that don't fit the files that are there, or that come with a library from elsewhere.

import CameraCore
import Foundation
import Testing

@testable import PhotoLibrary

@Suite(.timeLimit(.minutes(30))) struct UntrustedJournalTests {
  // MARK: Files that were changed since

  /// Deleting for good is interrupted; then another program saves the picture, which so isn't the one that was deleted.
  @Test func aPictureThatStaysKeepsItsOriginalAndItsRecord() async throws {
    var number = 1
    var stayed = 0
    while true {
      let scratch = try Scratch()
      let death = Death(at: number)
      let dying = try await scratch.library(disk: death.disk)
      let asset = try await dying.createAsset(
        AssetCreationRequest(photo: Samples.jpeg(), metadata: Samples.metadata()))
      var request = AssetChangeRequest(for: asset.id, isFavorite: true)
      request.contentEditingOutput = ContentEditingOutput(
        photo: try Samples.jpeg(shade: 10),
        adjustmentData: AdjustmentData(formatIdentifier: "test", formatVersion: "1", data: Data()))
      let change = request
      try await dying.performChanges { $0.change(change) }
      death.arm()
      do { try await dying.performChanges { $0.deletePermanently([asset.id]) } } catch {
        #expect(death.hasCome, "\(error)")
      }
      await Death.bury(dying)
      if let data = try? Data(contentsOf: asset.url) {
        stayed += 1
        try ForeignEditors.tagged(data, "me").write(to: asset.url)
        let library = try await scratch.library()
        try await library.refresh()
        let found = try await library.asset(id: asset.id)
        #expect(found?.isFavorite == true && found?.isEdited == true, "step \(number): \(scratch.files())")
        #expect(scratch.files().contains(".photome/originals/\(asset.id).jpg"), "step \(number)")
        if scratch.files().contains(where: { $0.hasPrefix(".photome/journal/") }) { Issue.record("step \(number)") }
        await library.close()
      }
      if !death.hasCome { break }
      number += 1
    }
    #expect(stayed > 2)
  }

  // MARK: The trash

  /// A library that comes from someone else, with a journal that names files in the user's trash.
  @Test func noJournalTouchesWhatIsNotOfThisLibraryInTheTrash() async throws {
    let scratch = try Scratch()
    let first = try await scratch.library()
    _ = try await first.createAsset(AssetCreationRequest(photo: Samples.jpeg(), metadata: Samples.metadata()))
    await first.close()
    let trash = scratch.path + "/Trash"
    for name in ["files", "info"] {
      try FileManager.default.createDirectory(atPath: "\(trash)/\(name)", withIntermediateDirectories: true)
    }
    let mine = [
      "files/letter.odt": "mine", "files/IMG_1.jpg": "a picture", "info/IMG_1.jpg.trashinfo": "[Trash Info]\nPath=/a\n",
    ]
    for (name, text) in mine { try Data(text.utf8).write(to: URL(fileURLWithPath: "\(trash)/\(name)")) }
    let (letter, picture, info) = (
      "\(trash)/files/letter.odt", "\(trash)/files/IMG_1.jpg", "\(trash)/info/IMG_1.jpg.trashinfo"
    )
    func number(_ path: String) throws -> UInt64 { try #require(Disk().status(path)).number }
    let token = LibraryFolder.makeToken()
    let evil = ".evil.\(token).2.tmp"
    let mark = try FileMark(of: info, disk: Disk())
    let steps: [JournalStep] = [
      .replace(temporary: evil, path: letter), .replace(temporary: evil, path: letter, over: .nothing),
      .replace(temporary: picture, path: "2026-11/got.jpg", over: .nothing),
      .adopt(temporary: evil, path: "\(trash)/files/new.odt"),
      .adopt(temporary: picture, path: "2026-11/got.jpg"),
      .publish(temporary: picture, folder: "2026-11", stem: "got", ending: ".jpg"),
      .publish(temporary: evil, folder: "\(trash)/files", stem: "new", ending: ".odt"),
      .move(from: picture, to: "2026-11/got.jpg", number: try number(picture)),
      // Whoever has a copy of it can write its mark.
      .move(
        from: picture, to: "2026-11/got.jpg", number: 1, file: try FileMark(of: picture, disk: Disk())),
      .remove(path: info, number: try number(info)), .remove(path: letter, number: try number(letter)),
      .remove(path: letter, number: try number(letter), file: try FileMark(of: letter, disk: Disk())),
      .remove(path: info, number: mark.number, file: mark),
    ]
    for step in steps {
      try scratch.put(Data("evil".utf8), evil)
      let usesMark = "\(step)".contains("file: Optional") || "\(step)".contains("over: Optional")
      var journal = Journal(steps: [step])
      journal.version = usesMark ? 2 : 1
      let url = try scratch.put(JSONEncoder().encode(journal), ".photome/journal/\(token).1.json")
      let library = try await scratch.library()
      try await library.refresh()
      #expect(library.recovery.contains { if case .couldNotRecover = $0 { true } else { false } }, "\(step)")
      await library.close()
      for (name, text) in mine {
        let data = try? Data(contentsOf: URL(fileURLWithPath: "\(trash)/\(name)"))
        #expect(data == Data(text.utf8), "\(name) after \(step)")
      }
      #expect(!scratch.files().contains("2026-11/got.jpg"), "\(step)")
      #expect(!FileManager.default.fileExists(atPath: "\(trash)/files/new.odt"), "\(step)")
      try? FileManager.default.removeItem(at: url)
      for (name, text) in mine { try Data(text.utf8).write(to: URL(fileURLWithPath: "\(trash)/\(name)")) }
    }
  }

  // MARK: Files of others

  /// What a change gives another name, its process has written before; an untouched original comes back so as well.
  @Test func aJournalTakesOnlyFilesThatWerePreparedForIt() async throws {
    let scratch = try Scratch()
    let first = try await scratch.library()
    let asset = try await first.addPhoto()
    let before = try Data(contentsOf: asset.url)
    await first.close()
    let path = "2026-11/\(asset.url.lastPathComponent)"
    let mark = try FileMark(of: asset.url.path, disk: Disk())
    let token = LibraryFolder.makeToken()
    let files = ["letter.odt", "2026-11/mine.jpg", ".photome/originals/letter.jpg", ".letter.\(asset.id).1.tmp"]
    for (number, file) in files.enumerated() {
      let url = try scratch.put(Data("mine".utf8), file)
      for step: JournalStep in [
        .replace(temporary: file, path: path, over: .file(mark)), .adopt(temporary: file, path: "2026-11/got.jpg"),
      ] {
        try scratch.put(Journal(steps: [step]).json(), ".photome/journal/\(token).\(number).json")
        let library = try await scratch.library()
        try await library.refresh()
        #expect(library.recovery.contains { $0.description.contains("weren’t prepared") }, "\(library.recovery)")
        await library.close()
        #expect(try Data(contentsOf: asset.url) == before, "\(step)")
        #expect((try? Data(contentsOf: url)) == Data("mine".utf8), "\(step)")
      }
    }
  }

  // MARK: Times

  private static let other = #"{"boot":"0000000000000001","machine":"0000000000000002","name":"attic"}"#
  /// January 1, 2099.
  private static let future = 4_070_908_800

  private func setTime(_ path: String) {
    var times = [timespec(tv_sec: Self.future, tv_nsec: 0), timespec(tv_sec: Self.future, tv_nsec: 0)]
    #expect(utimensat(AT_FDCWD, path, &times, 0) == 0)
  }

  /// The clock of another computer was wrong, or someone wants to keep the library from being changed for ever.
  @Test func aLockOrAJournalOfTheFutureIsNotWaitedFor() async throws {
    let scratch = try Scratch()
    let library = try await scratch.library()
    let asset = try await library.createAsset(
      AssetCreationRequest(photo: Samples.jpeg(), metadata: Samples.metadata()))
    try scratch.put(Data(Self.other.utf8), ".photome/lock")
    setTime(scratch.pictures.path + "/.photome/lock")
    try await library.performChanges { $0.change(AssetChangeRequest(for: asset.id, isFavorite: true)) }

    let token = LibraryFolder.makeToken()
    let machine = try #require(MachineIdentity(json: Data(Self.other.utf8)))
    let temporary = ".photome/incoming/\(token)/.new.\(token).1.tmp"
    let new = try Data(contentsOf: asset.url) + Data("new".utf8)
    try scratch.put(new, temporary)
    let mark = try FileMark(of: asset.url.path, disk: Disk())
    let path = "2026-11/\(asset.url.lastPathComponent)"
    let journal = Journal(steps: [.replace(temporary: temporary, path: path, over: .file(mark))], machine: machine)
    setTime(try scratch.put(journal.json(), ".photome/journal/\(token).2.json").path)
    setTime(try scratch.put(Data(Self.other.utf8), ".photome/incoming/\(token).lock").path)
    try await library.performChanges { $0.change(AssetChangeRequest(for: asset.id, isHidden: true)) }
    #expect(try Data(contentsOf: asset.url) == new)
    await library.close()
    let half = try scratch.put(Data("half".utf8), "2026-11/.IMG.\(token).3.tmp")
    let next = try await scratch.library()
    try await next.refresh()
    #expect(!FileManager.default.fileExists(atPath: half.path))
    await next.close()
  }
}
