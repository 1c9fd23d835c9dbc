// Assets of several files: Apple pairs, and raw files with their pictures.

import CameraCore
import EngineInterface
import Foundation
import MediaFormats
import Testing

@testable import PhotoLibrary

@Suite("Assets of several files", .timeLimit(.minutes(30))) struct PairedFileTests {
  private let scratch: Scratch
  private let photo: Data
  private let movie: Data

  init() throws {
    scratch = try Scratch()
    photo = try AppleSamples.photo(AppleSamples.mark)
    movie = AppleSamples.movie(AppleSamples.mark)
  }

  private func data(_ name: String) throws -> Data {
    try Data(contentsOf: scratch.pictures.appendingPathComponent(name))
  }

  /// The library with a pair in it, and its only asset.
  private func pair(_ stem: String = "IMG_1") async throws -> (library: PhotoLibrary, asset: Asset) {
    try scratch.put(photo, "2026-11/\(stem).JPG")
    try scratch.put(movie, "2026-11/\(stem).MOV")
    let library = try await scratch.library()
    try await library.refresh()
    return (library, try await only(library))
  }

  private func only(_ library: PhotoLibrary) async throws -> Asset {
    let assets = try await library.fetchAssets()
    #expect(assets.count == 1)
    return try #require(assets.first)
  }

  /// The visible files of the library's folder, without those in its hidden one.
  private var names: [String] { scratch.files().filter { !$0.hasPrefix(".") }.sorted() }

  /// An edit of a live photo, with a movie.
  private func edit(_ asset: Asset, in library: PhotoLibrary, hasMovie: Bool = true) async throws {
    let video = hasMovie ? try await Samples.movie(in: library, name: "edit.mp4") : nil
    let adjustment = AdjustmentData(
      formatIdentifier: "io.github.photome.recipe", formatVersion: "1", data: Data(#"{"effect":"comic"}"#.utf8))
    let output = ContentEditingOutput(
      photo: try Samples.jpeg(shade: 9), pairedVideo: video, photoDisplayTime: 1, adjustmentData: adjustment)
    try await library.performChanges {
      $0.change(AssetChangeRequest(for: asset.id, contentEditingOutput: output))
    }
  }

  // MARK: In place

  @Test func twoFilesAreOneLivePhoto() async throws {
    let (library, asset) = try await pair()
    #expect(asset.isLive && asset.mediaType == .photo && asset.url.lastPathComponent == "IMG_1.JPG")
    #expect(asset.movieURL.lastPathComponent == "IMG_1.MOV" && asset.movieRange == 0..<UInt64(movie.count))
    #expect(asset.duration != nil && asset.photoDisplayTime == asset.duration.map { $0 / 2 })
    let found = try #require(try await ImageManager().requestMovie(for: asset))
    #expect(found.url == asset.movieURL && found.byteRange == asset.movieRange)
    // It is in every list as a live photo, and its video in none.
    #expect(try await library.count() == 1)
    var options = FetchOptions()
    options.isLive = true
    #expect(try await library.fetch(options).count == 1)
    for (album, count) in [(SmartAlbum.livePhotos, 1), (.videos, 0), (.all, 1)] {
      #expect(try await library.fetch(in: AssetCollection(album)).count == count, "\(album)")
    }
    let checked = try await library.verify()
    #expect(checked.problems.isEmpty && checked.photos == 1 && checked.livePhotos == 1 && checked.videos == 0)
  }

  @Test func whicheverFileComesFirstTheyFindEachOther() async throws {
    let library = try await scratch.library()
    try scratch.put(movie, "IMG_1.MOV")
    try await library.refresh()
    let video = try await only(library)
    #expect(video.mediaType == .video)
    let before = try await library.fetch()
    try scratch.put(photo, "IMG_1.JPG")
    try await library.refresh()
    #expect(try await only(library).isLive)
    // A list that was there before loses the video.
    let details = try await library.changeDetails(for: before)
    #expect(details.after.count == 1 && !details.removed.isEmpty && !details.inserted.isEmpty)
    // Another program renames one of them: they are two again; and back.
    let url = scratch.pictures.appendingPathComponent("IMG_1.MOV")
    let other = scratch.pictures.appendingPathComponent("other.MOV")
    try FileManager.default.moveItem(at: url, to: other)
    try await library.refresh()
    let apart = try await library.fetchAssets()
    #expect(apart.count == 2 && apart.allSatisfy { !$0.isLive } && apart.contains { $0.id == video.id })
    try FileManager.default.moveItem(at: other, to: url)
    try await library.refresh()
    #expect(try await only(library).isLive)
    // The video alone is deleted by another program.
    try FileManager.default.removeItem(at: url)
    try await library.refresh()
    #expect(try await !only(library).isLive)
  }

  @Test func aNewIndexFindsThemAsWell() async throws {
    let (library, asset) = try await pair()
    await library.close()
    try scratch.removeIndex()
    let again = try await scratch.library()
    try await again.refresh()
    #expect(try await only(again) == asset)
  }

  // MARK: Changes

  @Test func bothGoToTheTrashAndComeBack() async throws {
    let (library, asset) = try await pair()
    try await library.performChanges { $0.change(AssetChangeRequest(for: asset.id, isFavorite: true)) }
    let marked = try data("2026-11/IMG_1.JPG")
    let trashed = try await library.trash([asset.id])
    #expect(trashed.count == 1 && names.isEmpty)
    let listed = try await library.trashedPictures()
    #expect(listed.count == 1 && listed[0].asset.isLive && listed[0].asset.movieURL.path.hasSuffix(".MOV"))
    #expect(try await library.trashedAssets().map(\.id) == [asset.id])
    #expect(try await ImageManager().requestMovie(for: listed[0].asset) != nil)
    // Its name was given to another one meanwhile: both get a number.
    try scratch.put(Samples.jpeg(shade: 3), "2026-11/IMG_1.JPG")
    try await library.refresh()
    try await library.restore(trashed)
    #expect(names == ["2026-11/IMG_1.JPG", "2026-11/IMG_1_2.JPG", "2026-11/IMG_1_2.MOV"])
    #expect(try data("2026-11/IMG_1_2.MOV") == movie && data("2026-11/IMG_1_2.JPG") == marked)
    let back = try #require(try await library.asset(id: asset.id))
    #expect(back.isLive && back.isFavorite)
    #expect(try await library.trashedAssets().isEmpty)
    #expect(try await library.fetchAssets().count == 2)
  }

  @Test func bothAreDeletedForGood() async throws {
    let (library, asset) = try await pair()
    let trashed = try await library.trash([asset.id])
    try await library.deletePermanently(trashed)
    #expect(try await library.trashedAssets().isEmpty && names.isEmpty)
    #expect(
      !FileManager.default.fileExists(atPath: trashed[0].trashedURL.deletingLastPathComponent().path + "/IMG_1.MOV"))
    #expect(try await library.verify().problems.isEmpty)
  }

  @Test func aHiddenOneHidesItsVideoWhenTheyAreTakenApart() async throws {
    let (library, asset) = try await pair()
    let (_, change) = try await library.performReversibly {
      $0.change(AssetChangeRequest(for: asset.id, isHidden: true))
    }
    #expect(try await library.fetchAssets().isEmpty)
    let url = scratch.pictures.appendingPathComponent("2026-11/IMG_1.MOV")
    let other = scratch.pictures.appendingPathComponent("2026-11/other.MOV")
    try FileManager.default.moveItem(at: url, to: other)
    try await library.refresh()
    #expect(try await library.fetchAssets().isEmpty)
    try FileManager.default.moveItem(at: other, to: url)
    try await library.refresh()
    _ = try await library.reverse(change)
    #expect(try await only(library).isLive)
  }

  @Test func anEditIsTakenBackByteForByteInBothFiles() async throws {
    let (library, asset) = try await pair()
    for _ in 1...2 {
      try await edit(asset, in: library)
      let edited = try await only(library)
      // The edited movie is in the photo's file; the other file isn't touched.
      #expect(edited.id == asset.id && edited.isEdited && edited.isLive && edited.pairedVideo == nil)
      #expect(try data("2026-11/IMG_1.MOV") == movie && data("2026-11/IMG_1.JPG") != photo)
      // The editor starts from both originals again.
      let input = try await library.contentEditingInput(for: asset.id) { _ in true }
      #expect(input.movieURL == asset.movieURL && input.movieRange == asset.movieRange)
      #expect(input.duration == asset.duration && input.adjustmentData != nil)
      let current = try await library.contentEditingInput(for: asset.id) { _ in false }
      #expect(current.movieURL == edited.url && current.movieRange == edited.movieRange)
    }
    #expect(try await library.verify().problems.isEmpty)
    try await library.performChanges { $0.change(.revert(asset.id)) }
    #expect(try data("2026-11/IMG_1.JPG") == photo && data("2026-11/IMG_1.MOV") == movie)
    #expect(names == ["2026-11/IMG_1.JPG", "2026-11/IMG_1.MOV"])
    let reverted = try await only(library)
    #expect(reverted.isLive && !reverted.isEdited && reverted.pairedVideo == asset.pairedVideo)
  }

  @Test func anEditWithoutAMovieIsAStillUntilItIsReverted() async throws {
    let (library, asset) = try await pair()
    try await edit(asset, in: library, hasMovie: false)
    let edited = try await only(library)
    #expect(edited.isEdited && !edited.isLive && edited.movieRange == nil)
    var options = FetchOptions()
    options.isLive = true
    #expect(try await library.fetch(options).count == 0)
    // It goes with its video, and comes back with it.
    let trashed = try await library.trash([asset.id])
    #expect(names.isEmpty)
    try await library.restore(trashed)
    try await library.performChanges { $0.change(.revert(asset.id)) }
    #expect(try await only(library).isLive)
    #expect(try data("2026-11/IMG_1.JPG") == photo)
  }

  @Test func anEditedOneComesBackFromTheTrashWithItsOriginalMovie() async throws {
    let (library, asset) = try await pair()
    try await edit(asset, in: library)
    let trashed = try await library.trash([asset.id])
    #expect(names.isEmpty && trashed.count == 1)
    #expect(try await library.trashedAssets().count == 1)
    try await library.restore(trashed)
    #expect(names == ["2026-11/IMG_1.JPG", "2026-11/IMG_1.MOV"])
    try await library.performChanges { $0.change(.revert(asset.id)) }
    #expect(try data("2026-11/IMG_1.JPG") == photo && data("2026-11/IMG_1.MOV") == movie)
  }

  @Test func theFilesOfAnAssetAreListedWithTheirKinds() async throws {
    let (library, asset) = try await pair()
    func list() async throws -> [String] {
      let now = try await only(library)
      return try await library.resources(of: now).map { "\($0.kind.rawValue) \($0.name) \($0.byteRange.count)" }
    }
    #expect(
      try await list() == ["photo IMG_1.JPG \(photo.count)", "paired-video IMG_1.MOV \(movie.count)"])
    try await edit(asset, in: library)
    let edited = try await list()
    #expect(
      edited.map { $0.split(separator: " ").prefix(2).joined(separator: " ") } == [
        "photo IMG_1.JPG", "paired-video IMG_1.mp4", "original-photo IMG_1.JPG", "original-paired-video IMG_1.MOV",
        "adjustment \(asset.id).json",
      ])
    #expect(edited[2].hasSuffix(" \(photo.count)") && edited[3].hasSuffix(" \(movie.count)"))
  }

  // MARK: Raw files

  /// A camera's raw file and JPEG of one shot.
  private func rawPair() async throws -> (library: PhotoLibrary, asset: Asset) {
    var metadata = try Samples.metadata(
      date: Date(timeIntervalSince1970: 1_779_348_666))
    metadata.utcOffset = 0
    try scratch.put(RawPictureTests.file(), "2026-05/DSC_1.DNG")
    try scratch.put(
      PhotoAssembly.photo(jpeg: Samples.jpeg(), metadata: metadata, id: String(repeating: "9", count: 32)),
      "2026-05/DSC_1.JPG")
    let library = try await scratch.library()
    try await library.refresh()
    return (library, try await only(library))
  }

  @Test func aRawFileAndItsPictureAreOneAsset() async throws {
    let (library, asset) = try await rawPair()
    #expect(asset.url.lastPathComponent == "DSC_1.JPG" && !asset.isLive)
    #expect(try await library.resources(of: asset).map(\.kind) == [.photo, .rawPhoto])
    #expect(await library.rawFile(of: asset)?.lastPathComponent == "DSC_1.DNG")
    let out = scratch.url.appendingPathComponent("out")
    let report = try await library.export([asset], as: .original, into: out)
    #expect(report.exported.first?.companions.map(\.lastPathComponent) == ["DSC_1.DNG"])
    #expect(
      try Data(contentsOf: out.appendingPathComponent("DSC_1.DNG")) == data("2026-05/DSC_1.DNG"))
    // A copy that is smaller is of the picture alone.
    let small = try await library.export([asset], as: .current, ExportOptions(longestSide: 64), into: out)
    #expect(small.exported.first?.companions == [])
    let trashed = try await library.trash([asset.id])
    #expect(names.isEmpty)
    try await library.restore(trashed)
    #expect(names == ["2026-05/DSC_1.DNG", "2026-05/DSC_1.JPG"])
    #expect(try await library.verify().photos == 1)
  }

  // MARK: Import

  private func card() throws -> URL {
    let card = scratch.url.appendingPathComponent("card")
    try FileManager.default.createDirectory(at: card, withIntermediateDirectories: true)
    return card
  }

  @Test func aPairIsImportedUnderOneFreeName() async throws {
    let card = try card()
    try photo.write(to: card.appendingPathComponent("IMG_1.JPG"))
    try movie.write(to: card.appendingPathComponent("IMG_1.MOV"))
    let library = try await scratch.library()
    let first = try await library.importAssets(from: [card])
    let asset = try #require(first.imported.first?.asset)
    #expect(first.imported.count == 1 && first.refused.isEmpty && asset.isLive)
    let month = asset.url.deletingLastPathComponent()
    // Again: it is there.
    let second = try await library.importAssets(from: [card])
    #expect(second.imported.isEmpty && second.duplicates.map(\.assetID) == [asset.id])
    // Another pair, one of whose names is taken.
    let other = "8A6A0C4E-2D0F-4C5B-9D7B-0123456789AB"
    try AppleSamples.photo(other, shade: 7).write(to: card.appendingPathComponent("IMG_1.JPG"))
    try (AppleSamples.movie(other) + [0, 0, 0, 8, 0x66, 0x72, 0x65, 0x65]).write(
      to: card.appendingPathComponent("IMG_1.MOV"))
    let third = try await library.importAssets(from: [card], move: true)
    #expect(third.imported.map(\.asset.isLive) == [true] && third.imported[0].keptSource == nil)
    #expect(
      try FileManager.default.contentsOfDirectory(atPath: month.path).sorted() == [
        "IMG_1.JPG", "IMG_1.MOV", "IMG_1_2.JPG", "IMG_1_2.MOV",
      ])
    #expect(try FileManager.default.contentsOfDirectory(atPath: card.path).isEmpty)
    #expect(try await library.fetchAssets().count == 2)
    #expect(try await library.verify().problems.isEmpty)
  }

  @Test func theMissingHalfComesToTheOther() async throws {
    let card = try card()
    try photo.write(to: card.appendingPathComponent("IMG_1.JPG"))
    let library = try await scratch.library()
    let first = try #require(try await library.importAssets(from: [card]).imported.first)
    #expect(!first.asset.isLive)
    // One of the files was renamed on the card.
    try movie.write(to: card.appendingPathComponent("IMG_1.MOV"))
    let report = try await library.importAssets(from: [card])
    #expect(report.duplicates.map(\.assetID) == [first.asset.id] && report.imported.count == 1)
    #expect(try await library.asset(id: first.asset.id)?.isLive == true)
    #expect(try await library.fetchAssets().count == 1)
  }

  /// The half that is there has another name than on the card, and lies where somebody has put it.
  @Test(arguments: [true, false], ["", "Trip"]) func theMissingHalfComesBesideTheOther(
    hasPhoto: Bool, folder: String
  ) async throws {
    let card = try card()
    try photo.write(to: card.appendingPathComponent("IMG_1.JPG"))
    try movie.write(to: card.appendingPathComponent("IMG_1.MOV"))
    let name = (folder.isEmpty ? "" : folder + "/") + "Bear" + (hasPhoto ? ".JPG" : ".MOV")
    try scratch.put(hasPhoto ? photo : movie, name)
    let library = try await scratch.library()
    try await library.refresh()
    let report = try await library.importAssets(from: [card])
    #expect(report.duplicates.count == 1 && report.imported.count == 1 && report.refused.isEmpty)
    let asset = try await only(library)
    #expect(asset.isLive && asset.url.lastPathComponent == "Bear.JPG")
    #expect(asset.url.deletingLastPathComponent().path == scratch.pictures.appendingPathComponent(folder).path)
    #expect(try Data(contentsOf: asset.url) == photo && Data(contentsOf: asset.movieURL) == movie)
    #expect(try await library.importAssets(from: [card]).imported.isEmpty)
    #expect(try await library.verify().isClean)
  }

  @Test func aPairWithTwoNamesGetsOne() async throws {
    let card = try card()
    try photo.write(to: card.appendingPathComponent("beach.JPG"))
    try movie.write(to: card.appendingPathComponent("film.MOV"))
    let library = try await scratch.library()
    let asset = try #require(try await library.importAssets(from: [card]).imported.first?.asset)
    #expect(asset.isLive && asset.movieURL.lastPathComponent == "beach.MOV")
    #expect(try Data(contentsOf: asset.movieURL) == movie)
  }

  // MARK: Export

  @Test func aPairIsExportedAsItIsAndAsApplesPair() async throws {
    let (library, asset) = try await pair()
    let out = scratch.url.appendingPathComponent("out")
    let plain = try await library.export([asset], as: .current, into: out)
    #expect(plain.refused.isEmpty)
    #expect(try Data(contentsOf: out.appendingPathComponent("IMG_1.JPG")) == photo)
    #expect(try Data(contentsOf: out.appendingPathComponent("IMG_1.MOV")) == movie)
    try await edit(asset, in: library)
    let original = scratch.url.appendingPathComponent("original")
    let edited = try await only(library)
    let report = try await library.export([edited], as: .original, into: original)
    #expect(report.exported.first?.companions.count == 1)
    #expect(try Data(contentsOf: original.appendingPathComponent("IMG_1.JPG")) == photo)
    #expect(try Data(contentsOf: original.appendingPathComponent("IMG_1.MOV")) == movie)
    // The edited version is one file.
    let current = try await library.export([edited], as: .current, into: scratch.url.appendingPathComponent("current"))
    #expect(current.exported.first?.companions == [])
    // The movie alone, and the still alone.
    try await library.performChanges { $0.change(.revert(asset.id)) }
    let parts = scratch.url.appendingPathComponent("parts")
    let movies = try await library.export([only(library)], as: .movie, into: parts)
    #expect(movies.exported.first?.url.lastPathComponent == "IMG_1.MOV")
    #expect(try Data(contentsOf: parts.appendingPathComponent("IMG_1.MOV")) == movie)
    let stills = try await library.export([only(library)], as: .still, into: parts)
    #expect(stills.exported.first?.url.lastPathComponent == "IMG_1.JPG" && stills.exported.first?.companions == [])
    // Without a renderer, which puts both into one file, it is refused.
    let motion = try await library.export([only(library)], as: .motionPhoto, into: parts)
    #expect(motion.refused.count == 1 && motion.exported.isEmpty)
  }
}
