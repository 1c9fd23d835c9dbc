// Movies frame by frame: times, back pressure from the consumer, and errors.

import CameraCore
import EngineInterface
import Foundation
import Synchronization
import Testing

@testable import MediaEngine

@Suite(.serialized, .timeLimit(.minutes(30))) struct MovieFrameStreamTests {
  private let folder = FileManager.default.temporaryDirectory
    .appendingPathComponent("photome-stream-\(UUID().uuidString)")
  private let reader = EngineMovieReader()
  private let size = PixelSize(width: 640, height: 360)

  private struct Taken {
    var number: Int?
    var time: Double
    var duration: Double
    var size: PixelSize
  }

  private struct Enough: Error {}

  /// A file that begins with a still and ends with a movie of so many frames.
  private func livePhoto(count: Int, jitter: (Int) -> Int64 = { _ in 0 }) async throws -> MovieSource {
    let window = try LivePhotoSample.window(count: count, still: 0, sound: 0...1, jitter: jitter)
    let movie = try await LivePhotoWriter(limits: EngineLimits()).write(window, into: folder)
    let (still, tail) = (Data(window.still.block.bytes), try Data(contentsOf: movie.url))
    let url = folder.appendingPathComponent("IMG.MP.jpg")
    try (still + tail).write(to: url)
    return MovieSource(url: url, byteRange: UInt64(still.count)..<UInt64(still.count + tail.count))
  }

  private func remove() { try? FileManager.default.removeItem(at: folder) }

  private func frames(
    _ source: MovieSource, fitting size: PixelSize? = nil, atMost rate: Double? = nil
  ) async throws -> [Taken] {
    let taken = Mutex<[Taken]>([])
    try await reader.readFrames(of: source, fitting: size ?? self.size, atMost: rate) { frame in
      let number = FrameNumberMark.read(frame.image).map { Int($0) - Int(LivePhotoSample.first) }
      taken.withLock {
        $0.append(Taken(number: number, time: frame.time, duration: frame.duration, size: frame.image.size))
      }
    }
    return taken.withLock { $0 }
  }

  @Test func everyFrameComesOnceAtItsTime() async throws {
    defer { remove() }
    let source = try await livePhoto(count: 40)
    let taken = try await frames(source)
    #expect(taken.map(\.number) == Array(0..<40))
    for (index, frame) in taken.enumerated() {
      #expect(abs(frame.time - Double(index) / 30) < 0.001 && abs(frame.duration - 1.0 / 30) < 0.001)
    }
  }

  @Test func ofTooManyFramesSomeAreLeftOutEvenly() async throws {
    defer { remove() }
    // Now earlier and now later by three milliseconds, as a camera's are.
    let source = try await livePhoto(count: 31) { $0 % 2 == 0 ? 3_000_000 : 0 }
    let half = try await frames(source, atMost: 15)
    #expect(half.map(\.number) == Array(stride(from: 0, to: 31, by: 2)))
    // No time is lost with them.
    for (frame, next) in zip(half, half.dropFirst()) { #expect(abs(frame.time + frame.duration - next.time) < 1e-9) }
    let whole = try await frames(source)
    let ends = [half, whole].compactMap(\.last).map { $0.time + $0.duration }
    #expect(abs(ends[0] - ends[1]) < 0.001)
  }

  @Test func framesFitAndAreNotEnlarged() async throws {
    defer { remove() }
    let source = try await livePhoto(count: 3)
    for (wanted, expected) in [
      (PixelSize(width: 320, height: 320), PixelSize(width: 320, height: 180)),
      (PixelSize(width: 4000, height: 4000), size), (PixelSize(width: 0, height: 0), PixelSize(width: 1, height: 1)),
    ] {
      let taken = try await frames(source, fitting: wanted)
      #expect(taken.count == 3 && taken.allSatisfy { $0.size == expected })
    }
  }

  @Test func whoeverHasEnoughEndsIt() async throws {
    defer { remove() }
    let source = try await livePhoto(count: 30)
    let count = Mutex(0)
    await #expect(throws: Enough.self) {
      try await reader.readFrames(of: source, fitting: size, atMost: nil) { _ in
        try count.withLock { number in
          number += 1
          if number == 3 { throw Enough() }
        }
      }
    }
    #expect(count.withLock { $0 } == 3)
    #expect(await eventually { Pipeline.liveCount("movie decoding") == 0 })
  }

  @Test func cancellationEndsIt() async throws {
    defer { remove() }
    let source = try await livePhoto(count: 30)
    let (seen, mark) = AsyncStream<Void>.makeStream()
    let task = Task {
      try await reader.readFrames(of: source, fitting: size, atMost: nil) { _ in mark.yield() }
    }
    for await _ in seen { break }
    task.cancel()
    // It may have been at its end.
    do { try await task.value } catch { #expect(error is CancellationError) }
    let early = Task {
      withUnsafeCurrentTask { $0?.cancel() }
      try await reader.readFrames(of: source, fitting: size, atMost: nil) { _ in }
    }
    await #expect(throws: CancellationError.self) { try await early.value }
    #expect(await eventually { Pipeline.liveCount("movie decoding") == 0 })
  }

  @Test func aDecoderThatStandsStillIsGivenUp() async throws {
    defer { remove() }
    let source = try await livePhoto(count: 30)
    // Less than any decoder needs for its first frame. On a busy machine all of them may be there before anybody looks at
    // the clock.
    let impatient = EngineMovieReader(patience: TimeSpan(nanoseconds: 1))
    var error: CameraError?
    while error == nil {
      do {
        try await impatient.readFrames(of: source, fitting: size, atMost: nil) { _ in }
      } catch let failure as CameraError {
        error = failure
      }
    }
    #expect(error?.description.contains("stopped responding") == true)
    #expect(await eventually { Pipeline.liveCount("movie decoding") == 0 })
  }

  @Test func whatCantBeDecodedIsSaid() async throws {
    defer { remove() }
    let source = try await livePhoto(count: 3)
    let (url, range) = (source.url, source.byteRange)
    func failure(_ url: URL, _ range: Range<UInt64>) async -> CameraError? {
      let source = MovieSource(url: url, byteRange: range)
      return await #expect(throws: CameraError.self) { _ = try await frames(source) }
    }
    #expect(
      await failure(folder.appendingPathComponent("gone.jpg"), range)
        == .playbackFailed(file: "gone.jpg", message: "the file no longer exists"))
    let noise = folder.appendingPathComponent("noise.mp4")
    try Data((0..<50_000).map { UInt8(truncatingIfNeeded: $0 * $0 >> 3) }).write(to: noise)
    #expect(await failure(noise, 0..<50_000)?.description.contains("noise.mp4") == true)
    #expect(await failure(url, range.lowerBound..<range.lowerBound + 600) != nil)
    #expect(await eventually { Pipeline.liveCount("movie decoding") == 0 })
  }
}
