// Journals that cost much: they are read and tried once, and each file is looked at once.

import Foundation
import Synchronization
import Testing

@testable import PhotoLibrary

@Suite(.timeLimit(.minutes(30))) struct HostileJournalTests {
  /// Counts how often the files of a folder are opened and looked at, and refuses one of them.
  private final class Counting: FileSystem {
    let part: String
    let opened = Atomic<Int>(0)
    let looked = Atomic<Int>(0)
    let refuses: Bool

    init(_ part: String, refuses: Bool = false) { (self.part, self.refuses) = (part, refuses) }

    func open(_ path: UnsafePointer<CChar>, _ flags: Int32, _ mode: mode_t) -> Int32 {
      let name = String(cString: path)
      if name.contains(part), name.hasSuffix(".json") || name.hasSuffix(".jpg") { opened.add(1, ordering: .relaxed) }
      return KernelFileSystem().open(path, flags, mode)
    }

    func lstat(_ path: UnsafePointer<CChar>, _ status: inout Glibc.stat) -> Int32 {
      if String(cString: path).contains(part) { looked.add(1, ordering: .relaxed) }
      guard refuses, String(cString: path).hasSuffix("/refused.jpg") else {
        return KernelFileSystem().lstat(path, &status)
      }
      errno = EIO
      return -1
    }
  }

  private let scratch: Scratch
  private let token = LibraryFolder.makeToken()

  init() async throws {
    scratch = try Scratch()
    let library = try await scratch.library()
    _ = try await library.shoot()
    try await library.refresh()
    await library.close()
  }

  private func open(_ system: Counting) async throws -> PhotoLibrary {
    try await PhotoLibrary.open(
      at: scratch.pictures, index: scratch.index, disk: Disk(system: system), trash: scratch.trash)
  }

  private func mark(size: UInt64 = 5, modified: Int64 = 0) throws -> FileMark {
    let path = try scratch.put(Data("12345".utf8), "mark.txt").path
    var mark = try FileMark(of: path, disk: Disk())
    (mark.size, mark.modified) = (size, modified)
    return mark
  }

  private func old(_ url: URL) {
    var times = [timespec(tv_sec: 1_000_000_000, tv_nsec: 0), timespec(tv_sec: 1_000_000_000, tv_nsec: 0)]
    #expect(utimensat(AT_FDCWD, url.path, &times, 0) == 0)
  }

  enum Reason: CaseIterable {
    case away, refused
  }

  /// For a disk that isn't mounted, or because of a long one's file that can't be looked at.
  @Test(arguments: Reason.allCases) func aJournalThatWaitsIsTriedOnce(reason: Reason) async throws {
    let mark = try mark()
    let place = reason == .away ? "2027-01/a.jpg" : "2026-11/refused.jpg"
    var journal = Journal(
      steps: (0..<(reason == .away ? 1 : 400)).map { _ in .remove(path: place, number: 1, file: mark) })
    if reason == .away { journal.disks = ["2027-01"] }
    old(try scratch.put(journal.json(), ".photome/journal/\(token).1.json"))
    let name = ".photome/waiting/\(token).1.json"
    var reads: [Int] = []
    for _ in 1...3 {
      let system = Counting("/.photome/waiting/", refuses: reason == .refused)
      let library = try await open(system)
      // It is said each time.
      #expect(library.recovery.contains { $0.description.contains("can’t be finished yet") }, "\(library.recovery)")
      try await library.performChanges { _ = $0.createAlbum(title: "Bern") }
      #expect(scratch.files().contains(name), "\(scratch.files())")
      reads.append(system.opened.load(ordering: .relaxed))
      await library.close()
    }
    #expect(reads[1] + reads[2] == 0, "\(reads)")
    // What it waits for has come: another picture is there.
    let system = Counting("/.photome/waiting/")
    if reason == .away {
      try scratch.put(Samples.jpeg(shade: 40), place)
    } else {
      try journal.json().write(to: scratch.pictures.appendingPathComponent(name))
    }
    let library = try await open(system)
    #expect(system.opened.load(ordering: .relaxed) > 0)
    #expect(!scratch.files().contains { $0.hasPrefix(".photome/waiting/") }, "\(scratch.files())")
    await library.close()
  }

  /// The rest waits, and is counted.
  @Test func onlySomeJournalsThatWaitAreLookedAt() async throws {
    var journal = Journal(steps: [.remove(path: "2027-01/a.jpg", number: 1, file: try mark())])
    journal.disks = ["2027-01"]
    let most = HotJournals.mostWaiting
    for number in 0..<most + 7 {
      try scratch.put(journal.json(), ".photome/waiting/\(AssetIdentity.hex(UInt64(number))).1.json")
    }
    let system = Counting("/.photome/waiting/")
    let library = try await open(system)
    #expect(library.recovery.count == most + 1)
    #expect(library.recovery.contains { $0.description.contains("7 more") }, "\(library.recovery.last as Any)")
    #expect(system.opened.load(ordering: .relaxed) <= 2 * most)
    #expect(scratch.files().filter { $0.hasPrefix(".photome/waiting/") && $0.hasSuffix(".json") }.count == most + 7)
    await library.close()
  }

  /// The steps name one mark, or each one of its own, and many pictures have its size and its time.
  @Test(arguments: ["one", "samples", "contents"]) func aFileIsReadOnceForManySteps(marks: String) async throws {
    let date = Samples.date
    let count = 30
    for number in 0..<count {
      let url = try scratch.put(Samples.jpeg(shade: 40), "2026-12/\(number).jpg")
      try FileManager.default.setAttributes([.modificationDate: date], ofItemAtPath: url.path)
    }
    var mark = try FileMark(of: scratch.pictures.path + "/2026-12/0.jpg", disk: Disk())
    (mark.changed, mark.number) = (0, 0)
    if marks != "contents" { mark.sample = "another" }
    let steps = (0..<100).map { number in
      var mark = mark
      if marks == "samples" { mark.sample = "\(number)" }
      if marks == "contents" { mark.contents = "\(number)" }
      return JournalStep.remove(path: "2026-12/gone\(number).jpg", number: 1, file: mark)
    }
    let journal = Journal(steps: steps)
    try scratch.put(journal.json(), ".photome/journal/\(token).1.json")
    let system = Counting("/2026-12/")
    let library = try await open(system)
    // The scan in the background reads them, too.
    try await library.refresh()
    #expect(library.recovery.contains(.finishedChange))
    #expect(system.opened.load(ordering: .relaxed) < 10 * count)
    await library.close()
  }

  /// The steps name the inode number of a picture that has very many names, with another time.
  @Test func namesOfOneFileAreNotLookedAtForEachStep() async throws {
    let (links, steps) = (50, 100)
    let first = try scratch.put(Samples.jpeg(shade: 40), "2026-12/0.jpg")
    for number in 1..<links {
      let name = first.deletingLastPathComponent().appendingPathComponent("\(number).jpg")
      #expect(link(first.path, name.path) == 0)
    }
    var mark = try FileMark(of: first.path, disk: Disk())
    mark.modified -= 3_600_000_000_000
    let journal = Journal(steps: (0..<steps).map { .remove(path: "2026-12/gone\($0).jpg", number: 1, file: mark) })
    try scratch.put(journal.json(), ".photome/journal/\(token).1.json")
    let system = Counting("/2026-12/")
    let library = try await open(system)
    try await library.refresh()
    #expect(library.recovery.contains(.finishedChange), "\(library.recovery)")
    #expect(system.looked.load(ordering: .relaxed) < links * steps / 2)
    await library.close()
  }

  /// As many as nobody changes at once.
  @Test func aJournalOfTooManyStepsIsGivenUp() async throws {
    let step = #"{"remove":{"path":"a","number":1}}"#
    let steps = Array(repeating: step, count: Journal.mostSteps + 1).joined(separator: ",")
    try scratch.put(Data(#"{"version":2,"steps":[\#(steps)]}"#.utf8), ".photome/journal/\(token).1.json")
    let library = try await scratch.library()
    #expect(library.recovery.contains { $0.description.contains("too long") }, "\(library.recovery)")
    #expect(scratch.files().contains(".photome/kept/\(token).1.json"))
    await library.close()
    let journal = Journal(
      steps: Array(repeating: .remove(path: "a", number: 1), count: Journal.mostSteps + 1))
    #expect(throws: PhotoLibraryError.self) { _ = try journal.json() }
  }
}
