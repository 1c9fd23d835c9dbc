// Files written by the library: names, metadata, bytes.

import CameraCore
import Foundation
import MediaFormats
import TestSupport
import Testing

@testable import PhotoLibrary

@Suite(.timeLimit(.minutes(30))) struct PhotoWritingTests {
  @Test func aPhotoHasItsNameItsPlaceAndItsMetadata() async throws {
    let scratch = try Scratch()
    let library = try await scratch.library()
    let jpeg = try Samples.jpeg()
    let asset = try await library.createAsset(AssetCreationRequest(photo: jpeg, metadata: Samples.metadata()))
    #expect(asset.url.path == scratch.pictures.path + "/2026-11/IMG_20261121_073106_123.jpg")
    #expect(scratch.files() == ["2026-11/IMG_20261121_073106_123.jpg"])
    #expect(asset.mediaType == .photo && !asset.isLive && asset.movieRange == nil && asset.duration == nil)
    #expect(asset.created.millisecondsSince1970 == Samples.date.millisecondsSince1970)
    #expect(asset.utcOffset == 3600)
    #expect(asset.size == PixelSize(width: 320, height: 180))
    #expect(asset.cameraName == "Logitech HD Webcam C920")
    #expect(try await library.fetchAssets() == [asset])
    #expect(try await library.asset(id: asset.id) == asset)
    #expect(try await library.count() == 1)

    let written = try Data(contentsOf: asset.url)
    #expect(asset.fileSize == UInt64(written.count))
    let segments = try JPEGSegments(parsing: written)
    let source = try JPEGSegments(parsing: jpeg)
    #expect(segments.segments.prefix(2).map(\.kind) == [.jfif, .exif])
    // Tables and scan are the camera's own bytes, in one piece.
    let firstTable = try #require(source.segments.first { $0.kind == .tables }).range.lowerBound
    #expect(written.suffix(jpeg.count - firstTable) == jpeg.suffix(jpeg.count - firstTable))
    #expect(segments.end == written.count)

    let exif = try #require(segments.payload(of: .exif))
    let facts = try #require(MetadataToolkit.facts(exif: Data(exif.dropFirst(6)), wantsThumbnail: true))
    #expect(facts.uniqueID == asset.id)
    #expect(facts.time == LocalTime(exif: "2026:11:21 07:31:06", subseconds: "123", offset: "+01:00"))
    #expect(facts.thumbnail == (try Samples.metadata().thumbnail))
    #expect(facts.orientation == 1)
  }

  @Test(.enabled(if: Command.areInstalled("exiftool"), "exiftool is not installed"))
  func otherProgramsFindNothingToComplainAbout()
    async throws
  {
    let scratch = try Scratch()
    let library = try await scratch.library()
    let photo = try await library.createAsset(
      AssetCreationRequest(photo: Samples.jpeg(), metadata: Samples.metadata()))
    let live = try await library.createAsset(
      AssetCreationRequest(
        photo: Samples.jpeg(), metadata: Samples.metadata(displayTime: 1.5),
        pairedVideo: Samples.movie(in: library)))
    // As webcams send it: an `AVI1` block, no Huffman tables, padding behind the end.
    let frame =
      try JPEGSegments(parsing: Samples.jpeg()).removing { $0.marker == JPEGMarker.huffmanTables || $0.kind == .jfif }
      .assemble(front: [
        JPEGSegments.segment(marker: JPEGMarker.app0, payload: Data("AVI1".utf8) + Data(count: 10))
      ]) + Data(count: 33)
    let completed = try frame.withUnsafeBytes { try JPEGStream.complete($0) }
    let webcam = try await library.createAsset(
      AssetCreationRequest(photo: Data(completed.block.bytes), metadata: Samples.metadata()))
    for asset in [photo, live, webcam] {
      let text = try #require(
        try Command.report(of: "exiftool", "-validate", "-warning", "-error", "-a", asset.url.path))
      #expect(text.split(separator: "\n").map { $0.replacing(/\s+/, with: " ") } == ["Validate : OK"])
    }
    let tags = try #require(
      try Command.report(
        of: "exiftool", "-s3", "-SubSecDateTimeOriginal", "-ImageUniqueID", "-MotionPhoto", "-MotionPhotoVersion",
        "-MotionPhotoPresentationTimestampUs", live.url.path))
    #expect(
      tags.split(separator: "\n").map(String.init)
        == ["2026:11:21 07:31:06.123+01:00", live.id, "1", "1", "1500000"])
  }

  @Test func aLivePhotoIsOneFileWithItsMovieAtTheEnd() async throws {
    let scratch = try Scratch()
    let library = try await scratch.library()
    let movie = try await Samples.movie(in: library, seconds: 3)
    let bytes = try Data(contentsOf: movie)
    let asset = try await library.createAsset(
      AssetCreationRequest(
        photo: Samples.jpeg(), metadata: Samples.metadata(), pairedVideo: movie, photoDisplayTime: 1.466_667))
    #expect(asset.url.lastPathComponent == "IMG_20261121_073106_123.MP.jpg")
    #expect(asset.isLive && asset.mediaType == .photo)
    #expect(asset.duration == 3)
    #expect(asset.photoDisplayTime == 1.466_667)
    let range = try #require(asset.movieRange)
    let written = try Data(contentsOf: asset.url)
    #expect(written[Int(range.lowerBound)..<Int(range.upperBound)] == bytes)
    #expect(range.upperBound == UInt64(written.count))
    // The picture ends where the movie begins.
    #expect(try JPEGSegments(parsing: written).end == Int(range.lowerBound))
    #expect(!FileManager.default.fileExists(atPath: movie.path))
    #expect(scratch.files() == ["2026-11/IMG_20261121_073106_123.MP.jpg"])
    let xmp = try #require(
      try JPEGSegments(parsing: written).payload(of: .xmp).map { String(decoding: $0, as: UTF8.self) })
    // The attributes that Android's parser looks for, character by character.
    #expect(xmp.components(separatedBy: "<rdf:Description").count == 2)
    #expect(xmp.contains("GCamera:MotionPhoto=\"1\""))
    #expect(xmp.contains("Item:Semantic=\"MotionPhoto\" Item:Length=\"\(bytes.count)\""))
  }

  @Test func aMovieThatIsToStayStays() async throws {
    let scratch = try Scratch()
    let library = try await scratch.library()
    let movie = try await Samples.movie(in: library)
    _ = try await library.createAsset(
      AssetCreationRequest(
        photo: Samples.jpeg(), metadata: Samples.metadata(), pairedVideo: movie, shouldMoveFile: false))
    #expect(FileManager.default.fileExists(atPath: movie.path))
  }

  @Test func aStagedStillIsDurableAtOnceAndBecomesTheLivePhoto() async throws {
    let scratch = try Scratch()
    let library = try await scratch.library()
    let staged = try await library.stage(Samples.jpeg(), metadata: Samples.metadata())
    #expect(try await library.fetchAssets().isEmpty)
    #expect(scratch.files().count == 1)
    let movie = try await Samples.movie(in: library)
    let asset = try await library.createAsset(
      AssetCreationRequest(staged: staged, pairedVideo: movie, photoDisplayTime: 1.5))
    #expect(asset.id == staged.id && asset.isLive && asset.photoDisplayTime == 1.5)
    #expect(scratch.files() == ["2026-11/IMG_20261121_073106_123.MP.jpg"])
  }

  @Test func aStagedStillWithoutAMovieBecomesAPhoto() async throws {
    let scratch = try Scratch()
    let library = try await scratch.library()
    let staged = try await library.stage(Samples.jpeg(), metadata: Samples.metadata())
    let missing = library.movieFolder.appendingPathComponent("never.mp4")
    await #expect(throws: PhotoLibraryError.fileMissing(path: missing.path)) {
      try await library.createAsset(AssetCreationRequest(staged: staged, pairedVideo: missing))
    }
    let asset = try await library.createAsset(AssetCreationRequest(staged: staged))
    #expect(asset.id == staged.id && !asset.isLive)
    #expect(scratch.files() == ["2026-11/IMG_20261121_073106_123.jpg"])
  }

  @Test func whatIsNoMovieOrNoPictureIsRefused() async throws {
    let scratch = try Scratch()
    let library = try await scratch.library()
    let movie = try await Samples.movie(in: library)
    try Data("no video at all, only words".utf8).write(to: movie)
    await #expect(throws: PhotoLibraryError.unusableFile(path: movie.path, reason: "it isn’t an MP4 video")) {
      try await library.createAsset(
        AssetCreationRequest(photo: Samples.jpeg(), metadata: Samples.metadata(), pairedVideo: movie))
    }
    let cut = try Samples.jpeg().dropLast(2)
    await #expect(throws: PhotoLibraryError.self) {
      try await library.createAsset(AssetCreationRequest(photo: cut, metadata: Samples.metadata()))
    }
    #expect(try await library.count() == 0)
  }

  @Test func shotsOfOneMillisecondNeverOverwriteEachOther() async throws {
    let scratch = try Scratch()
    // Two libraries, as two processes would have.
    let libraries = [
      try await scratch.library(), try await PhotoLibrary.open(at: scratch.pictures, index: scratch.index),
    ]
    let jpegs = try (0..<24).map { try Samples.jpeg(shade: UInt8($0 * 10)) }
    let metadata = try Samples.metadata()
    let assets = try await withThrowingTaskGroup(of: Asset.self) { group in
      for (number, jpeg) in jpegs.enumerated() {
        group.addTask {
          try await libraries[number % 2].createAsset(AssetCreationRequest(photo: jpeg, metadata: metadata))
        }
      }
      return try await group.reduce(into: []) { $0.append($1) }
    }
    #expect(Set(assets.map(\.id)).count == jpegs.count)
    #expect(Set(assets.map(\.url)).count == jpegs.count)
    #expect(scratch.files().count == jpegs.count)
    #expect(scratch.files().contains("2026-11/IMG_20261121_073106_123_2.jpg"))
    for library in libraries { #expect(try await Set(library.fetchAssets().map(\.id)) == Set(assets.map(\.id))) }
  }

  @Test func oneBlockMakesAllOrNothing() async throws {
    let scratch = try Scratch()
    let library = try await scratch.library()
    let good = try AssetCreationRequest(photo: Samples.jpeg(), metadata: Samples.metadata())
    let other = try AssetCreationRequest(photo: Samples.jpeg(), metadata: Samples.metadata())
    let bad = try AssetCreationRequest(photo: Data("x".utf8), metadata: Samples.metadata())
    await #expect(throws: PhotoLibraryError.self) {
      try await library.performChanges { changes in
        changes.create(good)
        changes.create(bad)
      }
    }
    #expect(scratch.files().isEmpty)
    struct Refusal: Error {}
    await #expect(throws: PhotoLibraryError.self) {
      try await library.performChanges { changes in
        changes.create(good)
        throw Refusal()
      }
    }
    #expect(scratch.files().isEmpty)
    let ids = try await library.performChanges { changes in [changes.create(good).id, changes.create(other).id] }
    #expect(try await Set(library.fetchAssets().map(\.id)) == Set(ids))
  }
}
