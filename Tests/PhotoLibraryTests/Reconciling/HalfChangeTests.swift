// Two programs on one library: the second one's list shows a change of the first one whole, or not at all.

import CameraCore
import Foundation
import GRDB
import Testing

@testable import PhotoLibrary

@Suite(.timeLimit(.minutes(30))) struct HalfChangeTests {
  /// Of the steps of a change, of which there are more than sixty; those of the two cases lie between each other.
  private static let stride = 6

  /// What a list shows, of one moment.
  private struct Shown: Hashable {
    var assets: [String]
    var albums: [String]

    init(_ library: PhotoLibrary) throws {
      self = try library.index.readingNow { db in
        let assets = try Row.fetchAll(
          db, sql: "SELECT id, name, isFavorite, isHidden, isEdited, fileSize FROM asset ORDER BY id")
        let albums = try Row.fetchAll(
          db,
          sql: """
            SELECT title, asset FROM collection LEFT JOIN membership ON collection.id = collection ORDER BY title, asset
            """)
        return Shown(assets: assets.map { "\($0)" }, albums: albums.map { "\($0)" })
      }
    }

    private init(assets: [String], albums: [String]) { (self.assets, self.albums) = (assets, albums) }
  }

  private struct Ground {
    let scratch: Scratch
    let assets: [Asset]
    let first: PhotoLibrary
    let second: PhotoLibrary
  }

  private func ground(_ disk: Disk, haveOneIndex: Bool) async throws -> Ground {
    let scratch = try Scratch()
    for number in 0..<4 {
      let photo = try PhotoAssembly.photo(
        jpeg: Samples.jpeg(width: 64, height: 48, shade: UInt8(40 * number)),
        metadata: Samples.metadata(date: Samples.date.addingTimeInterval(Double(number))),
        id: String(repeating: "\(number)", count: 32))
      try scratch.put(photo, "2026-11/\(number).jpg")
    }
    let first = try await scratch.library(disk: disk)
    try await first.refresh()
    let assets = try await Array(first.fetchAssets().reversed())
    let second = try await PhotoLibrary.open(
      at: scratch.pictures, index: haveOneIndex ? scratch.index : scratch.url.appendingPathComponent("second.sqlite"),
      disk: Disk(), trash: scratch.trash)
    try await second.refresh()
    return Ground(scratch: scratch, assets: assets, first: first, second: second)
  }

  /// An edit, an album, a picture that is hidden, and one that goes to the trash.
  private func change(_ library: PhotoLibrary, _ assets: [Asset]) async throws {
    var request = AssetChangeRequest(for: assets[0].id, isFavorite: true)
    request.contentEditingOutput = ContentEditingOutput(
      photo: try Samples.jpeg(width: 64, height: 48, shade: 10),
      adjustmentData: AdjustmentData(formatIdentifier: "test", formatVersion: "1", data: Data()))
    let edit = request
    try await library.performChanges { changes in
      changes.change(edit)
      let album = changes.createAlbum(title: "Bern")
      changes.change(AssetCollectionChangeRequest(for: album.id, addAssets: assets[0...1].map(\.id)))
      changes.change(AssetChangeRequest(for: assets[2].id, isHidden: true))
      changes.trash([assets[3].id])
    }
  }

  /// Notes all that a library shows until the task is canceled.
  private func watch(_ library: PhotoLibrary) -> Task<Set<Shown>, any Error> {
    let changes = library.changes()
    return Task {
      var seen: Set<Shown> = [try Shown(library)]
      for await _ in changes { seen.insert(try Shown(library)) }
      return seen
    }
  }

  @Test(arguments: [true, false]) func aStoppedProgramShowsNoHalf(haveOneIndex: Bool) async throws {
    var number = haveOneIndex ? 1 : 1 + Self.stride / 2
    var isReached = true
    while isReached {
      let pause = Pause(at: number)
      let ground = try await ground(pause.disk, haveOneIndex: haveOneIndex)
      let old = try Shown(ground.second)
      let watch = watch(ground.second)
      pause.arm()
      let change = Task {
        defer { pause.end() }
        try await self.change(ground.first, ground.assets)
      }
      isReached = await pause.isReached()
      if isReached {
        // All that a look may find now, also where an event was lost.
        ground.second.reconciler.scanAll()
        await ground.second.reconciler.waitUntilIdle()
      }
      let seen = try Shown(ground.second)
      if isReached { pause.release() }
      try await change.value
      try await ground.second.refresh()
      let new = try Shown(ground.second)
      #expect(new != old && new.albums.count == 2, "step \(number)")
      await ground.second.close()
      await ground.first.close()
      #expect(try await watch.value.union([seen]).isSubset(of: [old, new]), "step \(number)")
      number += Self.stride
    }
    #expect(number > 10)
  }

  /// Nobody waits for a dead one: its change is finished by the one that follows.
  @Test(arguments: [true, false]) func aDeadProgramShowsNoHalf(haveOneIndex: Bool) async throws {
    var number = haveOneIndex ? 1 : 1 + Self.stride / 2
    var hasCome = true
    var outcomes: Set<Bool> = []
    var new: Shown?
    while hasCome {
      let death = Death(at: number)
      let ground = try await ground(death.disk, haveOneIndex: haveOneIndex)
      let old = try Shown(ground.second)
      let watch = watch(ground.second)
      // A dead program follows nothing.
      ground.first.reconciler.stop()
      death.arm()
      do { try await change(ground.first, ground.assets) } catch { #expect(death.hasCome) }
      hasCome = death.hasCome
      try await ground.second.refresh()
      let end = try Shown(ground.second)
      #expect(ground.scratch.files().allSatisfy { !$0.hasPrefix(".photome/journal/") }, "step \(number)")
      await Death.bury(ground.first)
      await ground.second.close()
      let states = try await watch.value.subtracting([old])
      // Nothing has happened, or everything has.
      #expect(states.isEmpty || states == [end] && end.albums.count == 2, "step \(number)")
      outcomes.insert(states.isEmpty)
      if !hasCome { new = end }
      number += Self.stride
    }
    #expect(outcomes == [true, false] && new?.albums.count == 2)
  }

  /// What a second program changes itself shows no part of what the first one has changed.
  @Test func aChangeShowsNoHalfOfAnother() async throws {
    let ground = try await ground(Disk(), haveOneIndex: false)
    let album = try await ground.first.performChanges { $0.createAlbum(title: "Bern") }
    try await ground.second.refresh()
    let ids = ground.assets.map(\.id)
    let changes = ground.second.changes()
    let watch = Task {
      var counts: Set<Int> = []
      for await _ in changes { counts.insert(try Shown(ground.second).albums.filter { !$0.contains("NULL") }.count) }
      return counts
    }
    for round in 0..<10 {
      let isAdding = round % 2 == 0
      try await ground.first.performChanges { changes in
        changes.change(
          AssetCollectionChangeRequest(
            for: album.id, addAssets: isAdding ? ids : [], removeAssets: isAdding ? [] : ids))
      }
      try await ground.second.performChanges { $0.change(AssetChangeRequest(for: ids[0], isFavorite: isAdding)) }
    }
    try await ground.second.refresh()
    await ground.second.close()
    await ground.first.close()
    #expect(try await watch.value.isSubset(of: [0, ids.count]))
  }

  /// One may be stopped for hours in the middle of a change: the others show what was there before.
  @Test func nobodyWaitsForAStoppedProgram() async throws {
    var (number, found): (Int, (Pause, Ground, Task<Void, any Error>)?) = (8, nil)
    while found == nil {
      let pause = Pause(at: number)
      let ground = try await ground(pause.disk, haveOneIndex: false)
      pause.arm()
      let change = Task {
        defer { pause.end() }
        try await self.change(ground.first, ground.assets)
      }
      try #require(await pause.isReached())
      let journals = ground.scratch.pictures.appendingPathComponent(".photome/journal").path
      if Disk().names(in: journals)?.isEmpty ?? true {
        pause.release()
        try await change.value
        await ground.first.close()
        await ground.second.close()
        number += 4
      } else {
        found = (pause, ground, change)
      }
    }
    let (pause, ground, change) = try #require(found)
    let old = try Shown(ground.second)
    ground.second.reconciler.patience.store(2, ordering: .relaxed)
    try await ground.second.refresh()
    #expect(try Shown(ground.second) == old)
    // Nor does one that starts now, also with a new index.
    for name in ["second.sqlite", "third.sqlite"] {
      let third = try await PhotoLibrary.open(
        at: ground.scratch.pictures, index: ground.scratch.url.appendingPathComponent(name), disk: Disk(),
        trash: ground.scratch.trash)
      third.reconciler.patience.store(2, ordering: .relaxed)
      try await third.refresh()
      #expect(try await third.fetchAssets().count >= 3)
      await third.close()
    }
    pause.release()
    try await change.value
    try await ground.second.refresh()
    #expect(try Shown(ground.second).albums.count == 2)
    await ground.first.close()
    await ground.second.close()
  }

  /// While one is stopped, the other one takes pictures and shows them.
  @Test func aShotNeedsNobody() async throws {
    let pause = Pause(at: 12)
    let ground = try await ground(pause.disk, haveOneIndex: false)
    pause.arm()
    let change = Task {
      defer { pause.end() }
      try await self.change(ground.first, ground.assets)
    }
    try #require(await pause.isReached())
    let shot = try await ground.second.createAsset(
      AssetCreationRequest(
        photo: Samples.jpeg(), metadata: Samples.metadata(date: Samples.date.addingTimeInterval(60))))
    #expect(try await ground.second.fetchAssets().first == shot)
    pause.release()
    try await change.value
    try await ground.second.refresh()
    #expect(try await ground.second.fetchAssets().count == 3)
    await ground.first.close()
    await ground.second.close()
  }
}
