// Exports: the contents of each form, and existing files that are never replaced.

import CameraCore
import EngineInterface
import Foundation
import PhotoEffects
import Synchronization
import TestSupport
import Testing

@testable import MediaFormats
@testable import PhotoLibrary

@Suite(.timeLimit(.minutes(30))) struct ExportTests {
  private func livePhoto(in library: PhotoLibrary) async throws -> (asset: Asset, movie: Data) {
    let movie = try await Samples.movie(in: library)
    let bytes = try Data(contentsOf: movie)
    let asset = try await library.createAsset(
      AssetCreationRequest(
        photo: try Samples.jpeg(), metadata: Samples.metadata(displayTime: 1.5), pairedVideo: movie))
    return (asset, bytes)
  }

  @Test func aLivePhotoInAllItsForms() async throws {
    let scratch = try Scratch()
    let library = try await scratch.library()
    let (asset, movie) = try await livePhoto(in: library)
    try await library.performChanges { $0.change(AssetChangeRequest(for: asset.id, isFavorite: true)) }
    let now = try #require(try await library.asset(id: asset.id))
    let file = try Data(contentsOf: now.url)
    let folder = scratch.url.appendingPathComponent("out/of it")
    var exported: [ExportForm: Data] = [:]
    for form in [ExportForm.original, .current, .still, .movie] {
      let report = try await library.export([now], as: form, into: folder)
      #expect(report.refused.isEmpty && !report.isCancelled)
      let one = try #require(report.exported.first)
      #expect(one.note == nil)
      exported[form] = try Data(contentsOf: one.url)
      let dates = try [one.url, now.url].map {
        try FileManager.default.attributesOfItem(atPath: $0.path)[.modificationDate] as? Date
      }
      #expect(dates[0] == dates[1])
    }
    #expect(exported[.original] == file && exported[.current] == file && exported[.movie] == movie)
    let still = try #require(exported[.still])
    let scan = try JPEGSegments(parsing: file).scan.lowerBound
    let ownScan = try JPEGSegments(parsing: still).scan.lowerBound
    #expect(still[ownScan...] == file[scan..<(file.count - movie.count)])
    // Nothing of the movie is left in what it says, and all else is.
    let stillFile = try ReadableFile(folder.appendingPathComponent(stem(now) + ".jpg").path, disk: Disk())
    let head = try #require(try JPEGHead(stillFile))
    #expect(try MotionPhoto(stillFile, head: head) == nil)
    let packet = try XMPPacket([UInt8](try #require(head.xmp)))
    let names = packet.elements.map(\.name) + packet.elements.flatMap(\.attributes).map(\.name)
    #expect(names.allSatisfy { !$0.namespace.contains("ns.google.com") })
    #expect(packet.standardMetadata.rating == 5)
    #expect(head.exif == (try JPEGHead(ReadableFile(now.url.path, disk: Disk())))?.exif)
    let files = try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted()
    #expect(
      files == ["\(stem(now)) (2).MP.jpg", "\(stem(now)).MP.jpg", "\(stem(now)).jpg", "\(stem(now)).mp4"].sorted())
  }

  /// With a movie whose samples can be found again.
  private func realLivePhoto(in library: PhotoLibrary) async throws -> (asset: Asset, movie: Data) {
    try await library.prepareForCapture()
    let movie = library.movieFolder.appendingPathComponent("shot.mp4", isDirectory: false)
    let bytes = HandMadeMovie().data
    try bytes.write(to: movie)
    let asset = try await library.createAsset(
      AssetCreationRequest(
        photo: try Samples.jpeg(), metadata: Samples.metadata(displayTime: 0.2), pairedVideo: movie))
    return (asset, bytes)
  }

  @Test(arguments: [
    ("LIVE", "LIVE.JPG", "LIVE.MOV"), ("a.b", "a.b.JPG", "a.b.MOV"), ("live.jpg", "live.jpg", "live.mov"),
    ("L.JPEG", "L.JPEG", "L.MOV"), ("live.heic", "live.JPG", "live.MOV"), (nil, "STEM.JPG", "STEM.MOV"),
  ])
  func anAppleLivePhotoIsTwoFilesThatNameEachOther(name: String?, still: String, movie: String) async throws {
    let scratch = try Scratch()
    let library = try await scratch.library()
    let (asset, _) = try await realLivePhoto(in: library)
    let before = try Data(contentsOf: asset.url)
    let folder = scratch.url.appendingPathComponent("out")
    let exported: ExportReport.Exported
    if let name {
      exported = try await library.export(asset, as: .appleLivePhoto, to: folder.appendingPathComponent(name))
    } else {
      exported = try #require(try await library.export([asset], as: .appleLivePhoto, into: folder).exported.first)
    }
    let names = [still, movie].map { $0.replacingOccurrences(of: "STEM", with: stem(asset)) }
    #expect([exported.url, exported.companions.first].map { $0?.lastPathComponent } == names)
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted() == names.sorted())
    #expect(try Data(contentsOf: asset.url) == before)

    let stillFile = try ReadableFile(exported.url.path, disk: Disk())
    let head = try #require(try JPEGHead(stillFile))
    let mark = try #require(head.exif.flatMap { AppleContentIdentifier.photo(exif: $0) })
    #expect(UUID(uuidString: mark)?.uuidString == mark)
    let moving = try #require(exported.companions.first)
    #expect(try AppleContentIdentifier.movie(ReadableFile(moving.path, disk: Disk())) == mark)
    // The still is one, and nothing more.
    #expect(head.xmp.flatMap { MotionPhotoDescription(xmp: $0) } == nil)
    let picture = try JPEGSegments(parsing: Data(contentsOf: exported.url))
    #expect(picture.trailer.isEmpty)
    let own = try JPEGSegments(parsing: before)
    #expect(picture.data[picture.scan] == before[own.scan])
    let facts = try #require(head.exif.flatMap { MetadataToolkit.facts(exif: $0, wantsThumbnail: true) })
    #expect(facts.uniqueID == asset.id && facts.cameraName == asset.cameraName && facts.thumbnail != nil)
    let frames = try HandMadeMovie.samples(of: 0, in: Data(contentsOf: moving))
    #expect(frames == (0..<12).map(HandMadeMovie.frame))
  }

  /// Photos on phones take the place of a live photo from its movie.
  @Test(arguments: [false, true]) func thePairsMovieHasThePlaceOfTheStill(dropsLocation: Bool) async throws {
    let scratch = try Scratch()
    let library = try await scratch.library()
    let (asset, _) = try await realLivePhoto(in: library)
    // The movie of a webcam has no place; its still got one from another program.
    let bytes = try Data(contentsOf: asset.url)
    let segments = try JPEGSegments(parsing: bytes)
    let exif = try MetadataToolkit.withPlace(#require(segments.payload(of: .exif)).dropFirst(6))
    let front = try segments.segments.map { segment in
      segment.kind == .exif
        ? try JPEGSegments.segment(marker: segment.marker, payload: Data("Exif\0\0".utf8) + exif)
        : bytes[segment.range]
    }
    try (segments.removing { _ in true }.assemble(front: front) + bytes[segments.trailer]).write(to: asset.url)
    try await library.refresh()
    let placed = try #require(try await library.asset(id: asset.id))
    #expect(placed.isLive && placed.location != nil)
    let report = try await library.export(
      [placed], as: .appleLivePhoto, ExportOptions(dropsLocation: dropsLocation),
      into: scratch.url.appendingPathComponent("out"))
    let movie = try Data(contentsOf: #require(report.exported.first?.companions.first))
    let isThere = movie.range(of: Data("com.apple.quicktime.location.ISO6709".utf8)) != nil
    #expect(isThere == !dropsLocation)
    #expect((movie.range(of: Data("+48.858333+002.294444/".utf8)) != nil) == !dropsLocation)
  }

  @Test func ofAPairBothFilesAreThereOrNeither() async throws {
    let scratch = try Scratch()
    let folder = scratch.url.appendingPathComponent("out")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    // Each step that touches the folder fails once.
    var failed = 0
    for step in 0... {
      let count = Mutex(0)
      let disk = Disk { _, path in
        guard path.hasPrefix(folder.path) else { return nil }
        return count.withLock { number in
          number += 1
          return number == step + 1 ? EIO : nil
        }
      }
      let library = try await scratch.library(disk: disk)
      let found = try await library.fetch().allAssets().first
      let asset = if let found { found } else { try await realLivePhoto(in: library).asset }
      count.withLock { $0 = 0 }
      let result = try? await library.export(asset, as: .appleLivePhoto, to: folder.appendingPathComponent("LIVE"))
      let names = try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted()
      await library.close()
      guard result == nil else {
        #expect(names == ["LIVE.JPG", "LIVE.MOV"])
        break
      }
      failed += 1
      #expect(names.isEmpty, "step \(step)")
    }
    #expect(failed > 5)
  }

  @Test func whatIsCancelledHalfWayLeavesNothing() async throws {
    let scratch = try Scratch()
    let library = try await scratch.library()
    let (asset, _) = try await realLivePhoto(in: library)
    let folder = scratch.url.appendingPathComponent("out")
    let parts = Mutex<[Double]>([])
    let running = Mutex<Task<ExportReport.Exported, any Error>?>(nil)
    let task = Task {
      try await library.export(asset, as: .appleLivePhoto, to: folder.appendingPathComponent("LIVE")) { part in
        parts.withLock { $0.append(part) }
        running.withLock { $0?.cancel() }
      }
    }
    running.withLock { $0 = task }
    do {
      // It may have been at its end.
      _ = try await task.value
    } catch { #expect(error as? PhotoLibraryError == .cancelled) }
    let seen = parts.withLock { $0 }
    #expect(seen == seen.sorted() && seen.allSatisfy { (0...1).contains($0) } && !seen.isEmpty)
    let names = try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted()
    #expect(names.isEmpty || names == ["LIVE.JPG", "LIVE.MOV"])
  }

  @Test func halfOfAPairThatIsThereIsNotReplaced() async throws {
    let scratch = try Scratch()
    let library = try await scratch.library()
    let (asset, _) = try await realLivePhoto(in: library)
    let folder = scratch.url.appendingPathComponent("out")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    try Data("mine".utf8).write(to: folder.appendingPathComponent("LIVE.MOV"))
    await #expect(throws: PhotoLibraryError.self) {
      try await library.export(asset, as: .appleLivePhoto, to: folder.appendingPathComponent("LIVE"))
    }
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path) == ["LIVE.MOV"])
    try Data("mine".utf8).write(to: folder.appendingPathComponent(stem(asset) + ".MOV"))
    let report = try await library.export([asset], as: .appleLivePhoto, into: folder)
    #expect(report.exported.first?.url.lastPathComponent == stem(asset) + " (2).JPG")
    #expect(report.exported.first?.companions.first?.lastPathComponent == stem(asset) + " (2).MOV")
  }

  @Test func anEditedPictureHasItsOriginalStill() async throws {
    let scratch = try Scratch()
    let library = try await scratch.library()
    let asset = try await library.createAsset(
      AssetCreationRequest(photo: try Samples.jpeg(shade: 20), metadata: Samples.metadata()))
    let before = try Data(contentsOf: asset.url)
    var request = AssetChangeRequest(for: asset.id)
    request.contentEditingOutput = ContentEditingOutput(
      photo: try Samples.jpeg(shade: 200),
      adjustmentData: AdjustmentData(formatIdentifier: "test", formatVersion: "1", data: Data()))
    try await library.performChanges { [request] in $0.change(request) }
    let edited = try #require(try await library.asset(id: asset.id))
    let target = scratch.url.appendingPathComponent("original.jpg")
    _ = try await library.export(edited, as: .original, to: target)
    #expect(try Data(contentsOf: target) == before)
    let current = scratch.url.appendingPathComponent("current.jpg")
    _ = try await library.export(edited, as: .current, to: current)
    #expect(try Data(contentsOf: current) == Data(contentsOf: edited.url))
  }

  @Test func nothingThatIsThereIsReplaced() async throws {
    let scratch = try Scratch()
    let library = try await scratch.library()
    let asset = try await library.createAsset(
      AssetCreationRequest(photo: try Samples.jpeg(), metadata: Samples.metadata()))
    let folder = scratch.url.appendingPathComponent("out")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    let target = folder.appendingPathComponent(asset.url.lastPathComponent)
    try Data("mine".utf8).write(to: target)
    await #expect(throws: PhotoLibraryError.self) { try await library.export(asset, as: .current, to: target) }
    let report = try await library.export([asset], as: .current, into: folder)
    #expect(try Data(contentsOf: target) == Data("mine".utf8))
    #expect(
      report.exported.map(\.url.lastPathComponent) == [asset.url.deletingPathExtension().lastPathComponent + " (2).jpg"]
    )
    // Nor is anything left over.
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path).count == 2)
  }

  @Test func whatCanNotBeExportedIsSaid() async throws {
    let scratch = try Scratch()
    let library = try await scratch.library()
    let asset = try await library.createAsset(
      AssetCreationRequest(photo: try Samples.jpeg(), metadata: Samples.metadata()))
    let report = try await library.export([asset], as: .movie, into: scratch.url.appendingPathComponent("out"))
    #expect(report.refused.map(\.assetID) == [asset.id] && report.exported.isEmpty)
    #expect(report.refused.first?.error.description.contains("no video") == true)
    let inside = library.folder.appendingPathComponent("copies")
    await #expect(throws: PhotoLibraryError.self) { try await library.export([asset], as: .current, into: inside) }
    try FileManager.default.removeItem(at: asset.url)
    let gone = try await library.export([asset], as: .current, into: scratch.url.appendingPathComponent("out"))
    #expect(gone.refused.first?.error == .fileMissing(path: asset.url.path))
  }

  @Test func soundThatCanNotBeKeptCanBeLeftOut() async throws {
    let scratch = try Scratch()
    let library = try await scratch.library()
    let (asset, _) = try await realLivePhoto(in: library)
    let target = scratch.url.appendingPathComponent("out/small.mp4")
    let error = await #expect(throws: PhotoLibraryError.self) {
      try await library.export(
        asset, as: .movie, ExportOptions(longestSide: 320), to: target, renderer: SilentRenderer())
    }
    guard case .exportFailed(path: asset.url.path, let reason) = error else {
      Issue.record("\(String(describing: error))")
      return
    }
    #expect(reason.contains("the sound is uncompressed"))
    #expect(reason.contains("remove the sound"))
    // The editor's advice.
    #expect(!reason.contains("mute") && !reason.contains("unchanged"))
    let options = ExportOptions(longestSide: 320, dropsSound: true)
    _ = try await library.export(asset, as: .movie, options, to: target, renderer: SilentRenderer())
    #expect(try Data(contentsOf: target) == HandMadeMovie(sounds: 0).data)
  }

  private func stem(_ asset: Asset) -> String {
    String(asset.url.lastPathComponent.dropLast(".MP.jpg".count))
  }
}

