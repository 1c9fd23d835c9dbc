// Images at requested sizes.

import CTurboJPEG
import CameraCore
import Foundation
import MediaFormats
import Testing

@testable import PhotoLibrary

@Suite(.timeLimit(.minutes(30))) struct ImageManagerTests {
  private let scratch: Scratch
  init() throws { scratch = try Scratch() }

  private func asset(_ data: Data, _ name: String = "a.jpg") async throws -> Asset {
    try await scratch.asset(data, name)
  }

  @Test func aSmallPictureComesFromTheThumbnail() async throws {
    let metadata = try Samples.metadata(size: PixelSize(width: 1920, height: 1080))
    let photo = try PhotoAssembly.photo(
      jpeg: Samples.jpeg(width: 1920, height: 1080), metadata: metadata, id: AssetIdentity.makeID())
    // With the scan cut off, only the thumbnail can be it.
    let head = try JPEGSegments(parsing: photo).scan.lowerBound + 40
    let asset = try await asset(photo.prefix(head))
    let manager = ImageManager()
    let image = try #require(
      try await manager.image(for: asset, targetSize: PixelSize(width: 128, height: 72)))
    #expect(image.size == PixelSize(width: 140, height: 79) || image.size == PixelSize(width: 160, height: 90))
    #expect(image.isRed(right: false, bottom: false))
    #expect(manager.cachedByteCount == image.block.count)
  }

  @Test func aLargerOneIsDecodedAtAFraction() async throws {
    let asset = try await asset(Samples.jpeg(width: 1920, height: 1080))
    let manager = ImageManager()
    for (target, mode, size) in [
      (PixelSize(width: 480, height: 480), ImageContentMode.aspectFit, PixelSize(width: 480, height: 270)),
      (PixelSize(width: 480, height: 480), .aspectFill, PixelSize(width: 960, height: 540)),
      (PixelSize(width: 5000, height: 5000), .aspectFit, PixelSize(width: 1920, height: 1080)),
      (PixelSize(width: 50, height: 50), .aspectFit, PixelSize(width: 60, height: 33)),
    ] {
      let image = try #require(try await manager.image(for: asset, targetSize: target, contentMode: mode))
      #expect(image.size == size)
      #expect(image.stride == size.width * 4 && image.block.count == size.area * 4)
      #expect(image.isRed(right: false, bottom: false) && !image.isRed(right: true, bottom: true))
    }
  }

  @Test func aRoughOneComesFirst() async throws {
    let metadata = try Samples.metadata(size: PixelSize(width: 1280, height: 720))
    let photo = try PhotoAssembly.photo(
      jpeg: Samples.jpeg(width: 1280, height: 720), metadata: metadata, id: AssetIdentity.makeID())
    let asset = try await asset(photo)
    let manager = ImageManager()
    for isCached in [false, true] {
      var results: [ImageResult] = []
      for try await result in manager.requestImage(for: asset, targetSize: PixelSize(width: 640, height: 360)) {
        results.append(result)
      }
      #expect(results.map(\.isDegraded) == (isCached ? [false] : [true, false]))
      #expect(results.last?.image.size == PixelSize(width: 640, height: 360))
    }
  }

  @Test func theMovieOfALivePhotoIsNotInTheWay() async throws {
    let library = try await scratch.library()
    let asset = try await library.createAsset(
      AssetCreationRequest(
        photo: Samples.jpeg(), metadata: Samples.metadata(), pairedVideo: Samples.movie(in: library)))
    let image = try await ImageManager().image(for: asset, targetSize: PixelSize(width: 320, height: 180))
    #expect(image?.size == PixelSize(width: 320, height: 180))
  }

  @Test func aVideoHasNone() async throws {
    let asset = try await asset(Samples.mp4(), "a.mp4")
    #expect(try await ImageManager().image(for: asset, targetSize: PixelSize(width: 9, height: 9)) == nil)
    for try await _ in ImageManager().requestImage(for: asset, targetSize: PixelSize(width: 9, height: 9)) {
      Issue.record("There is no picture.")
    }
  }

  /// Orientation, and where the picture's top left corner is to be seen.
  @Test(arguments: [
    (1, false, false), (2, true, false), (3, true, true), (4, false, true), (5, false, false), (6, true, false),
    (7, true, true), (8, false, true),
  ]) func picturesAreUpright(orientation: Int, right: Bool, bottom: Bool) async throws {
    // A TIFF structure with the one tag.
    let exif =
      Data("Exif\0\0II*\0".utf8) + [
        8, 0, 0, 0, 1, 0, 0x12, 0x01, 3, 0, 1, 0, 0, 0, UInt8(orientation), 0, 0, 0, 0, 0, 0, 0,
      ]
    let jpeg = try JPEGSegments(parsing: Samples.jpeg()).assemble(front: [
      JPEGSegments.segment(marker: JPEGMarker.app1, payload: exif)
    ])
    let asset = try await asset(jpeg)
    let size = orientation >= 5 ? PixelSize(width: 180, height: 320) : PixelSize(width: 320, height: 180)
    #expect(asset.size == size)
    let image = try #require(try await ImageManager().image(for: asset, targetSize: size))
    #expect(image.size == size)
    for (atRight, atBottom) in [(false, false), (false, true), (true, false), (true, true)] {
      #expect(image.isRed(right: atRight, bottom: atBottom) == (atRight == right && atBottom == bottom))
    }
  }

  @Test func memoryHasALimit() async throws {
    let manager = ImageManager(cacheByteLimit: 100_000)
    let asset = try await asset(Samples.jpeg(width: 640, height: 360))
    for width in stride(from: 40, to: 640, by: 40) {
      _ = try await manager.image(for: asset, targetSize: PixelSize(width: width, height: width))
      #expect(manager.cachedByteCount <= 100_000)
    }
    #expect(manager.cachedByteCount > 0)
  }

  @Test func whatCannotBeShownIsSaid() async throws {
    let asset = try await asset(Samples.jpeg())
    let manager = ImageManager()
    try Data("gone bad".utf8).write(to: asset.url)
    await #expect(throws: PhotoLibraryError.self) {
      try await manager.image(for: asset, targetSize: PixelSize(width: 64, height: 64))
    }
    try FileManager.default.removeItem(at: asset.url)
    await #expect(throws: PhotoLibraryError.fileMissing(path: asset.url.path)) {
      try await manager.image(for: asset, targetSize: PixelSize(width: 64, height: 64))
    }
    let task = Task {
      withUnsafeCurrentTask { $0?.cancel() }
      return try await manager.image(for: asset, targetSize: PixelSize(width: 64, height: 64))
    }
    await #expect(throws: CancellationError.self) { try await task.value }
  }
}
