// The movies of live photos and videos as ranges of their files.

import CameraCore
import Foundation
import Testing

@testable import PhotoLibrary

@Suite(.timeLimit(.minutes(30))) struct AssetMovieTests {
  private let scratch: Scratch
  private let manager = ImageManager()
  init() throws { scratch = try Scratch() }

  @Test func livePhotosAndVideosHaveMovies() async throws {
    let library = try await scratch.library()
    let movie = Samples.mp4()
    let url = try await Samples.movie(in: library)
    try movie.write(to: url)
    let asset = try await library.createAsset(
      AssetCreationRequest(
        photo: Samples.jpeg(), metadata: Samples.metadata(displayTime: 1.25), pairedVideo: url))
    await library.close()
    let live = try #require(try await manager.requestMovie(for: asset))
    #expect(live.url == asset.url && live.byteRange == asset.movieRange && live.duration == 3)
    #expect(live.byteRange.count == movie.count)
    let photo = try await scratch.asset(Samples.jpeg(), "b.jpg")
    #expect(try await manager.requestMovie(for: photo) == nil)
    let video = try await scratch.asset(movie, "c.mp4")
    #expect(try await manager.requestMovie(for: video)?.byteRange == 0..<UInt64(movie.count))
  }
}
