// Pictures whose names others have by now, as another index of the library finds them, or a new one.

import CameraCore
import Foundation
import Synchronization
import Testing

@testable import PhotoLibrary

@Suite(.timeLimit(.minutes(30))) struct ExchangedNameTests {
  enum Move: CaseIterable, Sendable {
    case exchange
    /// Each gets the name of the next one.
    case rotation
    /// One gets another name, and a new picture gets its own.
    case replacement
  }

  enum Index: CaseIterable, Sendable {
    case new
    /// It has seen the pictures before they were changed and moved.
    case behind
  }

  /// A picture without a date, as of a messenger.
  private func undated(_ shade: UInt8) throws -> Data { ForeignEditors.stripped(try Samples.jpeg(shade: shade)) }

  private func library(
    _ scratch: Scratch, _ name: String, _ disk: Disk = Disk()
  ) async throws -> PhotoLibrary {
    let library = try await PhotoLibrary.open(
      at: scratch.pictures, index: scratch.url.appendingPathComponent("\(name).sqlite"), disk: disk,
      trash: scratch.trash)
    try await library.refresh()
    return library
  }

  private func move(_ scratch: Scratch, _ moves: [(old: String, new: String)]) throws {
    func url(_ name: String) -> URL { scratch.pictures.appendingPathComponent(name) }
    for (number, move) in moves.enumerated() {
      try FileManager.default.moveItem(at: url(move.old), to: scratch.url.appendingPathComponent("aside-\(number)"))
    }
    for (number, move) in moves.enumerated() {
      let folder = url(move.new).deletingLastPathComponent()
      try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
      try FileManager.default.moveItem(at: scratch.url.appendingPathComponent("aside-\(number)"), to: url(move.new))
    }
  }

  /// The first picture is hidden, and was perhaps edited or saved by another program. The others may be in folders that
  /// are scanned earlier or later.
  @Test(arguments: Move.allCases, ["2026-09", "2026-10", "2026-11"])
  func contentComesBeforeTheName(kind: Move, month: String) async throws {
    for (index, treatment) in [(Index.new, 0), (.new, 1), (.new, 2), (.behind, 0), (.behind, 1), (.behind, 2)] {
      let scratch = try Scratch()
      let names = ["2026-10/a.jpg", "\(month)/b.jpg", "2026-10/c.jpg"]
      for (number, name) in names.enumerated() { try scratch.put(undated(UInt8(10 + 80 * number)), name) }
      let first = try await library(scratch, "A")
      if index == .behind { await (try library(scratch, "B")).close() }
      if treatment == 2 {
        // The content of the first is another one than its id tells, and so in its record.
        let url = scratch.pictures.appendingPathComponent(names[0])
        try undated(240).write(to: url, options: .atomic)
        try await first.refresh()
      }
      var assets: [Asset] = []
      for name in names {
        assets.append(try #require(try await first.asset(at: scratch.pictures.appendingPathComponent(name))))
      }
      var request = AssetChangeRequest(for: assets[0].id, isFavorite: true, isHidden: true)
      if treatment == 1 {
        request.contentEditingOutput = ContentEditingOutput(
          photo: try Samples.jpeg(shade: 60),
          adjustmentData: AdjustmentData(formatIdentifier: "test", formatVersion: "1", data: Data()))
      }
      let change = request
      let ids = assets.map(\.id)
      try await first.performChanges { changes in
        changes.change(change)
        for id in ids.dropFirst() { changes.change(AssetChangeRequest(for: id, isFavorite: true)) }
      }
      await first.close()
      var places: [String: Asset.ID?] = [:]
      switch kind {
      case .exchange:
        try move(scratch, [(names[0], names[1]), (names[1], names[0])])
        places = [names[1]: ids[0], names[0]: ids[1], names[2]: ids[2]]
      case .rotation:
        try move(scratch, [(names[0], names[1]), (names[1], names[2]), (names[2], names[0])])
        places = [names[1]: ids[0], names[2]: ids[1], names[0]: ids[2]]
      case .replacement:
        let new = "\(month)/private.jpg"
        try move(scratch, [(names[0], new)])
        try scratch.put(undated(130), names[0])
        places = [new: ids[0], names[1]: ids[1], names[2]: ids[2]]
        places.updateValue(nil, forKey: names[0])
      }
      // The first index is behind now.
      for name in ["B", "A", "B"] {
        let library = try await library(scratch, name)
        for (place, id) in places {
          let asset = try #require(try await library.asset(at: scratch.pictures.appendingPathComponent(place)))
          let words: Comment = "\(index), treatment \(treatment), index \(name): \(place) of \(names)"
          if let id { #expect(asset.id == id, words) } else { #expect(!ids.contains(asset.id), words) }
          #expect(asset.isHidden == (id == ids[0]) && asset.isFavorite == (id != nil), words)
          #expect(asset.isEdited == (id == ids[0] && treatment == 1), words)
        }
        let found = try await library.verify()
        #expect(found.isClean, "\(found.problems)")
        await library.close()
      }
    }
  }

  /// A copy, wherever it is scanned, gets nothing, as long as the picture is where its record says.
  @Test(arguments: ["2026-09", "2026-11"]) func aCopyGetsNothing(month: String) async throws {
    let scratch = try Scratch()
    let url = try scratch.put(undated(10), "2026-10/shot.jpg")
    let first = try await library(scratch, "A")
    let asset = try #require(try await first.asset(at: url))
    try await first.performChanges { $0.change(AssetChangeRequest(for: asset.id, isFavorite: true)) }
    await first.close()
    let copy = try scratch.put(Data(contentsOf: url), "\(month)/a.jpg")
    for name in ["B", "A"] {
      let library = try await library(scratch, name)
      #expect(try await library.asset(at: url)?.id == asset.id, "\(name)")
      let other = try #require(try await library.asset(at: copy))
      #expect(other.id != asset.id && !other.isFavorite, "\(name)")
      await library.close()
    }
  }

  /// Another program has saved the picture, and its former version isn't there: a new index finds it by its name.
  @Test func aSavedPictureIsFoundByItsName() async throws {
    let scratch = try Scratch()
    let url = try scratch.put(undated(10), "2026-10/shot.jpg")
    let first = try await library(scratch, "A")
    let asset = try #require(try await first.asset(at: url))
    try await first.performChanges { $0.change(AssetChangeRequest(for: asset.id, isFavorite: true)) }
    await first.close()
    try undated(90).write(to: url, options: .atomic)
    try scratch.put(undated(200), "2026-09/other.jpg")
    for name in ["B", "A"] {
      let library = try await library(scratch, name)
      let now = try #require(try await library.asset(at: url))
      #expect(now.id == asset.id && now.isFavorite, "\(name)")
      await library.close()
    }
  }

  /// One index has hidden the picture. Before the other one looks, somebody copies it, and an editor writes into it.
  @Test func aHiddenPictureIsNotTakenForItsCopy() async throws {
    let scratch = try Scratch()
    let url = try scratch.put(undated(10), "2026-11/m.jpg")
    await (try library(scratch, "B")).close()
    let first = try await library(scratch, "A")
    let asset = try #require(try await first.asset(at: url))
    try await first.performChanges { $0.change(AssetChangeRequest(for: asset.id, isHidden: true)) }
    await first.close()
    try scratch.put(Data(contentsOf: url), "2026-11/a.jpg")
    try undated(90).write(to: url)
    for name in ["B", "A", "B"] {
      let library = try await library(scratch, name)
      let now = try #require(try await library.asset(at: url))
      #expect(now.id == asset.id && now.isHidden, "\(name)")
      await library.close()
    }
  }

  /// A mark has replaced the file, and its picture was renamed. The new picture that has its name now also has the number
  /// that an index knows: that of the replaced file, which the disk gives away again.
  @Test(arguments: [false, true]) func aNumberThatIsGivenAgainIsNotTheFile(isEdited: Bool) async throws {
    let scratch = try Scratch()
    let url = try scratch.put(undated(10), "2026-11/m.jpg")
    await (try library(scratch, "B")).close()
    let number = try number(of: url)
    let first = try await library(scratch, "A")
    let asset = try #require(try await first.asset(at: url))
    if isEdited { try await first.editPhoto(asset.id, shade: 30) }
    try await first.performChanges {
      $0.change(AssetChangeRequest(for: asset.id, isFavorite: true, isHidden: true))
    }
    await first.close()
    let moved = scratch.pictures.appendingPathComponent("2026-11/private.jpg")
    try FileManager.default.moveItem(at: url, to: moved)
    try scratch.put(undated(130), "2026-11/m.jpg")
    let disk = Disk(system: Renumbering([try self.number(of: url): number]))
    for name in ["B", "A", "B"] {
      let library = try await library(scratch, name, disk)
      let now = try #require(try await library.asset(at: moved))
      #expect(now.id == asset.id && now.isHidden && now.isFavorite, "\(name)")
      let other = try #require(try await library.asset(at: url))
      #expect(other.id != asset.id && !other.isHidden && !other.isFavorite, "\(name)")
      await library.close()
    }
  }

  /// A mark has replaced the file. Before the other index looks, somebody copies it, and an editor writes into it.
  @Test func aMarkedPictureIsNotTakenForItsCopy() async throws {
    let scratch = try Scratch()
    let url = try scratch.put(undated(10), "2026-11/m.jpg")
    await (try library(scratch, "B")).close()
    let first = try await library(scratch, "A")
    let asset = try #require(try await first.asset(at: url))
    try await first.performChanges {
      $0.change(AssetChangeRequest(for: asset.id, isFavorite: true, isHidden: true))
    }
    await first.close()
    let copy = try scratch.put(Data(contentsOf: url), "2026-11/a.jpg")
    try undated(90).write(to: url)
    for name in ["B", "A", "B"] {
      let library = try await library(scratch, name)
      let now = try #require(try await library.asset(at: url))
      #expect(now.id == asset.id && now.isHidden && now.isFavorite, "\(name)")
      #expect(try await library.asset(at: copy)?.isHidden == false, "\(name)")
      await library.close()
    }
  }

  private func number(of url: URL) throws -> UInt64 { try #require(Disk().status(url.path)).number }

  /// Shows other inode numbers than those of the disk.
  private final class Renumbering: FileSystem {
    private let shown: [UInt64: UInt64]

    init(_ shown: [UInt64: UInt64]) { self.shown = shown }

    func lstat(_ path: UnsafePointer<CChar>, _ status: inout Glibc.stat) -> Int32 {
      let code = Glibc.lstat(path, &status)
      if let number = shown[UInt64(status.st_ino)] { status.st_ino = ino_t(number) }
      return code
    }

    func fstat(_ descriptor: Int32, _ status: inout Glibc.stat) -> Int32 {
      let code = Glibc.fstat(descriptor, &status)
      if let number = shown[UInt64(status.st_ino)] { status.st_ino = ino_t(number) }
      return code
    }
  }

  /// A new index takes another picture for the edited one, as it has its name. Deleted for good, it takes nothing away
  /// that may be another one's.
  @Test func anOriginalThatMayBeAnotherOnesGoesToTheTrash() async throws {
    let scratch = try Scratch()
    let original = try undated(10)
    let url = try scratch.put(original, "2026-11/m.jpg")
    let first = try await library(scratch, "A")
    let asset = try #require(try await first.asset(at: url))
    try await first.editPhoto(asset.id, shade: 30)
    await first.close()
    try undated(90).write(to: url, options: .atomic)
    let second = try await library(scratch, "B")
    #expect(try await second.asset(id: asset.id)?.url == url)
    try await second.performChanges { $0.deletePermanently([asset.id]) }
    #expect(!FileManager.default.fileExists(atPath: url.path))
    let trash = scratch.path + "/Trash/files"
    let trashed = try FileManager.default.contentsOfDirectory(atPath: trash)
    #expect(trashed.count == 1)
    #expect(try trashed.map { try Data(contentsOf: URL(fileURLWithPath: "\(trash)/\($0)")) } == [original])
    #expect(try await second.verify().isClean)
    await second.close()
  }

  /// Copies of one picture in the same folder, each with a record: what is asked of the disk grows with their number.
  @Test func copiesWithRecordsCostWhatTheyAre() async throws {
    var asked: [Int] = []
    for count in [20, 80] {
      let scratch = try Scratch()
      for number in 0..<count { try scratch.put(undated(10), "2026-11/\(number).jpg") }
      let first = try await library(scratch, "A")
      let ids = try await first.fetchAssets().map(\.id)
      try await first.performChanges { changes in
        for id in ids { changes.change(AssetChangeRequest(for: id, isFavorite: true)) }
      }
      await first.close()
      try move(scratch, (0..<count).map { ("2026-11/\($0).jpg", "Bern/\($0).jpg") })
      let system = Counting()
      let second = try await PhotoLibrary.open(
        at: scratch.pictures, index: scratch.url.appendingPathComponent("A.sqlite"), disk: Disk(system: system),
        trash: scratch.trash)
      try await second.refresh()
      #expect(try await Set(second.fetchAssets().map(\.id)) == Set(ids))
      await second.close()
      asked.append(system.looks.load(ordering: .relaxed))
    }
    #expect(asked[1] < 8 * asked[0], "\(asked)")
  }

  /// Counts the looks at files.
  private final class Counting: FileSystem {
    let looks = Atomic<Int>(0)

    func lstat(_ path: UnsafePointer<CChar>, _ status: inout Glibc.stat) -> Int32 {
      looks.add(1, ordering: .relaxed)
      return Glibc.lstat(path, &status)
    }
  }
}
