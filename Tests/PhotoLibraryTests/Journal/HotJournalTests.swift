// Journals that other processes have left, and what has happened to their files since.

import CameraCore
import Foundation
import Testing

@testable import PhotoLibrary

@Suite(.timeLimit(.minutes(30))) struct HotJournalTests {
  private let token = LibraryFolder.makeToken()

  /// A library with one picture, and what a process that wanted to replace it has left.
  private struct Ground {
    let scratch: Scratch
    let asset: Asset
    let (old, new): (Data, Data)
    let journal: String
    let temporary: String
  }

  private func ground(machine: MachineIdentity? = nil, isOld: Bool = false) async throws -> Ground {
    let scratch = try Scratch()
    let library = try await scratch.library()
    let asset = try await library.createAsset(
      AssetCreationRequest(photo: Samples.jpeg(), metadata: Samples.metadata()))
    await library.close()
    let old = try Data(contentsOf: asset.url)
    let new = old + Data("new".utf8)
    let path = "2026-11/\(asset.url.lastPathComponent)"
    let temporary = ".photome/incoming/\(token)/.new.\(token).1.tmp"
    try scratch.put(new, temporary)
    let mark = try FileMark(of: asset.url.path, disk: Disk())
    var journal = Journal(
      steps: [.replace(temporary: temporary, path: path, over: isOld ? nil : .file(mark))], machine: machine)
    if isOld { journal.version = 1 }
    let name = ".photome/journal/\(token).2.json"
    try scratch.put(journal.json(), name)
    return Ground(scratch: scratch, asset: asset, old: old, new: new, journal: name, temporary: temporary)
  }

  private func pictures(_ scratch: Scratch) throws -> [String: Data] {
    var pictures: [String: Data] = [:]
    for name in scratch.files() where name.hasPrefix("2026-11/") {
      pictures[name] = try Data(contentsOf: scratch.pictures.appendingPathComponent(name))
    }
    return pictures
  }

  @Test(arguments: [true, false]) func aJournalIsFinished(isOld: Bool) async throws {
    let ground = try await ground(isOld: isOld)
    let library = try await ground.scratch.library()
    #expect(library.recovery == [.finishedChange])
    #expect(try Data(contentsOf: ground.asset.url) == ground.new)
    #expect(ground.scratch.remains().isEmpty)
    await library.close()
  }

  /// The journal of an earlier version has no marks, but a time.
  @Test(arguments: [true, false]) func whatWasChangedSinceIsKeptBeside(isOld: Bool) async throws {
    let ground = try await ground(isOld: isOld)
    let retouched = ground.old + Data("retouched".utf8)
    try retouched.write(to: ground.asset.url)
    var times = [timespec(tv_sec: 2_000_000_000, tv_nsec: 0), timespec(tv_sec: 2_000_000_000, tv_nsec: 0)]
    #expect(utimensat(AT_FDCWD, ground.asset.url.path, &times, 0) == 0)
    let library = try await ground.scratch.library()
    let stem = ground.asset.url.deletingPathExtension().lastPathComponent
    let kept = ground.scratch.pictures.appendingPathComponent("2026-11/\(stem) (changed elsewhere).jpg")
    #expect(
      library.recovery == [
        .finishedChange, .keptVersion(of: ground.asset.url.path, as: URL(fileURLWithPath: kept.path)),
      ])
    #expect(try Data(contentsOf: kept) == retouched)
    #expect(try Data(contentsOf: ground.asset.url) == ground.new)
    try await library.refresh()
    #expect(try await library.count() == 2)
    #expect(try await library.verify().isClean)
    await library.close()
  }

  @Test func anOpenLibrarySaysWhatItHasFinished() async throws {
    let ground = try await ground()
    let journal = ground.scratch.pictures.appendingPathComponent(ground.journal)
    let content = try Data(contentsOf: journal)
    try FileManager.default.removeItem(at: journal)
    // The process that will die has its lock until then.
    let lock = try ground.scratch.put(Data(), ".photome/incoming/\(token).lock")
    let descriptor = open(lock.path, O_RDWR | O_CLOEXEC)
    try #require(flock(descriptor, LOCK_EX) == 0)
    let library = try await ground.scratch.library()
    #expect(library.recovery.isEmpty)
    try await library.refresh()
    try content.write(to: journal)
    var warnings = library.warnings().makeAsyncIterator()
    // Its lock counts for nothing: whoever has the library's lock is alone.
    try await library.performChanges { $0.change(AssetChangeRequest(for: ground.asset.id, isHidden: true)) }
    close(descriptor)
    #expect(await warnings.next() == .recovered(.finishedChange))
    #expect(try Data(contentsOf: ground.asset.url) == ground.new)
    await library.close()
  }

  /// Nothing is done over a change that can't be finished.
  @Test func aJournalThatCannotBeFinishedKeepsOthersFromChanging() async throws {
    let ground = try await ground()
    let isFull = Counter()
    let disk = Disk { step, path in
      step == .rename && path.hasSuffix(".jpg") && isFull.value == 0 ? ENOSPC : nil
    }
    let library = try await ground.scratch.library(disk: disk)
    try await library.refresh()
    let error = await #expect(throws: PhotoLibraryError.self) {
      try await library.performChanges { $0.change(AssetChangeRequest(for: ground.asset.id, isHidden: true)) }
    }
    guard case .unfinishedChange = error else {
      Issue.record("\(String(describing: error))")
      return
    }
    #expect(try Data(contentsOf: ground.asset.url) == ground.old)
    isFull.next()
    try await library.performChanges { $0.change(AssetChangeRequest(for: ground.asset.id, isHidden: true)) }
    #expect(try Data(contentsOf: ground.asset.url) == ground.new)
    await library.close()
  }

  /// A change that could be neither finished nor undone comes before the next one, not at the next start over it.
  @Test func aChangeThatCouldNotBeUndoneComesBeforeTheNextOne() async throws {
    let scratch = try Scratch()
    let (isBroken, failures) = (Counter(), Counter())
    let disk = Disk { step, path in
      guard step == .rename, isBroken.value == 1, failures.value > 0 || path.contains("/assets/") else { return nil }
      failures.next()
      return EIO
    }
    let library = try await scratch.library(disk: disk)
    let asset = try await library.createAsset(
      AssetCreationRequest(photo: Samples.jpeg(), metadata: Samples.metadata()))
    isBroken.next()
    let error = await #expect(throws: PhotoLibraryError.self) {
      try await library.performChanges { $0.change(AssetChangeRequest(for: asset.id, isFavorite: true)) }
    }
    guard case .unfinishedChange = error else {
      Issue.record("\(String(describing: error))")
      return
    }
    isBroken.next()
    try await library.performChanges { $0.change(AssetChangeRequest(for: asset.id, isHidden: true)) }
    await library.close()
    let next = try await scratch.library()
    try await next.refresh()
    let found = try #require(try await next.asset(id: asset.id))
    #expect(found.isFavorite && found.isHidden)
    #expect(scratch.remains().isEmpty)
    #expect(try await next.verify().isClean)
    await next.close()
  }

  // MARK: Other computers

  @Test func aJournalOfAnotherComputerIsItsOwnForADay() async throws {
    let other = MachineIdentity(machine: "1", boot: "2", name: "attic")
    let ground = try await ground(machine: other)
    let library = try await ground.scratch.library()
    try await library.refresh()
    #expect(try Data(contentsOf: ground.asset.url) == ground.old)
    let error = await #expect(throws: PhotoLibraryError.self) {
      try await library.performChanges { $0.change(AssetChangeRequest(for: ground.asset.id, isHidden: true)) }
    }
    guard case .unfinishedChange(let reason) = error else {
      Issue.record("\(String(describing: error))")
      return
    }
    #expect(reason.contains("attic"))
    // It never came back.
    var times = [timespec(tv_sec: 1_000_000_000, tv_nsec: 0), timespec(tv_sec: 1_000_000_000, tv_nsec: 0)]
    #expect(utimensat(AT_FDCWD, ground.scratch.pictures.path + "/" + ground.journal, &times, 0) == 0)
    try await library.performChanges { $0.change(AssetChangeRequest(for: ground.asset.id, isHidden: true)) }
    #expect(try Data(contentsOf: ground.asset.url) == ground.new)
    await library.close()
  }

  @Test func aComputerIsKnownByItsIdOrItsRun() {
    let one = MachineIdentity(machine: "1", boot: "2", name: "a")
    #expect(one.isSame(as: MachineIdentity(machine: "1", boot: "9", name: "b")))
    #expect(one.isSame(as: MachineIdentity(machine: "", boot: "2", name: "b")))
    #expect(!one.isSame(as: MachineIdentity(machine: "3", boot: "4", name: "a")))
    #expect(!MachineIdentity(machine: "", boot: "", name: "a").isSame(as: .init(machine: "", boot: "", name: "a")))
    #expect(MachineIdentity(json: one.json) == one)
    #expect(MachineIdentity(json: Data()) == nil)
    #expect(MachineIdentity.this.isSame(as: .this))
  }

  // MARK: Names

  @Test func aKeptVersionHasANameThatFits() {
    let (stem, ending) = LibraryFolder.keptParts(ofName: "IMG_1.MP.jpg")
    #expect(stem == "IMG_1 (changed elsewhere)" && ending == ".MP.jpg")
    for name in [String(repeating: "é", count: 125) + ".jpg", "a." + String(repeating: "b", count: 250), ".hidden"] {
      let (stem, ending) = LibraryFolder.keptParts(ofName: name)
      #expect((stem + ending).utf8.count <= 240 && stem.hasSuffix(" (changed elsewhere)"), "\(name)")
    }
  }

  // MARK: Links

  @Test func aShotOfAMonthThatIsALinkGetsAFolderBesideIt() async throws {
    let scratch = try Scratch()
    let archive = scratch.url.appendingPathComponent("archive", isDirectory: true)
    try FileManager.default.createDirectory(at: archive, withIntermediateDirectories: true)
    try FileManager.default.createDirectory(at: scratch.pictures, withIntermediateDirectories: true)
    try FileManager.default.createSymbolicLink(
      at: scratch.pictures.appendingPathComponent("2026-11"), withDestinationURL: archive)
    let library = try await scratch.library()
    let asset = try await library.createAsset(
      AssetCreationRequest(photo: Samples.jpeg(), metadata: Samples.metadata()))
    try await library.refresh()
    #expect(try await library.fetchAssets() == [asset])
    #expect(asset.url.deletingLastPathComponent().lastPathComponent == "2026-11_2")
    #expect(try FileManager.default.contentsOfDirectory(atPath: archive.path).isEmpty)
    await library.close()
  }
}