/// A renderer of movies that can't keep their sound.
struct SilentRenderer: EditRenderer {
  func movie(
    of source: MovieSource, edit: MovieEdit, into folder: URL, progress: @escaping @Sendable (Double) -> Void
  ) async throws -> RenderedMovie {
    guard edit.isMuted else {
      throw EditError.unusableSound(
        file: source.url.lastPathComponent,
        reason: "the sound is uncompressed and in an unknown format")
    }
    let url = folder.appendingPathComponent("silent.mp4")
    try HandMadeMovie(sounds: 0).data.write(to: url)
    return RenderedMovie(
      url: url, size: PixelSize(width: 320, height: 180), duration: 0.4, sourceTimes: [], times: [], hasSound: false)
  }

  func still(
    of source: EngineInterface.StillSource, processor: any FrameProcessing, time: Double
  ) async throws -> RenderedStill {
    throw EditError.encoding(reason: "only videos are asked for")
  }

  func still(
    of source: MovieSource, at time: Double, processor: (any FrameProcessing)?
  ) async throws -> RenderedStill {
    throw EditError.encoding(reason: "only videos are asked for")
  }

  func longExposure(
    of source: MovieSource, trim: ClosedRange<Double>?, processor: (any FrameProcessing)?,
    progress: @escaping @Sendable (Double) -> Void
  ) async throws -> RenderedStill {
    throw EditError.encoding(reason: "only videos are asked for")
  }
}
