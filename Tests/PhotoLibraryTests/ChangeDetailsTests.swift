// Notices as indexes: replayed on a list, they give the list as it is.

import CameraCore
import Foundation
import Testing

@testable import PhotoLibrary

@Suite struct ChangeDetailsTests {
  static func asset(_ number: Int, second: Int, fileSize: UInt64 = 1) -> Asset {
    Asset(
      id: "asset \(number)", url: URL(fileURLWithPath: "/pictures/\(number).jpg"), mediaType: .photo, isLive: false,
      created: Date(timeIntervalSince1970: Double(second)), utcOffset: 0, size: PixelSize(width: 4, height: 3),
      duration: nil, photoDisplayTime: nil, movieRange: nil, fileSize: fileSize,
      modified: Date(timeIntervalSince1970: 0),
      cameraName: nil)
  }

  /// A thousand random histories, each against a plain dictionary.
  @Test(arguments: [nil, 5, 20]) func replayingNoticesGivesTheList(limit: Int?) {
    var generator = SystemRandomNumberGenerator()
    for _ in 0..<300 {
      var library: [Asset.ID: Asset] = [:]
      func newest() -> [Asset] {
        let all = library.values.sorted(by: Asset.isNewer)
        return limit.map { Array(all.prefix($0)) } ?? all
      }
      var shown: [Asset] = []
      for _ in 0..<12 {
        var change = PhotoLibraryChange()
        for _ in 0..<Int.random(in: 0...6, using: &generator) {
          let number = Int.random(in: 0..<24, using: &generator)
          let id = "asset \(number)"
          // Few seconds, so that many were taken at the same instant.
          let second = Int.random(in: 0..<10, using: &generator)
          guard !change.removed.contains(id), !(change.inserted + change.changed).contains(where: { $0.id == id })
          else { continue }
          if let old = library[id] {
            if Bool.random(using: &generator) {
              library[id] = nil
              change.removed.insert(id)
            } else {
              let isMoved = Bool.random(using: &generator)
              let new = Self.asset(
                number, second: isMoved ? second : Int(old.created.timeIntervalSince1970), fileSize: old.fileSize + 1)
              library[id] = new
              change.changed.append(new)
            }
          } else {
            let new = Self.asset(number, second: second)
            library[id] = new
            change.inserted.append(new)
          }
        }
        let details = change.details(from: shown, limit: limit)
        #expect(Replay.ids(shown, details) == details.after.map(\.id))
        // Everything that differs and stays is named.
        for (index, asset) in details.after.enumerated() {
          if let old = shown.first(where: { $0.id == asset.id }) {
            #expect(details.changed.contains(index) == (old != asset))
          } else {
            #expect(details.inserted.contains(index))
          }
        }
        shown = details.after
        if limit == nil {
          #expect(shown == newest())
        } else {
          // A list that was cut may have grown short by removals, but what it shows is the newest, in order.
          #expect(shown == Array(newest().prefix(shown.count)))
          if shown.count < newest().count { shown = newest() }
        }
        // Twice does no harm.
        #expect(change.details(from: shown, limit: limit).after == shown)
      }
    }
  }

  @Test func theWholeLibraryReplacesEverything() {
    let before = [Self.asset(3, second: 3), Self.asset(2, second: 2), Self.asset(1, second: 1)]
    let change = PhotoLibraryChange(
      inserted: [Self.asset(4, second: 4), Self.asset(2, second: 2)], isWholeLibrary: true)
    let details = change.details(from: before)
    #expect(details.after.map(\.id) == ["asset 4", "asset 2"])
    #expect(details.removed == [0, 2])
    #expect(details.inserted == [0])
    #expect(Replay.ids(before, details) == details.after.map(\.id))
  }

  @Test func anAssetWithAnotherDateMoves() {
    let before = [Self.asset(3, second: 3), Self.asset(2, second: 2), Self.asset(1, second: 1)]
    let details = PhotoLibraryChange(changed: [Self.asset(1, second: 9)]).details(from: before)
    #expect(details.moves == [.init(from: 2, to: 0)])
    #expect(details.changed == [0])
    #expect(details.removed.isEmpty && details.inserted.isEmpty)
  }
}
