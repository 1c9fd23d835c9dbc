// Changes that fail or are interrupted where other programs, other processes or the file system interfere.

import CameraCore
import Foundation
import Synchronization
import Testing

@testable import PhotoLibrary

@Suite(.timeLimit(.minutes(30))) struct InterruptedChangeTests {
  /// A file system without hard links, as FAT and most shares.
  struct Linkless: FileSystem {
    /// Whether it can rename without replacing, which FUSE often can't.
    var renamesNew = true

    func link(_ path: UnsafePointer<CChar>, _ second: UnsafePointer<CChar>) -> Int32 {
      errno = EPERM
      return -1
    }

    func renameNew(_ from: UnsafePointer<CChar>, _ to: UnsafePointer<CChar>) -> Int32 {
      if renamesNew { return KernelFileSystem().renameNew(from, to) }
      errno = EINVAL
      return -1
    }
  }

  /// A file system whose inode numbers are others after each mount, as those of FAT.
  struct Renumbered: FileSystem {
    let mount: UInt

    func lstat(_ path: UnsafePointer<CChar>, _ status: inout Glibc.stat) -> Int32 {
      let code = KernelFileSystem().lstat(path, &status)
      status.st_ino += mount << 32
      return code
    }

    func fstat(_ descriptor: Int32, _ status: inout Glibc.stat) -> Int32 {
      let code = KernelFileSystem().fstat(descriptor, &status)
      status.st_ino += mount << 32
      return code
    }
  }

  /// Runs an action once, before the first step that is the right one.
  final class Interference: Sendable {
    private let isArmed = Atomic<Bool>(false)
    private let isRight: @Sendable (Disk.Step, String) -> Bool
    private let action: @Sendable () -> Void

    init(
      before isRight: @escaping @Sendable (Disk.Step, String) -> Bool, _ action: @escaping @Sendable () -> Void
    ) {
      (self.isRight, self.action) = (isRight, action)
    }

    func arm() { isArmed.store(true, ordering: .sequentiallyConsistent) }
    var hasCome: Bool { !isArmed.load(ordering: .sequentiallyConsistent) }

    var disk: Disk {
      Disk { [self] step, path in
        if isRight(step, path), isArmed.exchange(false, ordering: .sequentiallyConsistent) { action() }
        return nil
      }
    }
  }

  private func put(_ library: PhotoLibrary, shade: UInt8 = 128, second: Double = 0) async throws -> Asset {
    try await library.createAsset(
      AssetCreationRequest(
        photo: Samples.jpeg(shade: shade),
        metadata: Samples.metadata(date: Samples.date.addingTimeInterval(second))))
  }

  private func edit(_ library: PhotoLibrary, _ id: Asset.ID, shade: UInt8) async throws {
    var request = AssetChangeRequest(for: id)
    request.contentEditingOutput = ContentEditingOutput(
      photo: try Samples.jpeg(shade: shade),
      adjustmentData: AdjustmentData(formatIdentifier: "test", formatVersion: "1", data: Data("\(shade)".utf8)))
    let change = request
    try await library.performChanges { $0.change(change) }
  }

  /// The contents of all pictures, originals and files in the trash.
  private func contents(_ scratch: Scratch) throws -> Set<Data> {
    var found: Set<Data> = []
    for top in [scratch.pictures.path, scratch.path + "/Trash"] {
      for name in FileManager.default.enumerator(atPath: top)?.compactMap({ $0 as? String }) ?? []
      where name.hasSuffix(".jpg") {
        found.insert(try Data(contentsOf: URL(fileURLWithPath: "\(top)/\(name)")))
      }
    }
    return found
  }

  // MARK: No hard links

  /// Every step once fails, of a change that replaces a picture and its record.
  @Test(arguments: [true, false], [Disk.Step.create, .rename, .synchronize, .remove])
  func aChangeThatFailsLosesNothingWithoutHardLinks(renamesNew: Bool, step: Disk.Step) async throws {
    var number = 1
    while true {
      let scratch = try Scratch()
      let (count, isArmed) = (Counter(), Counter())
      let fault: @Sendable (Disk.Step, String) -> Int32? = { [number] which, _ in
        guard which == step, isArmed.value > 0 else { return nil }
        return count.next() == number ? ENOSPC : nil
      }
      let disk = Disk(system: Linkless(renamesNew: renamesNew), fault: fault)
      let library = try await scratch.library(disk: disk)
      let asset = try await put(library)
      try await library.refresh()
      let before = try Data(contentsOf: asset.url)
      isArmed.next()
      var failure: (any Error)?
      do {
        try await library.performChanges { $0.change(AssetChangeRequest(for: asset.id, isFavorite: true)) }
      } catch { failure = error }
      let after = try? Data(contentsOf: asset.url)
      if failure != nil {
        // Either undone, or finished by the next one.
        #expect(after != nil, "step \(number): the picture is gone (\(String(describing: failure)))")
        if after != before {
          // The index may have seen the instant in which the picture had no name.
          try await library.refresh()
          #expect(try await library.asset(id: asset.id) != nil)
        }
      }
      await library.close()
      let next = try await scratch.library(disk: Disk(system: Linkless(renamesNew: renamesNew)))
      try await next.refresh()
      #expect(try await next.fetchAssets().map(\.id) == [asset.id], "step \(number)")
      #expect(try await next.verify().isClean, "step \(number)")
      await next.close()
      guard count.value >= number else { break }
      number += 1
    }
    #expect(number > 1)
  }

  /// Every step is once the last one.
  @Test(arguments: [true, false]) func aKillLosesNothingWithoutHardLinks(renamesNew: Bool) async throws {
    var number = 1
    while true {
      let scratch = try Scratch()
      let death = Death(at: number)
      let system = Linkless(renamesNew: renamesNew)
      let dying = try await scratch.library(disk: Disk(system: system, fault: death.disk.fault))
      let asset = try await put(dying)
      let original = try Data(contentsOf: asset.url)
      try await dying.refresh()
      death.arm()
      do { try await edit(dying, asset.id, shade: 10) } catch { #expect(death.hasCome, "\(error)") }
      await Death.bury(dying)
      let isLast = !death.hasCome
      let next = try await scratch.library(disk: Disk(system: system))
      try await next.refresh()
      let found = try await next.fetchAssets()
      #expect(found.map(\.id) == [asset.id], "step \(number): \(scratch.files())")
      #expect(try contents(scratch).contains(original), "step \(number): the original is gone")
      #expect(scratch.remains().isEmpty, "step \(number): \(scratch.remains())")
      let checked = try await next.verify()
      #expect(checked.isClean, "step \(number): \(checked.problems)")
      await next.close()
      if isLast { break }
      number += 1
    }
  }

  // MARK: Other inode numbers

  /// Trashing, killed at each step; the disk is mounted anew before the next start.
  @Test func nothingCountsAsDoneBecauseItsInodeNumberIsAnother() async throws {
    var number = 1
    var finished = 0
    while true {
      let scratch = try Scratch()
      let death = Death(at: number)
      let dying = try await scratch.library(disk: Disk(system: Renumbered(mount: 1), fault: death.disk.fault))
      let asset = try await put(dying)
      try await edit(dying, asset.id, shade: 20)
      try await dying.refresh()
      death.arm()
      do {
        try await dying.performChanges { changes in
          changes.trash([asset.id])
          _ = changes.createAlbum(title: "Bern")
        }
      } catch { #expect(death.hasCome, "\(error)") }
      await Death.bury(dying)
      let isLast = !death.hasCome
      let next = try await scratch.library(disk: Disk(system: Renumbered(mount: 2)))
      try await next.refresh()
      let isThere = FileManager.default.fileExists(atPath: asset.url.path)
      if next.recovery.contains(.finishedChange) {
        finished += 1
        #expect(!isThere, "step \(number): said to be finished, and the picture is where it was")
        #expect(try await next.fetchAlbums().count == 1, "step \(number)")
      }
      let inTrash = FileManager.default.fileExists(
        atPath: "\(scratch.path)/Trash/files/\(asset.url.lastPathComponent)")
      #expect(isThere != inTrash, "step \(number)")
      await next.close()
      if isLast { break }
      number += 1
    }
    #expect(finished > 0)
  }

  // MARK: Hot journals

  /// Another process dies in the middle of a change while the library is open.
  private func leaveJournal(_ scratch: Scratch, hiding id: Asset.ID) throws -> String {
    let token = LibraryFolder.makeToken()
    let temporary = ".photome/incoming/\(token)/.record.\(token).1.tmp"
    try scratch.put(Data(#"{"hidden":true,"version":1}"#.utf8), temporary)
    try scratch.put(Data(), ".photome/incoming/\(token).lock")
    let steps: [JournalStep] = [.replace(temporary: temporary, path: ".photome/assets/\(id).json")]
    var journal = Journal(steps: steps)
    journal.version = 1
    try scratch.put(JSONEncoder().encode(journal), ".photome/journal/\(token).2.json")
    return token
  }

  @Test func aJournalOfADeadProcessIsFinishedBeforeTheNextChange() async throws {
    let scratch = try Scratch()
    let window = try await scratch.library()
    let asset = try await put(window)
    try await window.refresh()
    _ = try leaveJournal(scratch, hiding: asset.id)
    try await window.performChanges { $0.change(AssetChangeRequest(for: asset.id, isFavorite: true)) }
    await window.close()
    let next = try await scratch.library()
    try await next.refresh()
    let found = try #require(try await next.asset(id: asset.id))
    #expect(found.isFavorite, "the change that was made after the other process had died is gone")
    #expect(found.isHidden)
    #expect(scratch.remains().isEmpty)
    #expect(try await next.verify().isClean)
    await next.close()
  }

  // MARK: Originals

  @Test(arguments: [true, false]) func anOriginalIsNeverReplaced(isRemoved: Bool) async throws {
    let scratch = try Scratch()
    let library = try await scratch.library()
    let asset = try await put(library)
    let original = try Data(contentsOf: asset.url)
    try await edit(library, asset.id, shade: 10)
    // A synchronizing program brings a record without the edit.
    let record = ".photome/assets/\(asset.id).json"
    if isRemoved {
      try FileManager.default.removeItem(at: scratch.pictures.appendingPathComponent(record))
    } else {
      try scratch.put(Data(#"{"favorite":true,"version":1}"#.utf8), record)
    }
    try await library.refresh()
    try await edit(library, asset.id, shade: 30)
    #expect(try contents(scratch).contains(original), "a rendering has become the original")
    try await library.performChanges { $0.change(.revert(asset.id)) }
    #expect(try Data(contentsOf: asset.url) == original)
    await library.close()
  }

  // MARK: Other programs

  @Test(arguments: [true, false]) func whatAnotherProgramMadeOfAnEditIsKept(reverts: Bool) async throws {
    let scratch = try Scratch()
    let library = try await scratch.library()
    let asset = try await put(library)
    try await edit(library, asset.id, shade: 10)
    let retouched = try Data(contentsOf: asset.url) + Data("retouched".utf8)
    try retouched.write(to: asset.url)
    try await library.refresh()
    if reverts {
      try await library.performChanges { $0.change(.revert(asset.id)) }
    } else {
      try await edit(library, asset.id, shade: 30)
    }
    #expect(try contents(scratch).contains(retouched), "the retouched version is gone")
    try await library.refresh()
    #expect(try await library.count() == 2)
    #expect(try await library.verify().isClean)
    // What PhotoMe has made itself needs no copy.
    try await edit(library, asset.id, shade: 50)
    try await library.performChanges { $0.change(AssetChangeRequest(for: asset.id, isFavorite: true)) }
    try await edit(library, asset.id, shade: 60)
    #expect(try await library.count() == 2)
    await library.close()
  }

  /// Another program saves the picture while the change is being prepared; by a rename, or into the file.
  @Test(arguments: [true, false]) func whatIsSavedDuringAChangeIsKept(atomically: Bool) async throws {
    let scratch = try Scratch()
    let first = try await scratch.library()
    let asset = try await put(first)
    await first.close()
    let retouched = try Data(contentsOf: asset.url) + Data("retouched".utf8)
    let interference = Interference(before: { step, path in step == .write && path.hasSuffix(".tmp") }) {
      try? retouched.write(to: asset.url, options: atomically ? .atomic : [])
    }
    let library = try await scratch.library(disk: interference.disk)
    try await library.refresh()
    interference.arm()
    do { try await edit(library, asset.id, shade: 10) } catch {}
    #expect(interference.hasCome)
    #expect(try contents(scratch).contains(retouched), "what was saved meanwhile is gone")
    await library.close()
  }

  @Test func aPictureUnderTheNameOfAnotherIsNotDeleted() async throws {
    let scratch = try Scratch()
    let first = try await scratch.library()
    let (one, two) = (try await put(first, shade: 10), try await put(first, shade: 200, second: 1))
    await first.close()
    let second = try Data(contentsOf: two.url)
    let interference = Interference(before: { _, path in path.hasSuffix("/.photome/lock") }) {
      let third = one.url.path + ".swap"
      rename(one.url.path, third)
      rename(two.url.path, one.url.path)
      rename(third, two.url.path)
    }
    let library = try await scratch.library(disk: interference.disk)
    try await library.refresh()
    interference.arm()
    do { try await library.performChanges { $0.deletePermanently([one.id]) } } catch {}
    #expect(interference.hasCome)
    #expect(try contents(scratch).contains(second), "another picture than the one that was shown is gone")
    await library.close()
  }

  // MARK: Links

  @Test func noJournalReachesThroughALink() async throws {
    let scratch = try Scratch()
    let outside = scratch.url.appendingPathComponent("home", isDirectory: true)
    try FileManager.default.createDirectory(at: outside, withIntermediateDirectories: true)
    let precious = outside.appendingPathComponent(".bashrc")
    try Data("mine".utf8).write(to: precious)
    try scratch.put(Data("evil".utf8), "evil")
    try FileManager.default.createSymbolicLink(
      at: scratch.pictures.appendingPathComponent("d"), withDestinationURL: outside)
    var status = stat()
    #expect(lstat(precious.path, &status) == 0)
    let token = LibraryFolder.makeToken()
    let steps: [[JournalStep]] = [
      [.replace(temporary: "evil", path: "d/.bashrc")], [.remove(path: "d/.bashrc", number: UInt64(status.st_ino))],
      [.move(from: "d/.bashrc", to: "stolen", number: UInt64(status.st_ino))],
    ]
    for (number, steps) in steps.enumerated() {
      var journal = Journal(steps: steps)
      journal.version = 1
      try scratch.put(JSONEncoder().encode(journal), ".photome/journal/\(token).\(number).json")
      let library = try await scratch.library()
      #expect(try Data(contentsOf: precious) == Data("mine".utf8), "\(steps)")
      await library.close()
      for name in try FileManager.default.contentsOfDirectory(atPath: scratch.pictures.path + "/.photome/journal") {
        try FileManager.default.removeItem(atPath: scratch.pictures.path + "/.photome/journal/" + name)
      }
    }
  }

  @Test(arguments: ["incoming/0123456789abcdef", "incoming", "originals", "assets", "journal"])
  func aLinkInTheHiddenFolderEmptiesNothing(name: String) async throws {
    let scratch = try Scratch()
    let first = try await scratch.library()
    let asset = try await put(first)
    await first.close()
    let outside = scratch.url.appendingPathComponent("precious/0123456789abcdef", isDirectory: true)
    try FileManager.default.createDirectory(at: outside, withIntermediateDirectories: true)
    let files = ["letter.txt", ".draft.tmp", "\(asset.id).jpg", "\(asset.id).json"]
    for file in files { try Data("mine".utf8).write(to: outside.appendingPathComponent(file)) }
    for file in files { try Data("mine".utf8).write(to: outside.appendingPathComponent("../\(file)").standardized) }
    let link = scratch.pictures.appendingPathComponent(".photome/\(name)")
    try? FileManager.default.removeItem(at: link)
    try FileManager.default.createDirectory(at: link.deletingLastPathComponent(), withIntermediateDirectories: true)
    let target =
      name.contains("/") || name == "assets" || name == "originals" ? outside : outside.deletingLastPathComponent()
    try FileManager.default.createSymbolicLink(at: link, withDestinationURL: target)
    let library = try await scratch.library()
    try? await library.refresh()
    try? await edit(library, asset.id, shade: 10)
    try? await library.performChanges { $0.deletePermanently([asset.id]) }
    _ = try? await library.verify()
    await library.close()
    for folder in [outside, outside.deletingLastPathComponent()] {
      for file in files {
        let data = try? Data(contentsOf: folder.appendingPathComponent(file))
        #expect(data == Data("mine".utf8), "\(folder.lastPathComponent)/\(file)")
      }
    }
  }

  // MARK: Leftovers

  @Test func theFolderOfAnExtensionIsRemovedWithAllInIt() async throws {
    let scratch = try Scratch()
    let token = LibraryFolder.makeToken()
    let folder = ".photome/incoming/\(token)/extension-1"
    try scratch.put(Data("half".utf8), "\(folder)/output.jpg")
    try scratch.put(Data("half".utf8), "\(folder)/a/b/c")
    let precious = scratch.url.appendingPathComponent("precious", isDirectory: true)
    try FileManager.default.createDirectory(at: precious, withIntermediateDirectories: true)
    try Data("mine".utf8).write(to: precious.appendingPathComponent("letter.txt"))
    try FileManager.default.createSymbolicLink(
      at: scratch.pictures.appendingPathComponent("\(folder)/a/link"), withDestinationURL: precious)
    let library = try await scratch.library()
    try await library.refresh()
    #expect(!FileManager.default.fileExists(atPath: scratch.pictures.path + "/.photome/incoming/\(token)"))
    #expect(FileManager.default.fileExists(atPath: precious.path + "/letter.txt"))
    try await library.prepareForCapture()
    let checked = try await library.verify()
    #expect(checked.isClean, "\(checked.problems)")
    await library.close()
  }

  // MARK: Other computers

  private static let other = #"{"boot":"0000000000000001","machine":"0000000000000002","name":"attic"}"#

  @Test func whatAnotherComputerIsWritingIsLeftAlone() async throws {
    let scratch = try Scratch()
    let token = LibraryFolder.makeToken()
    let temporary = LibraryFolder.temporaryName(for: "IMG_1", token: token, number: 1)
    try scratch.put(Data(Self.other.utf8), ".photome/incoming/\(token).lock")
    let movie = try scratch.put(Data("half".utf8), ".photome/incoming/\(token)/movie.mp4")
    let half = try scratch.put(Data("half".utf8), "2026-11/\(temporary)")
    let library = try await scratch.library()
    try await library.refresh()
    #expect(library.recovery.isEmpty, "\(library.recovery)")
    #expect(FileManager.default.fileExists(atPath: movie.path) && FileManager.default.fileExists(atPath: half.path))
    await library.close()
  }

  @Test func aChangeIsRefusedWhileAnotherComputerMakesOne() async throws {
    let scratch = try Scratch()
    let library = try await scratch.library()
    let asset = try await put(library)
    try scratch.put(Data(Self.other.utf8), ".photome/lock")
    let error = await #expect(throws: PhotoLibraryError.self) {
      try await library.performChanges { $0.change(AssetChangeRequest(for: asset.id, isFavorite: true)) }
    }
    #expect(error?.description.contains("attic") == true)
    // New pictures are in nobody's way.
    _ = try await put(library, second: 5)
    // It has been away for long.
    var times = [timespec(tv_sec: 1_000_000_000, tv_nsec: 0), timespec(tv_sec: 1_000_000_000, tv_nsec: 0)]
    #expect(utimensat(AT_FDCWD, scratch.pictures.path + "/.photome/lock", &times, 0) == 0)
    try await library.performChanges { $0.change(AssetChangeRequest(for: asset.id, isFavorite: true)) }
    await library.close()
  }
}

/// A count that closures share.
final class Counter: Sendable {
  private let count = Atomic<Int>(0)
  var value: Int { count.load(ordering: .sequentiallyConsistent) }
  @discardableResult
  func next() -> Int { count.add(1, ordering: .sequentiallyConsistent).newValue }
}
