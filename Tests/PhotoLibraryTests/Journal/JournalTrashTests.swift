// Journals of a library on a disk from elsewhere, whose trash leads to other places.

import CameraCore
import Foundation
import Testing

@testable import PhotoLibrary

@Suite(.timeLimit(.minutes(30))) struct JournalTrashTests {
  /// The trash of a machine on which a folder is a disk of its own.
  private func trash(_ scratch: Scratch, disk top: String) -> DesktopTrash {
    var volumes = Volumes.of(Disk())
    volumes.mountPoints = { ["/", top] }
    return DesktopTrash(home: scratch.path + "/Trash", volumes: volumes)
  }

  private func makeFolder(_ path: String) throws {
    try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
  }

  /// - Returns: A letter of the user's in a folder like a trash, and its info file, which names a file of the library.
  private func secret(_ scratch: Scratch, _ folder: String) throws -> (letter: String, info: String) {
    for name in ["files", "info"] { try makeFolder("\(folder)/\(name)") }
    let (letter, info) = ("\(folder)/files/letter.odt", "\(folder)/info/letter.odt.trashinfo")
    try Data("mine".utf8).write(to: URL(fileURLWithPath: letter))
    let text = "[Trash Info]\nPath=Pictures/PhotoMe/letter.odt\nDeletionDate=2026-11-21T07:31:06\n"
    try Data(text.utf8).write(to: URL(fileURLWithPath: info))
    return (letter, info)
  }

  /// `.Trash-1000` and `.Trash/1000` may be links to any folder of the user who opens the library.
  @Test(arguments: [".Trash-\(geteuid())", ".Trash/\(geteuid())"])
  func aLinkInThePlaceOfATrashIsNotFollowed(name: String) async throws {
    let scratch = try Scratch()
    let home = scratch.path + "/home"
    let (letter, info) = try secret(scratch, home)
    let trash = trash(scratch, disk: scratch.path)
    let link = "\(scratch.path)/\(name)"
    try makeFolder(Disk.parent(of: link))
    if name.contains("/") { #expect(chmod(Disk.parent(of: link), 0o1777) == 0) }
    try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: home)
    try makeFolder(scratch.pictures.path)
    func mark(_ path: String) throws -> FileMark { try FileMark(of: path, disk: Disk()) }
    let steps: [JournalStep] = [
      .remove(path: "\(link)/info/letter.odt.trashinfo", number: try mark(info).number),
      .remove(path: "\(link)/info/letter.odt.trashinfo", number: try mark(info).number, file: try mark(info)),
      .move(
        from: "\(link)/files/letter.odt", to: "letter.odt", number: try mark(letter).number, file: try mark(letter)),
    ]
    for step in steps {
      let token = LibraryFolder.makeToken()
      let url = try scratch.put(Journal(steps: [step]).json(), ".photome/journal/\(token).1.json")
      let library = try await PhotoLibrary.open(
        at: scratch.pictures, index: scratch.index, disk: Disk(), trash: trash)
      try await library.refresh()
      #expect(library.recovery.contains { if case .couldNotRecover = $0 { true } else { false } }, "\(step)")
      #expect(try await library.trashedAssets().isEmpty)
      await library.close()
      for path in [letter, info] { #expect(FileManager.default.fileExists(atPath: path), "\(path) after \(step)") }
      try? FileManager.default.removeItem(at: url)
    }
  }

  /// The folder is exchanged for a link after it was looked at.
  @Test func aLinkThatComesLaterIsNotFollowedEither() throws {
    let scratch = try Scratch()
    let home = scratch.path + "/home"
    let (_, info) = try secret(scratch, home)
    let link = "\(scratch.path)/.Trash-\(geteuid())"
    try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: home)
    let disk = Disk().confined(to: [scratch.pictures.path, scratch.path + "/Trash", scratch.path])
    #expect(throws: PhotoLibraryError.self) { try disk.remove("\(link)/info/letter.odt.trashinfo") }
    #expect(FileManager.default.fileExists(atPath: info))
  }

  /// A library from elsewhere may not put files into the trash that would be restored to anywhere.
  @Test func onlyFilesOfThisLibraryAreMovedToTheTrash() async throws {
    let scratch = try Scratch()
    let first = try await scratch.library()
    _ = try await first.shoot()
    await first.close()
    let trash = scratch.path + "/Trash"
    for name in ["files", "info"] { try makeFolder("\(trash)/\(name)") }
    let (empty, info) = ("\(trash)/files/empty.txt", "\(trash)/info/empty.txt.trashinfo")
    func text(_ path: String) -> Data {
      Data("[Trash Info]\nPath=\(path)\nDeletionDate=2026-11-21T07:31:06\n".utf8)
    }
    try Data().write(to: URL(fileURLWithPath: empty))
    try text("\(scratch.path)/empty.txt").write(to: URL(fileURLWithPath: info))
    let (ours, theirs) = (text("\(scratch.pictures.path)/2026-11/b.jpg"), text("\(scratch.path)/.bash_login"))
    func move(_ from: String, _ to: String) throws -> JournalStep {
      let mark = try FileMark(of: "\(scratch.pictures.path)/\(from)", disk: Disk())
      return .move(from: from, to: "\(trash)/\(to)", number: mark.number, file: mark)
    }
    let cases: [(info: Data, steps: () throws -> [JournalStep])] = [
      (theirs, { [try move("i", "info/b.jpg.trashinfo"), try move("evil", "files/b.jpg")] }),
      // Without the pair.
      (ours, { [try move("evil", "files/b.jpg")] }),
      (ours, { [try move("i", "info/c.jpg.trashinfo"), try move("evil", "files/b.jpg")] }),
      (ours, { [try move("evil", "files/empty.txt")] }),
      (ours, { [try move("i", "info/b.jpg.trashinfo"), try move("evil", "files/empty.txt")] }),
      // Elsewhere in the trash.
      (ours, { [try move("i", "info/b.jpg.trashinfo"), try move("evil", "b.jpg")] }),
      (ours, { [try move("i", "info/b.jpg.trashinfo"), try move("evil", "files/folder/b.jpg")] }),
      (ours, { [try move("i", "info/.trashinfo"), try move("evil", "files/.")] }),
    ]
    func listing() -> [String] {
      (FileManager.default.enumerator(atPath: trash)?.compactMap { $0 as? String } ?? []).sorted()
    }
    let before = listing()
    for (number, one) in cases.enumerated() {
      try scratch.put(one.info, "i")
      try scratch.put(Data("evil".utf8), "evil")
      let url = try scratch.put(
        Journal(steps: one.steps()).json(), ".photome/journal/\(LibraryFolder.makeToken()).1.json")
      let library = try await scratch.library()
      try await library.refresh()
      #expect(listing() == before, "case \(number)")
      #expect(try Data(contentsOf: URL(fileURLWithPath: empty)).isEmpty, "case \(number)")
      #expect(library.recovery.contains { if case .couldNotRecover = $0 { true } else { false } }, "case \(number)")
      await library.close()
      try? FileManager.default.removeItem(at: url)
    }
  }

  @Test func aLinkAmongTheJournalsKeepsNobodyFromChangingSomething() async throws {
    let scratch = try Scratch()
    let library = try await scratch.library()
    let asset = try await library.createAsset(
      AssetCreationRequest(photo: Samples.jpeg(), metadata: Samples.metadata()))
    let journals = scratch.pictures.path + "/.photome/journal"
    try makeFolder(journals)
    let link = "\(journals)/\(LibraryFolder.makeToken()).1.json"
    try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: "/dev/null")
    try await library.performChanges { $0.change(AssetChangeRequest(for: asset.id, isFavorite: true)) }
    #expect(try await library.asset(id: asset.id)?.isFavorite == true)
    await library.close()
  }
}
