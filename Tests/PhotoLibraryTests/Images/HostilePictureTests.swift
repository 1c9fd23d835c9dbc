// Malicious and damaged files: a clear error or an image, bounded memory, and no hang.

import CameraCore
import Foundation
import MediaFormats
import Synchronization
import TestSupport
import Testing

@testable import PhotoLibrary

@Suite(.timeLimit(.minutes(30))) struct HostilePictureTests {
  private let scratch: Scratch
  private let manager = ImageManager()
  init() throws { scratch = try Scratch() }

  private let small = PixelSize(width: 256, height: 256)

  @Test func aBombOfFourHundredMillionPixels() async throws {
    let asset = try await scratch.asset(HandMadeJPEG(side: 20_000).data)
    #expect(asset.size == PixelSize(width: 20_000, height: 20_000) && asset.fileSize < 5 << 20)
    // Decoded at an eighth, which is 25 MB.
    let image = try #require(try await manager.image(for: asset, targetSize: PixelSize(width: 2000, height: 2000)))
    #expect(image.size == PixelSize(width: 2500, height: 2500) && image.block.count == 25_000_000)
    #expect(abs(Int(image.pixel(2400, 2400).green) - 128) < 3)
    // The whole of it would be 1.6 GB.
    let error = await #expect(throws: PhotoLibraryError.self) {
      try await manager.image(for: asset, targetSize: asset.size)
    }
    #expect(error == .unusableFile(path: asset.url.path, reason: "at 20000 × 20000 pixels, it’s too large"))
    #expect(manager.cachedByteCount == image.block.count)
  }

  @Test(arguments: [
    HandMadeJPEG(side: 20_000, frameMarker: 0xc2), HandMadeJPEG(side: 20_000, components: 3, frameMarker: 0xc2),
    HandMadeJPEG(side: 20_000, components: 3, isInterleaved: false),
  ])
  func aBombThatMustBeHeldWholeIsNotBegun(bomb: HandMadeJPEG) async throws {
    var asset = try await scratch.asset(Samples.jpeg())
    // Nothing but the headers is needed to know.
    try bomb.data.write(to: asset.url)
    asset.size = PixelSize(width: 20_000, height: 20_000)
    let error = await #expect(throws: PhotoLibraryError.self) {
      try await manager.image(for: asset, targetSize: small)
    }
    #expect(error?.description.contains("its 20000 × 20000 pixels are stored in several passes") == true)
    let amount = bomb.components == 1 ? "762.9 MB" : "2.24 GB"
    #expect(error?.description.contains("takes \(amount) of memory") == true, "\(String(describing: error))")
    #expect(throws: PhotoLibraryError.self) { try ScaledJPEG.thumbnail(of: bomb.data) }
  }

  @Test func whatNobodyWantsIsNotDecodedToItsEnd() async throws {
    let library = try await scratch.library()
    try scratch.put(LongTIFF.data, "2026-11/long.tif")
    try await library.refresh()
    let asset = try #require(try await library.fetchAssets().first)
    let folder = scratch.url.appendingPathComponent("thumbnails", isDirectory: true)
    let manager = ImageManager(thumbnailFolder: folder)
    let (gate, opening) = AsyncStream<Void>.makeStream()
    let requests = Mutex<Task<Void, any Error>?>(nil)
    let request = Task { [small] in
      for await _ in gate {}
      // All of the file has been read: its decoding is next.
      let images = manager.requestImage(
        for: asset, targetSize: small, progress: { if $0 == 1 { requests.withLock { $0 }?.cancel() } })
      for try await _ in images {}
    }
    requests.withLock { $0 = request }
    opening.finish()
    _ = await request.result
    #expect(request.isCancelled)
    await manager.becomesIdle()
    // Neither a thumbnail nor the note that there can't be one.
    #expect((FileManager.default.subpaths(atPath: folder.path) ?? []).filter { $0.hasSuffix(".png") }.isEmpty)
    await library.close()
  }

  @Test func aSizeThatLiesTakesNoMemory() async throws {
    var asset = try await scratch.asset(Samples.jpeg())
    try HandMadeJPEG(side: 65_488, components: 3, scanBytes: 100).data.write(to: asset.url)
    asset.size = PixelSize(width: 65_488, height: 65_488)
    await #expect(
      throws: PhotoLibraryError.unusableFile(path: asset.url.path, reason: "at 65488 × 65488 pixels, it’s too large")
    ) { try await manager.image(for: asset, targetSize: small) }
  }

  /// Those that people have are shown.
  @Test(arguments: [
    HandMadeJPEG(side: 2000, components: 3, frameMarker: 0xc2),
    HandMadeJPEG(side: 2000, components: 3, isInterleaved: false),
  ])
  func aPictureInSeveralPassesIsShown(picture: HandMadeJPEG) async throws {
    let asset = try await scratch.asset(picture.data)
    let image = try #require(try await manager.image(for: asset, targetSize: small))
    #expect(image.size == PixelSize(width: 500, height: 500))
    #expect(abs(Int(image.pixel(100, 100).green) - 128) < 3)
  }

  @Test func aFileThatIsTooLongIsNotRead() async throws {
    let asset = try await scratch.asset(Samples.jpeg())
    // A sparse file: nothing of it lies on the disk.
    try FileHandle(forWritingTo: asset.url).truncate(atOffset: 1 << 40)
    await #expect(
      throws: PhotoLibraryError.unusableFile(
        path: asset.url.path, reason: "at \(UInt64(1 << 40).localizedByteCount), it’s too large to show")
    ) { try await manager.image(for: asset, targetSize: small) }
  }

  /// Cut at many places: a picture as far as it goes, or a clear error.
  @Test func aTruncatedFileGivesWhatItHas() async throws {
    let whole = try Samples.jpeg(width: 640, height: 360)
    let asset = try await scratch.asset(whole)
    let scan = try JPEGSegments(parsing: whole).scan.lowerBound
    for length in [scan + 200, (scan + whole.count) / 2, whole.count - 2] {
      try whole.prefix(length).write(to: asset.url)
      let image = try await ImageManager().image(for: asset, targetSize: small)
      #expect(image?.size == PixelSize(width: 320, height: 180))
    }
    for length in [0, 1, 2, 20, 300] {
      try whole.prefix(length).write(to: asset.url)
      await #expect(
        throws: PhotoLibraryError.unusableFile(path: asset.url.path, reason: "it isn’t a picture")
      ) { try await ImageManager().image(for: asset, targetSize: small) }
    }
  }

  @Test func whatIsNoFileIsSaid() async throws {
    let asset = try await scratch.asset(Samples.jpeg())
    let expected = PhotoLibraryError.unusableFile(path: asset.url.path, reason: "it isn’t a regular file")
    try FileManager.default.removeItem(at: asset.url)
    #expect(mkfifo(asset.url.path, 0o600) == 0)
    await #expect(throws: expected) { try await manager.image(for: asset, targetSize: small) }
    unlink(asset.url.path)
    #expect(mkdir(asset.url.path, 0o700) == 0)
    await #expect(throws: expected) { try await manager.image(for: asset, targetSize: small) }
  }

  @Test func aLengthThatLiesIsFoundOut() async throws {
    let library = try await scratch.library()
    let asset = try await library.createAsset(
      AssetCreationRequest(
        photo: Samples.jpeg(), metadata: Samples.metadata(), pairedVideo: Samples.movie(in: library)))
    await library.close()
    let range = try #require(asset.movieRange)
    let reader = ScriptedFrameReader()
    let manager = ImageManager(movieFrames: reader)
    for lie in [
      range.lowerBound - 7..<range.upperBound, range.lowerBound..<range.upperBound + 1,
      range.lowerBound..<UInt64.max, range.upperBound..<range.upperBound, 0..<range.upperBound,
      UInt64.max - 1..<UInt64.max,
    ] {
      var liar = asset
      liar.movieRange = lie
      await #expect(throws: PhotoLibraryError.self) { try await manager.requestMovie(for: liar) }
      await #expect(throws: PhotoLibraryError.self) { try await manager.movieFrame(of: liar, at: 0, targetSize: small) }
    }
    #expect(reader.requests.isEmpty)
    // The picture itself is not in doubt.
    #expect(try await manager.image(for: asset, targetSize: small) != nil)

    // The file lies, rather than what was fetched: then it is a plain photo.
    var bytes = try Data(contentsOf: asset.url)
    bytes.removeLast(10)
    let plain = try await scratch.asset(bytes, "lying.MP.jpg")
    #expect(!plain.isLive && plain.movieRange == nil)
    #expect(try await manager.requestMovie(for: plain) == nil)
    #expect(try await manager.image(for: plain, targetSize: small) != nil)
  }

  @Test func aThumbnailThatLiesIsNotTaken() async throws {
    // An EXIF thumbnail of another shape, and one that is a bomb.
    for thumbnail in [
      try Samples.jpeg(width: 120, height: 120), HandMadeJPEG(side: 30_000).data.prefix(40_000),
      HandMadeJPEG(side: 30_000, frameMarker: 0xc2, scanBytes: 100).data,
    ] {
      var metadata = try Samples.metadata(size: PixelSize(width: 640, height: 360))
      metadata.thumbnail = thumbnail
      let photo = try PhotoAssembly.photo(
        jpeg: Samples.jpeg(width: 640, height: 360), metadata: metadata, id: AssetIdentity.makeID())
      let asset = try await scratch.asset(photo)
      let image = try await ImageManager().image(for: asset, targetSize: PixelSize(width: 100, height: 100))
      #expect(image?.isRed(right: false, bottom: false) == true)
    }
  }
}

extension Samples {
  /// A JPEG whose head is right, and that no decoder takes: its samples have 12 bits.
  static func undecodableJPEG() throws -> Data {
    var data = HandMadeJPEG(side: 160, frameMarker: 0xc1).data
    let frame = try #require(data.range(of: Data([0xff, 0xc1, 0, 11])))
    data[frame.upperBound] = 12
    return data
  }
}
