// Movies in the tail of a picture play to their end, stop when told, and say what is wrong with those that don't.

import CGStreamer
import CameraCore
import Dispatch
import EngineInterface
import Foundation
import MediaFormats
import Synchronization
import Testing

@testable import MediaEngine

@Suite struct MoviePlayerTests {
  let folder = FileManager.default.temporaryDirectory.appendingPathComponent("photome-player-\(UUID().uuidString)")

  /// A file that begins with a still and ends with a movie of so many frames.
  private func livePhoto(
    count: Int = 20, sound: ClosedRange<Double>? = 0...2, jitter: (Int) -> Int64 = { _ in 0 }
  ) async throws -> MovieSource {
    let window = try LivePhotoSample.window(count: count, still: 0, sound: sound, jitter: jitter)
    let movie = try await LivePhotoWriter(limits: EngineLimits()).write(window, into: folder)
    let (still, tail) = (Data(window.still.block.bytes), try Data(contentsOf: movie.url))
    let url = folder.appendingPathComponent("IMG.MP.jpg")
    try (still + tail).write(to: url)
    return MovieSource(url: url, byteRange: UInt64(still.count)..<UInt64(still.count + tail.count))
  }

  private func remove() { try? FileManager.default.removeItem(at: folder) }

  /// Reads the numbers of the frames as they come.
  private final class Watcher: Sendable {
    let numbers = Mutex<[UInt32?]>([])
    let first: AsyncStream<Void>
    /// Called with each frame, on the engine's thread.
    let onFrame = Mutex<(@Sendable () -> Void)?>(nil)
    private let continuation: AsyncStream<Void>.Continuation

    init(_ preview: any PreviewSource) {
      (first, continuation) = AsyncStream.makeStream()
      preview.setFrameHandler { [weak self, weak preview] in
        guard let self, let frame = preview?.takeFrame() else { return }
        let bytes = UnsafeRawBufferPointer(start: frame.pixels, count: frame.stride * frame.size.height)
        let image = DecodedImage(size: frame.size, stride: frame.stride, block: FrameBlock(copying: bytes))
        numbers.withLock { $0.append(FrameNumberMark.read(image)) }
        continuation.yield()
        onFrame.withLock { $0 }?()
      }
      // Now: a frame that came before the handler didn't call it.
      preview.setTarget(PixelSize(width: 640, height: 360))
    }
  }

