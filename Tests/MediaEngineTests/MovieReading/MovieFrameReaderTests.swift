// Single frames of movies: their times, and the errors of movies that can't be read.

import CameraCore
import EngineInterface
import Foundation
import Testing

@testable import MediaEngine

@Suite(.serialized, .timeLimit(.minutes(30))) struct MovieFrameReaderTests {
  private let folder = FileManager.default.temporaryDirectory
    .appendingPathComponent("photome-frames-\(UUID().uuidString)")
  private let reader = EngineMovieReader()
  private let size = PixelSize(width: 640, height: 360)

  /// A file that begins with a still and ends with a movie of so many frames.
  private func livePhoto(count: Int, sound: ClosedRange<Double>? = nil) async throws -> MovieSource {
    let window = try LivePhotoSample.window(count: count, still: 0, sound: sound)
    let movie = try await LivePhotoWriter(limits: EngineLimits()).write(window, into: folder)
    let (still, tail) = (Data(window.still.block.bytes), try Data(contentsOf: movie.url))
    let url = folder.appendingPathComponent("IMG.MP.jpg")
    try (still + tail).write(to: url)
    return MovieSource(url: url, byteRange: UInt64(still.count)..<UInt64(still.count + tail.count))
  }

  private func remove() { try? FileManager.default.removeItem(at: folder) }

  /// Its number in the movie.
  private func index(_ image: DecodedImage) throws -> Int {
    Int(try #require(FrameNumberMark.read(image))) - Int(LivePhotoSample.first)
  }

  @Test func theFrameIsTheOneThatIsShownThen() async throws {
    defer { remove() }
    let source = try await livePhoto(count: 40, sound: 0...1.4)
    for wanted in [0, 1, 7, 15, 16, 29, 38] {
      let time = (Double(wanted) + 0.5) / 30
      let image = try await reader.frame(of: source, at: time, fitting: size)
      #expect(image.size == size && image.stride == size.width * 4)
      #expect(try index(image) == wanted)
    }
    // Before the start and behind the end there are others.
    for (time, wanted) in [(-1, 0), (0, 0), (Double.nan, 0), (1e12, 39)] {
      let image = try await reader.frame(of: source, at: time, fitting: size)
      #expect(try index(image) == wanted)
    }
  }

  @Test func itFitsAndIsNotEnlarged() async throws {
    defer { remove() }
    let source = try await livePhoto(count: 4)
    for (wanted, expected) in [
      (PixelSize(width: 320, height: 320), PixelSize(width: 320, height: 180)),
      (PixelSize(width: 1000, height: 90), PixelSize(width: 160, height: 90)),
      // Computed and rounded by somebody else.
      (PixelSize(width: 256, height: 143), PixelSize(width: 256, height: 143)),
      (PixelSize(width: 4000, height: 4000), size), (PixelSize(width: 0, height: 0), PixelSize(width: 1, height: 1)),
    ] {
      let image = try await reader.frame(of: source, at: 0, fitting: wanted)
      #expect(image.size == expected)
      #expect(image.block.count >= expected.height * image.stride)
    }
  }

  @Test func whatCantBeDecodedIsSaid() async throws {
    defer { remove() }
    let source = try await livePhoto(count: 3)
    let (url, range) = (source.url, source.byteRange)
    func failure(_ url: URL, _ range: Range<UInt64>) async -> CameraError? {
      let source = MovieSource(url: url, byteRange: range)
      return await #expect(throws: CameraError.self) {
        try await reader.frame(of: source, at: 0.05, fitting: size)
      }
    }
    #expect(
      await failure(folder.appendingPathComponent("gone.jpg"), range)
        == .playbackFailed(file: "gone.jpg", message: "the file no longer exists"))
    #expect(
      await failure(url, range.lowerBound..<range.upperBound + 1)
        == .playbackFailed(file: "IMG.MP.jpg", message: "the video is incomplete"))
    let noise = folder.appendingPathComponent("noise.mp4")
    try Data((0..<50_000).map { UInt8(truncatingIfNeeded: $0 * $0 >> 3) }).write(to: noise)
    #expect(await failure(noise, 0..<50_000)?.description.contains("noise.mp4") == true)
    // A movie that ends in the middle of its index.
    #expect(await failure(url, range.lowerBound..<range.lowerBound + 600) != nil)
  }

  @Test func cancellationEndsIt() async throws {
    defer { remove() }
    let source = try await livePhoto(count: 3)
    let task = Task {
      withUnsafeCurrentTask { $0?.cancel() }
      return try await reader.frame(of: source, at: 0, fitting: size)
    }
    await #expect(throws: CancellationError.self) { _ = try await task.value }
    // Whenever it comes, it is either done or canceled.
    for turns in [0, 1, 10, 100] {
      let task = Task { try await reader.frame(of: source, at: 0.05, fitting: size) }
      for _ in 0..<turns { await Task.yield() }
      task.cancel()
      do { #expect(try await task.value.size == size) } catch { #expect(error is CancellationError) }
    }
    #expect(await eventually { Pipeline.liveCount("movie frame") == 0 })
  }

  @Test func nothingIsLeftOpen() async throws {
    defer { remove() }
    let source = try await livePhoto(count: 3)
    for _ in 0..<3 { _ = try await reader.frame(of: source, at: 0.05, fitting: size) }
    #expect(await eventually { Pipeline.liveCount("movie frame") == 0 })
    let files = try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd")
    #expect(
      !files.contains {
        (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/fd/\($0)")) == source.url.path
      })
  }
}
