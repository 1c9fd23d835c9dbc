// Live photos, their movies, and the bytes of assets.

import CameraCore
import Foundation
import Testing

@testable import PhotoLibrary

@Suite(.timeLimit(.minutes(1))) struct AssetDataTests {
  private let scratch: Scratch
  private let manager = ImageManager()
  init() throws { scratch = try Scratch() }

  /// - Parameter mediaBytes: Of the movie, at least.
  private func livePhoto(mediaBytes: Int = 5000) async throws -> (asset: Asset, movie: Data) {
    let library = try await scratch.library()
    let movie = Samples.mp4(mediaBytes: mediaBytes)
    let url = try await Samples.movie(in: library)
    try movie.write(to: url)
    let asset = try await library.createAsset(
      AssetCreationRequest(
        photo: Samples.jpeg(), metadata: Samples.metadata(displayTime: 1.25), pairedVideo: url))
    await library.close()
    return (asset, movie)
  }

  @Test func aLivePhotoHasItsHalves() async throws {
    let (asset, movie) = try await livePhoto()
    let live = try #require(
      try await manager.requestLivePhoto(for: asset, targetSize: PixelSize(width: 160, height: 160)))
    #expect(live.still.size == PixelSize(width: 160, height: 90) && live.size == PixelSize(width: 320, height: 180))
    #expect(live.photoDisplayTime == 1.25 && live.movie.duration == 3)
    #expect(live.movie.url == asset.url && live.movie.byteRange == asset.movieRange)
    #expect(live.movie.byteRange.count == movie.count)
    let photo = try await scratch.asset(Samples.jpeg(), "b.jpg")
    #expect(try await manager.requestLivePhoto(for: photo, targetSize: PixelSize(width: 9, height: 9)) == nil)
    #expect(try await manager.requestMovie(for: photo) == nil)
    let video = try await scratch.asset(movie, "c.mp4")
    #expect(try await manager.requestMovie(for: video)?.byteRange == 0..<UInt64(movie.count))
    #expect(try await manager.requestLivePhoto(for: video, targetSize: PixelSize(width: 9, height: 9)) == nil)
  }

  @Test func theBytesComeInPieces() async throws {
    let (asset, movie) = try await livePhoto(mediaBytes: 3 * AssetData.pieceLength)
    let whole = try Data(contentsOf: asset.url)
    for (resource, expected) in [
      (AssetResource.file, whole), (.movie, movie), (.still, whole.prefix(whole.count - movie.count)),
    ] {
      let data = try #require(try await manager.requestData(for: asset, resource: resource))
      #expect(data.byteCount == UInt64(expected.count))
      var (all, fractions) = (Data(), [Double]())
      for try await piece in data {
        #expect(piece.offset == UInt64(all.count) && piece.bytes.count <= AssetData.pieceLength)
        all.append(piece.bytes)
        fractions.append(piece.fractionCompleted)
      }
      #expect(all == expected)
      #expect(fractions == fractions.sorted() && fractions.last == 1)
      // And again from the start.
      #expect(try await data.collected(upTo: 10 << 20) == expected)
    }
    #expect(whole.prefix(whole.count - movie.count).suffix(2) == Data([0xff, 0xd9]))
    let file = try #require(try await manager.requestData(for: asset, resource: .file))
    await #expect(throws: PhotoLibraryError.self) { try await file.collected(upTo: 1000) }
    // Once open it is read to its end, whatever its name.
    try FileManager.default.removeItem(at: asset.url)
    #expect(try await file.collected(upTo: 10 << 20) == whole)
    await #expect(throws: PhotoLibraryError.fileMissing(path: asset.url.path)) {
      try await manager.requestData(for: asset, resource: .file)
    }
  }

  @Test func photosHaveNoMovieAndVideosNoStill() async throws {
    let photo = try await scratch.asset(Samples.jpeg(), "b.jpg")
    #expect(try await manager.requestData(for: photo, resource: .movie) == nil)
    #expect(try await manager.requestData(for: photo, resource: .still)?.byteCount == photo.fileSize)
    let video = try await scratch.asset(Samples.mp4(), "c.mp4")
    #expect(try await manager.requestData(for: video, resource: .still) == nil)
    await #expect(throws: PhotoLibraryError.self) {
      try await manager.copyMovie(of: photo, to: scratch.url.appendingPathComponent("x.mp4"))
    }
  }

  @Test func readingStopsWhenCancelled() async throws {
    let (asset, _) = try await livePhoto(mediaBytes: 3 * AssetData.pieceLength)
    let data = try #require(try await manager.requestData(for: asset, resource: .file))
    let task = Task {
      var count = 0
      for try await _ in data {
        count += 1
        withUnsafeCurrentTask { $0?.cancel() }
      }
      return count
    }
    await #expect(throws: CancellationError.self) { try await task.value }
  }

  @Test func aFileThatShrinksIsAnError() async throws {
    let (asset, _) = try await livePhoto(mediaBytes: 3 * AssetData.pieceLength)
    let data = try #require(try await manager.requestData(for: asset, resource: .file))
    try FileHandle(forWritingTo: asset.url).truncate(atOffset: UInt64(AssetData.pieceLength) + 5)
    var count = 0
    await #expect(throws: PhotoLibraryError.self) { for try await _ in data { count += 1 } }
    #expect(count == 1)
    let target = scratch.url.appendingPathComponent("copy.jpg")
    await #expect(throws: PhotoLibraryError.self) { try await data.write(to: target) }
    #expect(try FileManager.default.contentsOfDirectory(atPath: scratch.path).allSatisfy { !$0.contains("copy") })
  }

  @Test func theMovieIsCopiedOut() async throws {
    let (asset, movie) = try await livePhoto(mediaBytes: AssetData.copyLength + 5000)
    let target = scratch.url.appendingPathComponent("the movie.mp4")
    try Data("old".utf8).write(to: target)
    let progress = Notes<Double>()
    try await manager.copyMovie(of: asset, to: target) { progress.add($0) }
    #expect(try Data(contentsOf: target) == movie)
    #expect(progress.all.count == 2 && progress.all.last == 1)

    // Cancelled in the middle, the old file stays, and nothing else.
    try Data("old".utf8).write(to: target)
    let task = Task {
      try await manager.copyMovie(of: asset, to: target) { _ in withUnsafeCurrentTask { $0?.cancel() } }
    }
    await #expect(throws: CancellationError.self) { try await task.value }
    #expect(try Data(contentsOf: target) == Data("old".utf8))
    #expect(try FileManager.default.contentsOfDirectory(atPath: scratch.path).filter { $0.hasSuffix(".tmp") }.isEmpty)

    await #expect(throws: PhotoLibraryError.self) {
      try await manager.copyMovie(of: asset, to: scratch.url.appendingPathComponent("no folder/x.mp4"))
    }
  }
}
