// Pictures whose names others have by now, as another index of the library finds them, or a new one.

import CameraCore
import Foundation
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

  private func library(_ scratch: Scratch, _ name: String) async throws -> PhotoLibrary {
    let library = try await PhotoLibrary.open(
      at: scratch.pictures, index: scratch.url.appendingPathComponent("\(name).sqlite"), disk: Disk(),
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
}