  private func isOpen(_ url: URL) -> Bool {
    let files = (try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd")) ?? []
    return files.contains {
      (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/fd/\($0)")) == url.path
    }
  }

  @Test("The picture of a paused movie that comes before its view is shown there, also when the view comes back")
  func aPauseWithoutAView() async throws {
    defer { remove() }
    let player = EngineMoviePlayerFactory().player(of: try await livePhoto(), isMuted: true)
    player.setPaused(true)
    let playing = Task { try await player.play() }
    #expect(await eventually { player.preview.statistics.arrived == 1 })
    let watcher = Watcher(player.preview)
    #expect(await eventually { watcher.numbers.withLock { $0.count } == 1 })
    player.preview.setTarget(nil)
    player.preview.setTarget(PixelSize(width: 320, height: 180))
    #expect(await eventually { watcher.numbers.withLock { $0.count } == 2 })
    player.stop()
    try await playing.value
    #expect(player.preview.statistics.arrived == 1)
  }

  @Test(arguments: [true, false])
  func theTailOfAPicturePlaysToItsEnd(isMuted: Bool) async throws {
    defer { remove() }
    let source = try await livePhoto()
    let player = EngineMoviePlayerFactory().player(of: source, isMuted: isMuted)
    let watcher = Watcher(player.preview)
    try await player.play()
    #expect(player.preview.statistics.arrived == 20)
    // Some may have been replaced by newer ones before they were converted.
    let numbers = watcher.numbers.withLock { $0 }
    #expect(!numbers.isEmpty && numbers.allSatisfy { $0 != nil })
    let known = numbers.compactMap { $0 }
    #expect(known == known.sorted() && Set(known).count == known.count)
    #expect(known.allSatisfy { (0..<20).contains(Int($0) - Int(LivePhotoSample.first)) })
    #expect(!isOpen(source.url))
    // And again.
    try await player.play()
    #expect(player.preview.statistics.arrived == 20)
  }

  @Test func aMovieWithoutSoundPlays() async throws {
    defer { remove() }
    let source = try await livePhoto(count: 10, sound: nil)
    let player = MoviePlayer(source, isMuted: false)
    try await player.play()
    #expect(player.preview.statistics.arrived == 10)
  }

  @Test func stopAndCancellationEndIt() async throws {
    defer { remove() }
    // A frame every two seconds: on a busy machine the end of a shorter movie could come before it is stopped.
    let source = try await livePhoto(count: 300, sound: nil) { Int64($0) * 2_000_000_000 }
    let player = MoviePlayer(source, isMuted: true)
    let watcher = Watcher(player.preview)
    for isStop in [true, false] {
      let playing = Task { try await player.play() }
      // On the engine's thread: a busy test process may not come to a task of its own before the movie has ended.
      watcher.onFrame.withLock { $0 = isStop ? { @Sendable in player.stop() } : { @Sendable in playing.cancel() } }
      try await playing.value
      watcher.onFrame.withLock { $0 = nil }
      #expect(player.preview.statistics.arrived < 300)
      #expect(!isOpen(source.url))
    }
  }

  @Test func aHeldMovieShowsThePictureThatIsSought() async throws {
    defer { remove() }
    let source = try await livePhoto(count: 60, sound: nil)
    let player = MoviePlayer(source, isMuted: true)
    let watcher = Watcher(player.preview)
    var positions = player.positions().makeAsyncIterator()
    player.setPaused(true)
    let playing = Task { try await player.play() }
    #expect(await positions.next() == 0)
    player.seek(to: 0.2)
    player.seek(to: 1)
    // Of orders in a row the last one counts; the first one may have been on its way.
    var position = await positions.next()
    while let now = position, now < 0.9 { position = await positions.next() }
    #expect(abs((position ?? 0) - 1) < 0.1, "\(position ?? -1)")
    // Going on, it plays from there to its end.
    player.setPaused(false)
    try await playing.value
    #expect(player.preview.statistics.arrived < 40)
    #expect(watcher.numbers.withLock { !$0.isEmpty })
    #expect(!isOpen(source.url))
  }

  @Test("With a sound output that hangs the movie goes on silently, says so, and holds up no other")
  func aSoundOutputThatHangs() async throws {
    defer { remove() }
    let source = try await livePhoto(count: 60)
    let pipe = try NamedPipe()
    let hanging = SoundOutput { _ in
      let sink = try? Element("filesink")
      sink?.set("location", pipe.path)
      return sink
    }
    let player = MoviePlayer(source, isMuted: false, output: hanging, patience: .milliseconds(400))
    try await player.play()
    #expect(player.silence?.contains("sound server isn’t responding") == true)
    #expect(player.preview.statistics.arrived >= 55)
    // The first one's threads still hang.
    #expect(isOpen(source.url))
    let muted = MoviePlayer(source, isMuted: true)
    try await muted.play()
    #expect(muted.preview.statistics.arrived == 60)
    #expect(await pipe.releaseWriters { !isOpen(source.url) })
  }

  @Test("A sound server that ends while a movie plays takes no picture with it")
  func aSoundOutputThatBreaks() async throws {
    defer { remove() }
    let source = try await livePhoto(count: 60)
    let sink = Mutex<Element?>(nil)
    let output = SoundOutput { _ in
      let made = try? Element("fakesink", name: MoviePipeline.soundSinkName)
      made?.set("sync", true)
      sink.withLock { $0 = made }
      return made
    }
    let player = MoviePlayer(source, isMuted: false, output: output)
    let watcher = Watcher(player.preview)
    let isBroken = Atomic(false)
    watcher.onFrame.withLock {
      $0 = {
        guard !isBroken.exchange(true, ordering: .relaxed) else { return }
        sink.withLock { $0 }?.report("Connection terminated", GST_RESOURCE_ERROR_WRITE)
      }
    }
    var last = 0.0
    let positions = player.positions()
    try await player.play()
    for await position in positions {
      last = position
      break
    }
    #expect(last > 1.8, "it played to its end")
    #expect(player.silence?.contains("sound server isn’t responding") == true)
    watcher.onFrame.withLock { $0 = nil }
  }

  @Test("Without an answer of the sound server a movie plays silently, and says so")
  func aSoundServerThatDoesNotAnswer() async throws {
    defer { remove() }
    let source = try await livePhoto()
    let gate = DispatchSemaphore(value: 0)
    let output = SoundOutput(patience: .milliseconds(20)) { _ in
      gate.wait()
      return nil
    }
    let player = MoviePlayer(source, isMuted: false, output: output)
    #expect(player.silence == nil)
    try await player.play()
    #expect(player.preview.statistics.arrived == 20)
    #expect(player.silence?.contains("sound server isn’t responding") == true)
    gate.signal()
    #expect(await eventually { output.answers })
    // A machine without an output has nothing to say.
    let none = MoviePlayer(source, isMuted: false, output: SoundOutput { _ in nil })
    try await none.play()
    #expect(none.silence == nil)
  }

  @Test func nothingIsLeftOfAPlayer() async throws {
    defer { remove() }
    let source = try await livePhoto(count: 5)
    weak let gone = try await {
      let player = MoviePlayer(source, isMuted: false)
      try await player.play()
      return player
    }()
    #expect(gone == nil)
  }

  @Test func whatCantBePlayedIsSaid() async throws {
    defer { remove() }
    let source = try await livePhoto(count: 3)
    let (url, range) = (source.url, source.byteRange)
    func failure(_ url: URL, _ range: Range<UInt64>) async -> CameraError? {
      let source = MovieSource(url: url, byteRange: range)
      return await #expect(throws: CameraError.self) {
        try await MoviePlayer(source, isMuted: true).play()
      }
    }
    let gone = await failure(folder.appendingPathComponent("gone.jpg"), range)
    #expect(gone == .playbackFailed(file: "gone.jpg", message: "the file no longer exists"))
    let short = await failure(url, range.lowerBound..<range.upperBound + 1)
    #expect(short == .playbackFailed(file: "IMG.MP.jpg", message: "the video is incomplete"))

    let noise = folder.appendingPathComponent("noise.mp4")
    try Data((0..<50_000).map { UInt8(truncatingIfNeeded: $0 * $0 >> 3) }).write(to: noise)
    #expect(await failure(noise, 0..<50_000)?.description.contains("noise.mp4") == true)
    // A movie that ends in the middle of its index.
    #expect(await failure(url, range.lowerBound..<range.lowerBound + 600) != nil)
  }

  @Test func theIndexMayComeLast() async throws {
    defer { remove() }
    // Read backwards: the bytes of a file whose index moved behind the pictures.
    let source = try await livePhoto(count: 8, sound: nil)
    let file = [UInt8](try Data(contentsOf: source.url))[Int(source.byteRange.lowerBound)...]
    let boxes = try MP4Box.boxes(in: file)
    var index = try #require(boxes.first { $0.type == "moov" })
    let length = UInt64(index.count)
    index.changeAll("trak") { track in
      track.changeAll("mdia") { media in
        media.changeAll("minf") { information in
          information.changeAll("stbl") { table in
            table.changeAll("stco") { offsets in
              for at in stride(from: 8, to: offsets.bytes.count, by: 4) {
                guard let offset = try? offsets.number(at: at, 4) else { continue }
                offsets.setNumber(offset - length, at: at, 4)
              }
            }
          }
        }
      }
    }
    var moved: [UInt8] = []
    for box in boxes.filter({ $0.type != "moov" }) + [index] { box.write(to: &moved) }
    try Data(moved).write(to: source.url)
    let player = MoviePlayer(MovieSource(url: source.url, byteRange: 0..<UInt64(moved.count)), isMuted: true)
    try await player.play()
    #expect(player.preview.statistics.arrived == 8)
  }
}
