// The images delivered for a request, their order, and preparing them in advance.

import CameraCore
import EngineInterface
import Foundation
import Testing

@testable import PhotoLibrary

@Suite(.timeLimit(.minutes(30))) struct ImageRequestTests {
  private let scratch: Scratch
  init() throws { scratch = try Scratch() }

  private let size = PixelSize(width: 640, height: 360)

  /// With an EXIF thumbnail of 160 × 90 pixels.
  private func photo(_ name: String = "a.jpg") async throws -> Asset {
    let metadata = try Samples.metadata(size: PixelSize(width: 1280, height: 720))
    let data = try PhotoAssembly.photo(
      jpeg: Samples.jpeg(width: 1280, height: 720), metadata: metadata, id: AssetIdentity.makeID())
    return try await scratch.asset(data, name)
  }

  private func results(
    _ manager: ImageManager, _ asset: Asset, _ size: PixelSize, _ mode: ImageRequestOptions.DeliveryMode
  ) async throws -> [String] {
    var results: [String] = []
    let options = ImageRequestOptions(deliveryMode: mode)
    for try await result in manager.requestImage(for: asset, targetSize: size, options: options) {
      results.append("\(result.isDegraded ? "rough" : "right") \(result.image.size)")
    }
    return results
  }

  @Test func deliveryModesChooseAmongThem() async throws {
    let asset = try await photo()
    #expect(try await results(ImageManager(), asset, size, .opportunistic) == ["rough 160x90", "right 640x360"])
    #expect(try await results(ImageManager(), asset, size, .highQualityFormat) == ["right 640x360"])
    #expect(try await results(ImageManager(), asset, size, .fastFormat) == ["rough 160x90"])
    let small = PixelSize(width: 150, height: 150)
    #expect(try await results(ImageManager(), asset, small, .fastFormat) == ["right 160x90"])
    #expect(try await results(ImageManager(), asset, small, .opportunistic) == ["right 160x90"])
    // Without a thumbnail the file is decoded after all.
    let bare = try await scratch.asset(Samples.jpeg(), "b.jpg")
    #expect(try await results(ImageManager(), bare, small, .fastFormat) == ["right 160x90"])
  }

  @Test func whatIsInMemoryInAnotherSizeComesAtOnce() async throws {
    let asset = try await scratch.asset(Samples.jpeg(width: 1280, height: 720))
    let manager = ImageManager()
    #expect(try await results(manager, asset, PixelSize(width: 160, height: 90), .fastFormat) == ["right 160x90"])
    #expect(try await results(manager, asset, size, .opportunistic) == ["rough 160x90", "right 640x360"])
    #expect(try await results(manager, asset, size, .opportunistic) == ["right 640x360"])
    // A little smaller: what is there will do. Much smaller: it will do for a moment.
    #expect(try await results(manager, asset, PixelSize(width: 500, height: 500), .opportunistic) == ["right 640x360"])
    #expect(
      try await results(manager, asset, PixelSize(width: 320, height: 180), .opportunistic)
        == ["rough 640x360", "right 320x180"])
    // And without the file.
    try FileManager.default.removeItem(at: asset.url)
    #expect(
      try await results(manager, asset, PixelSize(width: 1280, height: 720), .fastFormat) == ["rough 640x360"])
    await #expect(throws: PhotoLibraryError.fileMissing(path: asset.url.path)) {
      try await results(manager, asset, PixelSize(width: 1280, height: 720), .opportunistic)
    }
    manager.removeCachedImages()
    #expect(manager.cachedByteCount == 0)
  }

  @Test func roughPicturesOnlyGetBetter() async throws {
    let asset = try await photo()
    let manager = ImageManager()
    _ = try await manager.image(for: asset, targetSize: PixelSize(width: 320, height: 180))
    // Not the 160 × 90 of the file after the 320 × 180 of the memory.
    #expect(try await results(manager, asset, size, .opportunistic) == ["rough 320x180", "right 640x360"])
  }

  @Test func theThumbnailOfAnotherStateOfTheFileIsNotTaken() async throws {
    var asset = try await scratch.asset(Samples.jpeg(width: 640, height: 360, shade: 20))
    let manager = ImageManager()
    _ = try await results(manager, asset, size, .opportunistic)
    try Samples.jpeg(width: 640, height: 360, shade: 220).write(to: asset.url)
    asset.changed += 1
    let image = try #require(try await manager.image(for: asset, targetSize: size))
    #expect(image.pixel(600, 300).green > 200)
  }

  @Test func aRequestThatNobodyListensToEnds() async throws {
    let asset = try await photo()
    let manager = ImageManager()
    for try await result in manager.requestImage(for: asset, targetSize: size) {
      #expect(result.isDegraded)
      break
    }
    await manager.becomesIdle()
    // It may have been too late to stop it; the next one finds it all in order.
    #expect(try await manager.image(for: asset, targetSize: size)?.size == size)
  }

  // MARK: Ahead

  @Test func whatWasMadeAheadIsThereAtOnce() async throws {
    let assets = [try await photo("a.jpg"), try await photo("b.jpg"), try await photo("c.jpg")]
    let caching = CachingImageManager(images: ImageManager())
    caching.startCaching(for: assets, targetSize: size)
    await caching.finished()
    for asset in assets { try FileManager.default.removeItem(at: asset.url) }
    for asset in assets {
      var images: [PixelSize] = []
      for try await result in caching.requestImage(for: asset, targetSize: size) { images.append(result.image.size) }
      #expect(images == [size])
    }
    caching.stopCachingAll()
    #expect(caching.counts == (0, 0))
  }

  @Test func aheadFillsHalfOfTheMemoryAtMost() async throws {
    let assets = [try await photo("a.jpg"), try await photo("b.jpg"), try await photo("c.jpg")]
    // Room for one: a picture is counted as if it were twice as wide and high.
    let manager = ImageManager(cacheByteLimit: 2 * 16 * size.area)
    let caching = CachingImageManager(images: manager)
    caching.startCaching(for: assets, targetSize: size)
    #expect(caching.counts == (3, 2))
    await caching.finished()
    #expect(manager.cachedByteCount == 4 * size.area)
    // Twice is once.
    caching.startCaching(for: assets, targetSize: size)
    #expect(caching.counts == (3, 2))
    caching.stopCaching(for: assets.prefix(1), targetSize: size)
    #expect(caching.counts == (2, 1))
    await caching.finished()
    #expect(manager.cachedByteCount == 2 * 4 * size.area)
    caching.stopCaching(for: assets.suffix(1), targetSize: size)
    #expect(caching.counts == (1, 0))
  }

  // MARK: Movies

  @Test func videosShowTheirFirstFrame() async throws {
    let asset = try await scratch.asset(Samples.mp4(size: PixelSize(width: 1280, height: 720)), "a.mp4")
    let reader = ScriptedFrameReader()
    let manager = ImageManager(movieFrames: reader)
    #expect(try await results(manager, asset, size, .opportunistic) == ["right 640x360"])
    #expect(try await manager.image(for: asset, targetSize: size)?.pixel(5, 5).green == 200)
    let range = 0..<asset.fileSize
    #expect(
      reader.requests == [
        ScriptedFrameReader.Request(
          source: MovieSource(url: asset.url, byteRange: range), time: 0, size: size)
      ])
    _ = try await manager.movieFrame(of: asset, at: 1.5, targetSize: PixelSize(width: 64, height: 64))
    #expect(reader.requests.last?.time == 1.5)
    let broken = ImageManager(movieFrames: ScriptedFrameReader(error: .playbackFailed(file: "a.mp4", message: "x")))
    await #expect(throws: CameraError.playbackFailed(file: "a.mp4", message: "x")) {
      try await broken.image(for: asset, targetSize: size)
    }
    #expect(try await ImageManager().movieFrame(of: asset, at: 0, targetSize: size) == nil)
  }

  @Test func aFrameOfALivePhotoComesFromItsTail() async throws {
    let library = try await scratch.library()
    let asset = try await library.createAsset(
      AssetCreationRequest(
        photo: Samples.jpeg(), metadata: Samples.metadata(), pairedVideo: Samples.movie(in: library)))
    let reader = ScriptedFrameReader()
    _ = try await ImageManager(movieFrames: reader).movieFrame(of: asset, at: 2, targetSize: size)
    #expect(reader.requests.map(\.source.byteRange) == [try #require(asset.movieRange)])
    let photo = try await scratch.asset(Samples.jpeg(), "b.jpg")
    #expect(try await ImageManager(movieFrames: reader).movieFrame(of: photo, at: 2, targetSize: size) == nil)
  }

  @Test func aStillThatIsTooLongIsNotEdited() async throws {
    let library = try await scratch.library()
    let asset = try await library.createAsset(
      AssetCreationRequest(photo: Samples.jpeg(), metadata: Samples.metadata(), pairedVideo: nil))
    var input = try await library.contentEditingInput(for: asset.id) { _ in true }
    input.photoRange = 0..<StillSource.largestByteCount + 1
    let long = input
    let error = await #expect(throws: PhotoLibraryError.self) {
      _ = try await library.editingImage(for: long, targetSize: size, movieFrames: ScriptedFrameReader())
    }
    #expect(error?.description.contains((StillSource.largestByteCount + 1).localizedByteCount) == true)
  }
}
