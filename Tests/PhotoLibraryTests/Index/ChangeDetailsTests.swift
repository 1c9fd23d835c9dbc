// Change details: applied to the list before, they give the list after.

import CameraCore
import Foundation
import TestSupport
import Testing

@testable import PhotoLibrary

@Suite(.timeLimit(.minutes(30))) struct ChangeDetailsTests {
  /// A library of empty files with generated metadata.
  private struct World {
    let scratch: Scratch
    let index: LibraryIndex
    let disk = Disk()
    var generator = SeededNumbers.fresh("ChangeDetailsTests")
    static let album = String(repeating: "a", count: 32)

    init() throws {
      scratch = try Scratch()
      for folder in [scratch.pictures.path, scratch.pictures.path + "/.photome/assets"] {
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
      }
      index = try LibraryIndex(url: nil, folder: scratch.pictures, disk: disk)
    }

    static func id(_ number: Int) -> Asset.ID { AssetIdentity.digest(Data("asset \(number)".utf8)) }

    /// Adds, changes or removes a file.
    mutating func changeFile(_ number: Int) throws {
      let path = "\(number).jpg"
      let absolute = scratch.pictures.path + "/" + path
      guard disk.status(absolute) == nil || Int.random(in: 0..<3, using: &generator) > 0 else {
        unlink(absolute)
        #expect(try index.apply([FileSnapshot(path: path, status: nil, facts: nil)]).isEmpty)
        return
      }
      try Data(count: Int.random(in: 0..<4, using: &generator)).write(to: URL(fileURLWithPath: absolute))
      // Few seconds, so that many were taken at the same instant.
      var facts = FileFacts(
        contentID: Self.id(number), mediaType: .photo,
        created: LocalTime(milliseconds: Int64.random(in: 0..<8, using: &generator) * 1000, utcOffset: 0),
        size: PixelSize(width: 4, height: 3))
      facts.burstID = [nil, "one", "two"].randomElement(using: &generator) ?? nil
      facts.isBurstPrimary = facts.burstID != nil && Int.random(in: 0..<4, using: &generator) == 0
      let look = FileSnapshot(path: path, status: disk.status(absolute), facts: facts)
      #expect(try index.apply([look]).isEmpty)
    }

    /// Writes or removes a record, also of a file that isn't there.
    mutating func changeRecord(_ number: Int) throws {
      let path = ".photome/assets/\(Self.id(number)).json"
      let absolute = scratch.pictures.path + "/" + path
      var record: AssetRecord?
      if Bool.random(using: &generator) {
        unlink(absolute)
      } else {
        var new = AssetRecord()
        new.isFavorite = Bool.random(using: &generator)
        new.isHidden = Int.random(in: 0..<4, using: &generator) == 0
        new.isKeyPhoto = Int.random(in: 0..<4, using: &generator) == 0
        if Bool.random(using: &generator) { new.albums[Self.album] = Int64.random(in: 0..<5, using: &generator) }
        try new.json.write(to: URL(fileURLWithPath: absolute))
        record = new
      }
      let look = RecordSnapshot(
        id: Self.id(number), path: path, status: disk.status(absolute), content: .record(record))
      #expect(try index.apply([look]).isEmpty)
    }

    mutating func step() throws {
      for _ in 0..<Int.random(in: 0...5, using: &generator) {
        let number = Int.random(in: 0..<16, using: &generator)
        if Bool.random(using: &generator) { try changeFile(number) } else { try changeRecord(number) }
      }
    }
  }

  private static var queries: [AssetQuery] {
    var queries = [AssetQuery(FetchOptions(), in: nil)]
    for key in FetchOptions.SortKey.allCases {
      for isAscending in [false, true] {
        var options = FetchOptions()
        options.sort = .init(key, isAscending: isAscending)
        queries.append(AssetQuery(options, in: nil))
        let album = AssetCollection(album: World.album, title: "", listID: nil, created: Samples.date)
        queries.append(AssetQuery(options, in: album))
      }
    }
    var grouped = FetchOptions()
    grouped.groupsBursts = true
    let album = AssetCollection(album: World.album, title: "", listID: nil, created: Samples.date)
    for collection in [nil, album] + SmartAlbum.allCases.map({ AssetCollection($0) }) {
      queries.append(AssetQuery(grouped, in: collection))
    }
    queries.append(AssetQuery(FetchOptions(limit: 5), in: nil))
    grouped.limit = 5
    queries.append(AssetQuery(grouped, in: nil))
    queries.append(AssetQuery(FetchOptions(), in: AssetCollection(.favorites)))
    queries.append(AssetQuery(FetchOptions(), in: AssetCollection(.hidden)))
    queries.append(AssetQuery(FetchOptions(), in: AssetCollection(search: "1")))
    queries.append(
      AssetQuery(FetchOptions(), in: AssetCollection(transient: (0..<8).map(World.id), title: "a selection")))
    return queries
  }

  @Test func replayingChangesGivesTheList() throws {
    for _ in 0..<25 {
      var world = try World()
      try world.step()
      var lists = try Self.queries.map { try world.index.fetch($0) }
      for _ in 0..<12 {
        try world.step()
        for (place, before) in lists.enumerated() {
          // Some lists are updated only after several steps.
          if Bool.random(using: &world.generator) { continue }
          let details = try world.index.changeDetails(for: before)
          let fresh = try world.index.fetch(before.query)
          #expect(details.after.numbers == fresh.numbers, "\(before.query.order)\(before.query.restriction)")
          #expect(Replay.numbers(before.numbers, details) == fresh.numbers)
          lists[place] = details.after
          let again = try world.index.changeDetails(for: details.after)
          #expect(again.isEmpty && again.after.numbers == fresh.numbers)
        }
      }
    }
  }

  @Test(arguments: [false, true]) func everythingThatDiffersIsNamed(groupsBursts: Bool) throws {
    var world = try World()
    for number in 0..<10 { try world.changeFile(number) }
    var options = FetchOptions()
    options.groupsBursts = groupsBursts
    for _ in 0..<60 {
      let before = try world.index.fetch(AssetQuery(options, in: nil))
      let assets = try before.allAssets()
      try world.step()
      let details = try world.index.changeDetails(for: before)
      for (place, asset) in try details.after.allAssets().enumerated() {
        guard let old = assets.first(where: { $0.id == asset.id }) else {
          #expect(details.inserted.contains(place))
          continue
        }
        // An asset that was removed and added again is a new one.
        if old != asset { #expect(details.changed.contains(place) || details.inserted.contains(place)) }
      }
    }
  }

  @Test func differencesOfBareLists() {
    var generator = SeededNumbers.fresh()
    for _ in 0..<500 {
      let before = Array((0..<12).shuffled(using: &generator).prefix(Int.random(in: 0...12, using: &generator)))
      let after = Array((0..<12).shuffled(using: &generator).prefix(Int.random(in: 0...12, using: &generator)))
      let difference = ListDifference(from: before, to: after) { $0 % 3 == 0 }
      var list = before
      for place in (difference.removed + difference.moves.map(\.from)).sorted(by: >) { list.remove(at: place) }
      for place in (difference.inserted + difference.moves.map(\.to)).sorted() { list.insert(after[place], at: place) }
      #expect(list == after)
      #expect(difference.changed.allSatisfy { after[$0] % 3 == 0 && before.contains(after[$0]) })
    }
  }

  @Test func anElementThatJumpsIsTheOnlyOneThatMoves() {
    let difference = ListDifference(from: [1, 2, 3, 4, 5], to: [5, 1, 2, 3, 4]) { _ in false }
    #expect(difference.moves == [.init(from: 4, to: 0)])
    #expect(difference.removed.isEmpty && difference.inserted.isEmpty && difference.changed.isEmpty)
  }
}

extension LibraryIndex {
  fileprivate func apply(_ files: [FileSnapshot]) throws -> [String] { try apply(files, [])?.paths ?? [] }

  fileprivate func apply(_ records: [RecordSnapshot]) throws -> [String] { try apply([], records)?.records ?? [] }
}
