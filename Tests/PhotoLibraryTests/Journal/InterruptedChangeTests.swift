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
      let asset = try await library.addPhoto()
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
      let asset = try await dying.addPhoto()
      let original = try Data(contentsOf: asset.url)
      try await dying.refresh()
      death.arm()
      do { try await dying.editPhoto(asset.id, shade: 10) } catch { #expect(death.hasCome, "\(error)") }
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
      let asset = try await dying.addPhoto()
      try await dying.editPhoto(asset.id, shade: 20)
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
    let asset = try await window.addPhoto()
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
    let asset = try await library.addPhoto()
    let original = try Data(contentsOf: asset.url)
    try await library.editPhoto(asset.id, shade: 10)
    // A synchronizing program brings a record without the edit.
    let record = ".photome/assets/\(asset.id).json"
    if isRemoved {
      try FileManager.default.removeItem(at: scratch.pictures.appendingPathComponent(record))
    } else {
      try scratch.put(Data(#"{"favorite":true,"version":1}"#.utf8), record)
    }
    try await library.refresh()
    try await library.editPhoto(asset.id, shade: 30)
    #expect(try contents(scratch).contains(original), "a rendering has become the original")
    try await library.performChanges { $0.change(.revert(asset.id)) }
    #expect(try Data(contentsOf: asset.url) == original)
    await library.close()
  }

  // MARK: Other programs

  @Test(arguments: [true, false]) func whatAnotherProgramMadeOfAnEditIsKept(reverts: Bool) async throws {
    let scratch = try Scratch()
    let library = try await scratch.library()
    let asset = try await library.addPhoto()
    try await library.editPhoto(asset.id, shade: 10)
    let retouched = try Data(contentsOf: asset.url) + Data("retouched".utf8)
    try retouched.write(to: asset.url)
    try await library.refresh()
    if reverts {
      try await library.performChanges { $0.change(.revert(asset.id)) }
    } else {
      try await library.editPhoto(asset.id, shade: 30)
    }
    #expect(try contents(scratch).contains(retouched), "the retouched version is gone")
    try await library.refresh()
    #expect(try await library.count() == 2)
    #expect(try await library.verify().isClean)
    // What PhotoMe has made itself needs no copy.
    try await library.editPhoto(asset.id, shade: 50)
    try await library.performChanges { $0.change(AssetChangeRequest(for: asset.id, isFavorite: true)) }
    try await library.editPhoto(asset.id, shade: 60)
    #expect(try await library.count() == 2)
    await library.close()
  }

  /// Another program saves the picture while the change is being prepared; by a rename, or into the file.
  @Test(arguments: [true, false]) func whatIsSavedDuringAChangeIsKept(atomically: Bool) async throws {
    let scratch = try Scratch()
    let first = try await scratch.library()
    let asset = try await first.addPhoto()
    await first.close()
    let retouched = try Data(contentsOf: asset.url) + Data("retouched".utf8)
    let interference = Interference(before: { step, path in step == .write && path.hasSuffix(".tmp") }) {
      try? retouched.write(to: asset.url, options: atomically ? .atomic : [])
    }
    let library = try await scratch.library(disk: interference.disk)
    try await library.refresh()
    interference.arm()
    do { try await library.editPhoto(asset.id, shade: 10) } catch {}
    #expect(interference.hasCome)
    #expect(try contents(scratch).contains(retouched), "what was saved meanwhile is gone")
    await library.close()
  }

  @Test func aPictureUnderTheNameOfAnotherIsNotDeleted() async throws {
    let scratch = try Scratch()
    let first = try await scratch.library()
    let (one, two) = (try await first.addPhoto(shade: 10), try await first.addPhoto(shade: 200, second: 1))
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
}

/// A count that closures share.
final class Counter: Sendable {
  private let count = Atomic<Int>(0)
  var value: Int { count.load(ordering: .sequentiallyConsistent) }
  @discardableResult
  func next() -> Int { count.add(1, ordering: .sequentiallyConsistent).newValue }
}
