// Rendered movies keep their times and their sound, and an edit that fails leaves nothing behind.

import CameraCore
import EngineInterface
import Foundation
import MediaFormats
import PhotoEffects
import Synchronization
import Testing

@testable import MediaEngine

@Suite(.serialized, .timeLimit(.minutes(30))) struct EditRendererTests {
  private let folder = FileManager.default.temporaryDirectory
    .appendingPathComponent("photome-edits-\(UUID().uuidString)")
  private let renderer = EngineEditRenderer()
  private var output: URL { folder.appendingPathComponent("out") }

  private func remove() { try? FileManager.default.removeItem(at: folder) }

  /// A file that begins with a still and ends with a movie of so many frames.
  private func livePhoto(
    count: Int = 40, sound: ClosedRange<Double>? = -0.02...1.4, jitter: (Int) -> Int64 = { _ in 0 }
  ) async throws -> (still: StillSource, movie: MovieSource) {
    let window = try LivePhotoSample.window(count: count, still: 0, sound: sound, jitter: jitter)
    let movie = try await LivePhotoWriter(limits: EngineLimits()).write(window, into: folder)
    let (still, tail) = (Data(window.still.block.bytes), try Data(contentsOf: movie.url))
    let url = folder.appendingPathComponent("IMG.MP.jpg")
    try (still + tail).write(to: url)
    try FileManager.default.removeItem(at: movie.url)
    let (end, length) = (UInt64(still.count), UInt64(tail.count))
    return (StillSource(url: url, byteRange: 0..<end), MovieSource(url: url, byteRange: end..<end + length))
  }

  /// The source's movie as a file.
  private func extracted(_ source: MovieSource) throws -> URL {
    let url = folder.appendingPathComponent("source.mp4")
    let data = try Data(contentsOf: source.url)
    try data[Int(source.byteRange.lowerBound)...].write(to: url)
    return url
  }

  /// The packets of a track, one after another.
  private func packets(_ index: MP4Index, _ track: MP4Track) throws -> [UInt8] {
    try track.chunks.flatMap { try index.source.bytes(at: $0.offset, count: Int($0.byteCount)) }
  }

  private func index(_ url: URL) throws -> MP4Index { try MP4Index(MovieStretch(whole: url)) }

  private func numbers(_ reading: LivePhotoReading) -> [Int] {
    reading.pictures.map { Int($0.number ?? 0) - Int(LivePhotoSample.first) }
  }

  /// Inverts colors, and counts.
  private final class Inversion: FrameProcessing {
    let contexts = Mutex<[FrameContext]>([])

    func outputSize(for source: PixelSize) -> PixelSize { source }

    func render(_ source: PixelView, into target: PixelView, context: FrameContext, scratch: EffectScratch) throws {
      contexts.withLock { $0.append(context) }
      for y in 0..<source.height {
        for x in 0..<source.width { target.row(y)[x] = ~source.row(y)[x] | 0xFF00_0000 }
      }
    }
  }

  private struct Refusal: FrameProcessing, Error {
    var from: Double
    func outputSize(for source: PixelSize) -> PixelSize { source }
    func render(_ source: PixelView, into target: PixelView, context: FrameContext, scratch: EffectScratch) throws {
      if context.time >= from { throw self }
      PixelBuffer(copying: source).pixels.withUnsafeBufferPointer {
        target.pixels.update(from: $0.baseAddress!, count: $0.count)
      }
    }
  }

  @Test func timesAndSoundStayWhatTheyAre() async throws {
    defer { remove() }
    let source = try await livePhoto(jitter: { Int64($0 % 3) * 1_234_567 }).movie
    let inversion = Inversion()
    let told = Mutex<[Double]>([])
    let movie = try await renderer.movie(of: source, edit: MovieEdit(processor: inversion), into: output) { part in
      told.withLock { $0.append(part) }
    }
    let (before, after) = (try index(extracted(source)), try index(movie.url))
    let (oldPicture, newPicture) = (try #require(before.picture), try #require(after.picture))
    #expect(newPicture.startTimes == oldPicture.startTimes && newPicture.timescale == oldPicture.timescale)
    #expect(newPicture.duration == oldPicture.duration)
    let (oldSound, newSound) = (try #require(before.sound), try #require(after.sound))
    #expect(try packets(after, newSound) == packets(before, oldSound))
    #expect(newSound.sizes == oldSound.sizes && newSound.mediaStart == oldSound.mediaStart)
    let (old, new) = (try LivePhotoReading(extracted(source)), try LivePhotoReading(movie.url))
    #expect(new.samples == old.samples && new.soundStart == old.soundStart)
    #expect(new.videoCaps.contains("bt709") == old.videoCaps.contains("bt709"))
    for (light, dark) in zip(old.pictures, new.pictures) {
      #expect(light.time == dark.time)
      // Y' of the inverse is 16 + 235 - Y'.
      #expect(abs(light.mean + dark.mean - 251) < 3)
    }
    #expect(new.pictures.count == 40 && movie.times.count == 40 && movie.times == movie.sourceTimes)
    let contexts = inversion.contexts.withLock { $0 }
    #expect(contexts.count == 40 && contexts.allSatisfy { $0.kind == .movieFrame && $0.fullSize == movie.size })
    #expect(Set(contexts.map(\.time)).count == 40)
    #expect(told.withLock { $0.last } == 1 && told.withLock { $0.allSatisfy { (0...1).contains($0) } })
    #expect(try FileManager.default.contentsOfDirectory(atPath: output.path) == [movie.url.lastPathComponent])
  }

  @Test func aStillInTheBackgroundIsTheSamePicture() async throws {
    defer { remove() }
    let still = try await livePhoto(count: 4).still
    let processor = try FrameProcessor(AdjustmentRecipe(.init(try Effect.named("comic"))))
    let shown = try await renderer.still(of: still, processor: processor, time: 0)
    let background = EngineEditRenderer(isInBackground: true)
    let hidden = try await background.still(of: still, processor: processor, time: 0)
    #expect(hidden.data == shown.data && hidden.size == shown.size)
    await #expect(throws: Refusal.self) {
      try await background.still(of: still, processor: Refusal(from: 0), time: 0)
    }
  }

  @Test func aTrimKeepsItsFramesAndTheirSound() async throws {
    defer { remove() }
    let source = try await livePhoto().movie
    let old = try LivePhotoReading(extracted(source))
    // From within frame 9 to the beginning of frame 30.
    let movie = try await renderer.movie(
      of: source, edit: MovieEdit(processor: nil, trim: 9.5 / 30...1.0), into: output
    ) { _ in }
    let new = try LivePhotoReading(movie.url)
    #expect(numbers(new) == Array(9..<30))
    #expect(abs(movie.duration - 0.7) < 0.001 && movie.times.first == 0)
    #expect(abs(movie.displayTime(of: 0.5) - 0.2) < 0.001 && movie.displayTime(of: 0) == 0)
    // The sound begins with the first frame. Decoded, it is the same from the second packet on.
    let start = Int((0.3 * 48_000).rounded())
    #expect(new.samples.count >= Int(0.65 * 48_000))
    let sound = Array(new.samples[2048..<24_000])
    // The demuxer's nanoseconds are a sample more or less, and the converter's noise is a step.
    let isSame = (-1...1).contains { shift in
      let heard = old.samples[(start + 2048 + shift)...]
      return zip(heard, sound).allSatisfy { (one: Int16, other: Int16) in abs(Int(one) - Int(other)) <= 2 }
    }
    #expect(isSame)
  }

  @Test("A last frame comes with the movie's end, which doesn't hold up a thread of Swift's pool", arguments: [1, 40])
  func onlyALastFrame(count: Int) async throws {
    defer { remove() }
    let source = try await livePhoto(count: count, sound: nil).movie
    let heldUp = Atomic(0)
    let start = (Double(count) - 0.5) / 30
    let edit = MovieEdit(processor: Inversion(), trim: count == 1 ? nil : start...(start + 1))
    let movie = try await renderer.movie(of: source, edit: edit, into: output) { part in
      // The end of everything is told by the task itself.
      if part < 1, withUnsafeCurrentTask(body: { $0 != nil }) { heldUp.add(1, ordering: .relaxed) }
    }
    #expect(try LivePhotoReading(movie.url).pictures.count == 1 && movie.times == [0])
    #expect(heldUp.load(ordering: .relaxed) == 0)
  }

  @Test func disksThatHangHoldUpNobodyElse() async throws {
    defer { remove() }
    let pipe = try NamedPipe()
    let source = MovieSource(url: URL(fileURLWithPath: pipe.path), byteRange: 0..<9)
    let renderer = renderer
    let output = output
    final class Ended: Sendable { let count = Atomic(0) }
    let ended = Ended()
    // More than Swift has threads.
    let count = 2 * ProcessInfo.processInfo.activeProcessorCount
    let tasks = (0..<count).map { number in
      Task.detached {
        defer { ended.count.add(1, ordering: .relaxed) }
        if number.isMultiple(of: 2) {
          _ = try await renderer.movie(of: source, edit: MovieEdit(processor: nil), into: output) { _ in }
        } else {
          _ = try await renderer.longExposure(of: source, trim: nil, processor: nil) { _ in }
        }
      }
    }
    // Timers fire all the same.
    for _ in 0..<count {
      await #expect(throws: CameraError.notRunning) {
        try await OneShot<Void, CameraError>().wait(atMost: .milliseconds(1), late: .notRunning)
      }
    }
    #expect(ended.count.load(ordering: .relaxed) == 0)
    #expect(
      await eventually {
        pipe.releaseReaders()
        return ended.count.load(ordering: .relaxed) == count
      })
    for task in tasks { await #expect(throws: EditError.self) { try await task.value } }
  }

  @Test func aBounceComesBack() async throws {
    defer { remove() }
    let source = try await livePhoto(count: 12).movie
    let movie = try await renderer.movie(of: source, edit: MovieEdit(processor: nil, isBounced: true), into: output) {
      _ in
    }
    let new = try LivePhotoReading(movie.url)
    #expect(numbers(new) == Array(0..<12) + Array(1..<11).reversed())
    #expect(!movie.hasSound && new.samples.isEmpty)
    #expect(zip(new.pictures, new.pictures.dropFirst()).allSatisfy { abs($1.time - $0.time - 1.0 / 30) < 0.0001 })
    #expect(abs(movie.duration - 22.0 / 30) < 0.0001)
  }

  @Test func withoutAChangeOfThePictureNothingIsEncoded() async throws {
    defer { remove() }
    let source = try await livePhoto(count: 10).movie
    let before = try index(extracted(source))
    for isMuted in [false, true] {
      let movie = try await renderer.movie(
        of: source, edit: MovieEdit(processor: nil, isMuted: isMuted), into: output
      ) { _ in }
      let after = try index(movie.url)
      #expect(try packets(after, #require(after.picture)) == packets(before, #require(before.picture)))
      #expect((after.sound == nil) == isMuted && movie.hasSound != isMuted)
      #expect(try LivePhotoReading(movie.url).pictures.count == 10)
    }
  }

  @Test func anEmptyEditLeavesOnlyTheEncodersNoise() async throws {
    defer { remove() }
    let source = try await livePhoto(count: 8).movie
    let processor = try FrameProcessor(AdjustmentRecipe(), isEven: true)
    let movie = try await renderer.movie(of: source, edit: MovieEdit(processor: processor), into: output) { _ in }
    let reader = EngineMovieReader()
    let size = PixelSize(width: 640, height: 360)
    for number in [0, 4, 7] {
      let time = (Double(number) + 0.5) / 30
      let old = try await reader.frame(of: source, at: time, fitting: size)
      let length = try FileManager.default.attributesOfItem(atPath: movie.url.path)[.size] as? UInt64 ?? 0
      let new = try await reader.frame(
        of: MovieSource(url: movie.url, byteRange: 0..<length), at: time, fitting: size)
      var (sum, shift) = (0.0, 0.0)
      for (before, after) in zip(old.block.bytes, new.block.bytes) {
        sum += pow(Double(before) - Double(after), 2)
        shift += Double(after) - Double(before)
      }
      let count = Double(old.block.count)
      #expect(10 * log10(255 * 255 * count / max(1, sum)) > 40)
      #expect(abs(shift / count) < 0.5)
    }
  }

  @Test func aProcessorThatFailsEndsTheEdit() async throws {
    defer { remove() }
    let source = try await livePhoto().movie
    for from in [0, 0.7, 1.3] {
      let error = await #expect(throws: Refusal.self) {
        try await renderer.movie(of: source, edit: MovieEdit(processor: Refusal(from: from)), into: output) { _ in }
      }
      #expect(error?.from == from)
      #expect(try FileManager.default.contentsOfDirectory(atPath: output.path).isEmpty)
    }
    #expect(await eventually { Pipeline.liveCount("movie rendering") + Pipeline.liveCount("movie decoding") == 0 })
  }

  @Test func cancellationLeavesNothing() async throws {
    defer { remove() }
    let source = try await livePhoto().movie
    for wanted in [0.0, 0.3, 0.9] {
      let reached = OneShot<Void, CameraError>()
      let task = Task { [renderer, output] in
        try await renderer.movie(of: source, edit: MovieEdit(processor: Inversion()), into: output) { part in
          if part >= wanted { reached.decide(.success(())) }
        }
      }
      try await reached.wait(atMost: .seconds(60), late: .notRunning)
      task.cancel()
      await #expect(throws: CancellationError.self) { try await task.value }
      #expect(try FileManager.default.contentsOfDirectory(atPath: output.path).isEmpty)
    }
  }

  @Test func aDamagedMovieIsRefusedInWords() async throws {
    defer { remove() }
    let source = try await livePhoto(count: 20).movie
    let whole = try Data(contentsOf: extracted(source))
    let index = try self.index(extracted(source))
    let chunk = try #require(index.picture?.chunks.first)
    func refusal(_ bytes: Data) async throws -> String {
      let url = folder.appendingPathComponent("broken.mp4")
      try bytes.write(to: url)
      let broken = MovieSource(url: url, byteRange: 0..<UInt64(bytes.count))
      let error = await #expect(throws: EditError.self) {
        try await renderer.movie(of: broken, edit: MovieEdit(processor: Inversion()), into: output) { _ in }
      }
      #expect((try? FileManager.default.contentsOfDirectory(atPath: output.path))?.isEmpty ?? true)
      return error?.description ?? ""
    }
    var holed = whole
    for place in Int(chunk.offset) + 40..<Int(chunk.offset + chunk.byteCount) { holed[place] = 0x55 }
    for bytes in [holed, whole.prefix(whole.count * 2 / 3), whole.prefix(40), Data(count: 4000)] {
      let words = try await refusal(Data(bytes))
      #expect(words.contains("broken.mp4") && words.contains("unchanged"), "\(words)")
    }
  }

  @Test func stillsAreUprightAndWhole() async throws {
    defer { remove() }
    let (still, movie) = try await livePhoto(count: 20)
    let inversion = Inversion()
    var turned = still
    turned.orientation = 6
    #expect(
      try await renderer.still(of: still, processor: inversion, time: 0.5).size == PixelSize(width: 640, height: 360))
    #expect(
      try await renderer.still(of: turned, processor: inversion, time: 0.5).size == PixelSize(width: 360, height: 640))
    #expect(inversion.contexts.withLock { $0.allSatisfy { $0.kind == .still && $0.time == 0.5 } })
    // The key photo is the frame that is shown then.
    let frame = try await renderer.still(of: movie, at: 12.5 / 30, processor: nil)
    let image = try frame.data.withUnsafeBytes { try JPEGDecoder().decode($0) }
    #expect(FrameNumberMark.read(image) == UInt32(LivePhotoSample.first) + 12)
    var cut = still
    cut.byteRange = 0..<still.byteRange.upperBound / 2
    await #expect(throws: EditError.self) { try await renderer.still(of: cut, processor: inversion, time: 0) }
  }

  @Test func aLongExposureIsTheAverageOfLight() async throws {
    let size = PixelSize(width: 4, height: 2)
    let layout = try #require(RawConverter.defaultLayout(of: .init(layout: "I420", size: size, colorimetry: "bt709")))
    func frame(_ luma: UInt8, at time: Int64, lasting duration: Int64) -> DecodedFrame {
      let block = FrameBlock(count: layout.byteCount) { memory in
        for index in memory.indices { memory[index] = index < layout.layout.offsets[1] ? luma : 128 }
      }
      let frame = CameraFrame(time: .now, size: size, content: .raw(layout.layout), block: block)
      return DecodedFrame(
        frame: frame, layout: layout.layout, rate: nil, time: time, duration: duration, isDamaged: false)
    }
    // Black for three quarters of the time and white for one is a quarter of the light: 137 in sRGB.
    let exposure = LongExposure(trim: nil)
    #expect(
      exposure.add(frame(16, at: 0, lasting: 1)) && exposure.add(frame(235, at: 3_000_000_000, lasting: 1_000_000_000)))
    let bytes = try exposure.average(named: "").block.bytes
    #expect(bytes.enumerated().allSatisfy { $0.offset % 4 == 3 ? $0.element == 255 : abs(Int($0.element) - 137) <= 1 })
    // The trimmed parts don't count.
    let cut = LongExposure(trim: 3.5...4)
    #expect(cut.add(frame(16, at: 0, lasting: 1)))
    _ = cut.add(frame(235, at: 3_000_000_000, lasting: 1_000_000_000))
    #expect(try cut.average(named: "").block.bytes.allSatisfy { $0 == 255 })
    #expect(throws: EditError.self) { try LongExposure(trim: nil).average(named: "empty.mp4") }
  }

  @Test func aLongExposureOfAMovie() async throws {
    defer { remove() }
    let source = try await livePhoto(count: 10).movie
    let still = try await renderer.longExposure(of: source, trim: nil, processor: nil) { _ in }
    #expect(still.size == PixelSize(width: 640, height: 360) && still.data.starts(with: [0xFF, 0xD8]))
  }
}
