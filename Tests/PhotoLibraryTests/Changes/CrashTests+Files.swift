// Crashes while a live photo is taken or files are imported: what was reported as saved exists.

import CameraCore
import Foundation
import Testing

@testable import PhotoLibrary

extension CrashTests {
  // MARK: A live photo

  /// The still first, and its movie later, as from the camera.
  @Test func everyStepOfALiveShotMayBeTheLast() async throws {
    let id = String(repeating: "c", count: 32)
    var number = 1
    /// The number of assets, and the number of live ones among them.
    var outcomes: Set<[Int]> = []
    while true {
      let scratch = try Scratch()
      let death = Death(at: number)
      let dying = try await scratch.library(disk: death.disk)
      try await dying.refresh()
      death.arm()
      var (isStaged, isSaved) = (false, false)
      do {
        let staged = try await dying.stage(Samples.jpeg(), id: id, metadata: Samples.metadata())
        isStaged = true
        let movie = try await Samples.movie(in: dying)
        _ = try await dying.createAsset(
          AssetCreationRequest(staged: staged, pairedVideo: movie, photoDisplayTime: 1.5))
        isSaved = true
      } catch let error as PhotoLibraryError {
        #expect(death.hasCome, "\(error)")
      }
      await Death.bury(dying)
      let next = try await scratch.library()
      try await next.refresh()
      let assets = try await next.fetchAssets()
      #expect(assets.count <= 1 && assets.allSatisfy { $0.id == id }, "step \(number)")
      if isStaged { #expect(assets.count == 1, "step \(number)") }
      if isSaved { #expect(assets.allSatisfy { $0.isLive }, "step \(number)") }
      #expect(scratch.files().count { $0 != ".photome/lock" } == assets.count, "step \(number): \(scratch.files())")
      #expect(scratch.remains().isEmpty, "step \(number)")
      // The first step of all makes the folder.
      try await next.prepareForCapture()
      let checked = try await next.verify()
      #expect(checked.isClean, "step \(number): \(checked.problems)")
      await next.close()
      outcomes.insert([assets.count, assets.count { $0.isLive }])
      guard death.hasCome else { break }
      number += 1
    }
    // Before it, with the still alone, and with all of it.
    #expect(outcomes == [[0, 0], [1, 0], [1, 1]])
  }

  // MARK: An import

  /// Some photos, a second file of one of them, a live photo, and one that the library has already.
  private func fillCard(_ card: URL) async throws -> [String: Data] {
    let maker = try Scratch()
    let library = try await maker.library()
    let live = try await library.createAsset(
      AssetCreationRequest(
        photo: Samples.jpeg(shade: 70), metadata: Samples.metadata(), pairedVideo: Samples.movie(in: library)))
    let files = [
      "one.jpg": try Samples.jpeg(shade: 10), "two.jpg": try Samples.jpeg(shade: 20),
      "two copy.jpg": try Samples.jpeg(shade: 20), "live.MP.jpg": try Data(contentsOf: live.url),
      "known.jpg": try Samples.jpeg(shade: 30),
    ]
    await library.close()
    try FileManager.default.createDirectory(at: card, withIntermediateDirectories: true)
    for (name, data) in files { try data.write(to: card.appendingPathComponent(name)) }
    return files
  }

  @Test(arguments: [false, true]) func everyStepOfAnImportMayBeTheLast(move: Bool) async throws {
    var number = 1
    /// The number of the four that were imported.
    var counts: Set<Int> = []
    while true {
      let scratch = try Scratch()
      let card = scratch.url.appendingPathComponent("card", isDirectory: true)
      let sources = try await fillCard(card)
      let digests = Set(sources.values.map { AssetIdentity.digest($0) })
      let death = Death(at: number)
      let dying = try await scratch.library(disk: death.disk)
      _ = try await dying.createAsset(AssetCreationRequest(file: card.appendingPathComponent("known.jpg")))
      try await dying.refresh()
      death.arm()
      var report: ImportReport?
      do throws(PhotoLibraryError) {
        report = try await dying.importAssets(from: [card], move: move)
      } catch {
        // Then nothing was imported at all.
        #expect(death.hasCome, "\(error)")
      }
      await Death.bury(dying)
      let isLast = !death.hasCome
      if isLast { #expect(report?.end == .complete && report?.imported.count == 3) }

      let next = try await scratch.library()
      try await next.refresh()
      let assets = try await next.fetchAssets()
      counts.insert(assets.count)
      let found = try assets.map { AssetIdentity.digest(try Data(contentsOf: $0.url)) }
      // No final name holds anything but a whole file, each of them once.
      #expect(Set(found).isSubset(of: digests) && Set(found).count == found.count, "step \(number)")
      #expect(scratch.files().count { !$0.hasPrefix(".photome/") } == assets.count, "step \(number)")
      for one in report?.imported ?? [] {
        let asset = try #require(assets.first { $0.id == one.asset.id }, "step \(number): \(one.source)")
        #expect(try Data(contentsOf: asset.url) == sources[one.source.lastPathComponent], "step \(number)")
      }
      // Files that left the card are in the library.
      for (name, data) in sources where !FileManager.default.fileExists(atPath: card.path + "/" + name) {
        #expect(move && found.contains(AssetIdentity.digest(data)), "step \(number): \(name)")
      }
      #expect(scratch.remains().isEmpty, "step \(number)")
      let checked = try await next.verify()
      #expect(checked.isClean, "step \(number): \(checked.problems)")

      let again = try await next.importAssets(from: [card], move: move)
      #expect(again.end == .complete && again.refused.isEmpty, "step \(number): \(again)")
      let all = try await next.fetchAssets().map { AssetIdentity.digest(try Data(contentsOf: $0.url)) }
      #expect(all.count == digests.count && Set(all) == digests, "step \(number)")
      #expect(try await next.verify().isClean, "step \(number)")
      await next.close()
      guard !isLast else { break }
      number += 1
    }
    #expect(counts == [1, 2, 3, 4])
  }
}
