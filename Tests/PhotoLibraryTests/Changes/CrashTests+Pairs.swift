// Crashes while assets of two files are changed: both files are as before, or both are as after.

import CameraCore
import Foundation
import Testing

@testable import PhotoLibrary

extension CrashTests {
  private static let otherMark = "8A6A0C4E-2D0F-4C5B-9D7B-0123456789AB"

  /// Writes a file whose time is that of the samples.
  private func write(_ data: Data, to file: URL, _ date: Date = Samples.date) throws {
    try FileManager.default.createDirectory(at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
    try data.write(to: file)
    try FileManager.default.setAttributes([.modificationDate: date], ofItemAtPath: file.path)
  }

  /// An Apple pair that another program has put into the library's folder.
  func addPair(to library: PhotoLibrary) async throws -> Asset {
    let month = URL(fileURLWithPath: library.layout.absolute("2026-11"), isDirectory: true)
    try write(AppleSamples.photo(AppleSamples.mark), to: month.appendingPathComponent("IMG_1.JPG"))
    try write(AppleSamples.movie(AppleSamples.mark), to: month.appendingPathComponent("IMG_1.MOV"))
    try await library.refresh()
    return try #require(try await library.fetchAssets().first)
  }

  /// A raw file with a movie, beside a picture of another time that has the name of its edits: both files get new names.
  func addRawPair(to library: PhotoLibrary) async throws -> Asset {
    let month = URL(fileURLWithPath: library.layout.absolute("2026-05"), isDirectory: true)
    let shot = Date(timeIntervalSince1970: 1_779_348_666)
    try write(RawPictureTests.file(), to: month.appendingPathComponent("DSC_1.DNG"), shot)
    try write(AppleSamples.movie(AppleSamples.mark), to: month.appendingPathComponent("DSC_1.MOV"), shot)
    try write(Samples.jpeg(shade: 3), to: month.appendingPathComponent("DSC_1.jpg"))
    try await library.refresh()
    return try #require(try await library.fetchAssets().first { $0.isLive })
  }

  /// A pair whose name is another pair's in the library, by the request of an import.
  func importPair(into library: PhotoLibrary, _ scratch: Scratch) async throws {
    let card = scratch.url.appendingPathComponent("card")
    let (photo, movie) = (card.appendingPathComponent("IMG_1.JPG"), card.appendingPathComponent("film.MOV"))
    try write(AppleSamples.photo(Self.otherMark, shade: 7), to: photo)
    try write(AppleSamples.movie(Self.otherMark), to: movie)
    var request = AssetCreationRequest(file: photo)
    request.parts = [movie]
    _ = try await library.createAsset(request)
  }

  /// A card with a pair, and a photo whose movie the library has already. `importPair` has the pair of two names.
  private func fillCard(_ card: URL) throws -> [String: Data] {
    let third = "9A6A0C4E-2D0F-4C5B-9D7B-0123456789AB"
    let files = [
      "IMG_1.JPG": try AppleSamples.photo(AppleSamples.mark), "IMG_1.MOV": AppleSamples.movie(AppleSamples.mark),
      "half.JPG": try AppleSamples.photo(third, shade: 9), "half.MOV": AppleSamples.movie(third, isISO: true),
    ]
    for (name, data) in files { try write(data, to: card.appendingPathComponent(name)) }
    return files
  }

  /// Sources are removed, which is a copy with more steps.
  @Test func everyStepOfAnImportOfPairsMayBeTheLast() async throws {
    var number = 1
    /// The number of live photos in the library.
    var counts: Set<Int> = []
    while true {
      let scratch = try Scratch()
      let card = scratch.url.appendingPathComponent("card", isDirectory: true)
      let sources = try fillCard(card)
      let death = Death(at: number)
      let dying = try await scratch.library(disk: death.disk)
      _ = try await dying.createAsset(AssetCreationRequest(file: card.appendingPathComponent("half.MOV")))
      try await dying.refresh()
      death.arm()
      var report: ImportReport?
      do throws(PhotoLibraryError) { report = try await dying.importAssets(from: [card], move: true) } catch {
        // Then nothing was imported at all.
        #expect(death.hasCome, "\(error)")
      }
      await Death.bury(dying)
      let isLast = !death.hasCome
      if isLast { #expect(report?.end == .complete && report?.refused.isEmpty == true) }

      let next = try await scratch.library()
      try await next.refresh()
      let assets = try await next.fetchAssets()
      counts.insert(assets.count { $0.isLive })
      // Nothing is half there but the one of which the library had a half.
      #expect(assets.allSatisfy { $0.isLive || $0.mediaType == .video }, "step \(number): \(assets.map(\.url.path))")
      let names = scratch.files().filter { !$0.hasPrefix(".photome/") }
      let there = try names.map { try Data(contentsOf: scratch.pictures.appendingPathComponent($0)) }
      #expect(Set(there).count == there.count && Set(there).isSubset(of: sources.values), "step \(number): \(names)")
      // Files that left the card are in the library.
      for (name, data) in sources where !FileManager.default.fileExists(atPath: card.path + "/" + name) {
        #expect(there.contains(data), "step \(number): \(name)")
      }
      for one in report?.imported ?? [] { #expect(assets.contains { $0.id == one.asset.id }, "step \(number)") }
      #expect(scratch.remains().isEmpty, "step \(number)")
      let checked = try await next.verify()
      #expect(checked.isClean, "step \(number): \(checked.problems)")

      let again = try await next.importAssets(from: [card], move: true)
      #expect(again.end == .complete && again.refused.isEmpty, "step \(number): \(again)")
      let all = try await next.fetchAssets()
      #expect(all.count == 2 && all.allSatisfy(\.isLive), "step \(number): \(scratch.files())")
      #expect(scratch.files().count { !$0.hasPrefix(".photome/") } == sources.count, "step \(number)")
      #expect(try await next.verify().isClean, "step \(number)")
      await next.close()
      guard !isLast else { break }
      number += 1
    }
    #expect(counts.isSuperset(of: [0, 2]), "\(counts)")
  }
}
