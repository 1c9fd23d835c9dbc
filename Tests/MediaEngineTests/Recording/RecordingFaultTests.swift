// Recordings whose encoder hangs, whose frames can't be used, or whose disk fails: they end, with a reason and the file.

import CameraCore
import Foundation
import Synchronization
import Testing

@testable import MediaEngine

@Suite(.timeLimit(.minutes(30))) struct RecordingFaultTests {
  /// An encoder that nobody has, as one of a graphics card.
  private func hardware(_ name: String) -> VideoEncoder { VideoEncoder(element: "photome-\(name)", isHardware: true) }

  @Test("An encoder that hangs while it is made holds up neither cameras nor the next encoder")
  func aMakingThatHangs() async throws {
    let hanging = hardware("hanging")
    let (hangs, hang) = AsyncStream<Void>.makeStream()
    let letGo = DispatchSemaphore(value: 0)
    let bench = try RecordingBench(
      frameCount: 30, encoders: { [hanging] + VideoEncoder.installed() },
      adjust: { environment in
        let make = environment.makeEncoding
        environment.makeEncoding = {
          (form: RecordingEncoding.Form, path: String, progress: MovieProgress) throws(MovieFailure) in
          if form.encoder == hanging {
            hang.yield()
            letGo.wait()
          }
          return try make(form, path, progress)
        }
        // The limit is over as soon as it hangs, and never for the next one.
        environment.wait = { _ in
          for await _ in hangs { return }
          throw CancellationError()
        }
      })
    defer { letGo.signal() }
    let run = await bench.begin()
    #expect(await Task { @PipelineActor in true }.value)
    #expect(await Task { @EncodingActor in true }.value)
    #expect(hanging.isGivenUp)
    await bench.feed(0..<30)
    bench.setNow(30)
    bench.recorder.stop()
    #expect(try LivePhotoReading(try await run.value.url).pictures.count == 30)
  }

  @Test("An encoder that failed without a picture is given up although the movie was stopped meanwhile")
  func aFailureAfterTheStop() async throws {
    let broken = hardware("broken")
    let (begins, begin) = AsyncStream<Void>.makeStream()
    let goOn = DispatchSemaphore(value: 0)
    let bench = try RecordingBench(
      frameCount: 1, encoders: { [broken] },
      adjust: { environment in
        environment.makeEncoding = {
          (form: RecordingEncoding.Form, path: String, progress: MovieProgress) throws(MovieFailure) in
          begin.yield()
          goOn.wait()
          throw .standstill
        }
      })
    let run = bench.run(size: bench.format.size)
    for await _ in begins { break }
    bench.recorder.stop()
    goOn.signal()
    await #expect { try await run.value } throws: { "\($0)".contains("before its first picture") }
    #expect(broken.isGivenUp)
    #expect(bench.names.isEmpty)
  }

  @Test("A movie whose first encoder can't be linked is stopped without a watchdog")
  func aStopAfterAnEncoderThatCannotBeLinked() async throws {
    let works = try #require(VideoEncoder.installed().last)
    let bench = try RecordingBench(
      // It passes raw frames on, which the parser behind it refuses: a failure of the picture, before the first frame.
      frameCount: 1, encoders: { [VideoEncoder(element: "typefind", isHardware: true), works] },
      adjust: { environment in
        (environment.limits.movieProgress, environment.limits.movieIndex) = (.seconds(100_000), .seconds(100_000))
      })
    let run = await bench.begin()
    await bench.feed(0..<1)
    #expect(await eventually { bench.recorder.withState { $0.take?.form.encoder } == works })
    bench.recorder.stop()
    #expect(try await run.value.ending == .stopped)
  }

  @Test func theSizeIsThatOfTheFirstFrame() async throws {
    let bench = try RecordingBench(frameCount: 30)
    let run = bench.run(size: nil)
    #expect(await eventually { !bench.names.isEmpty })
    bench.recorder.receive(bench.frames[0])
    #expect(await eventually { bench.recorder.isOpen })
    await bench.feed(0..<30)
    bench.setNow(30)
    bench.recorder.stop()
    let movie = try await run.value
    #expect(movie.droppedFrames == 0)
    #expect(try LivePhotoReading(movie.url).pictures.count == 30)
  }

  @Test func aStopBeforeTheFirstFrameEndsTheWaitForIt() async throws {
    let bench = try RecordingBench(frameCount: 1)
    let run = bench.run(size: nil)
    #expect(await eventually { !bench.names.isEmpty })
    bench.recorder.stop()
    await #expect { try await run.value } throws: { "\($0)".contains("before its first picture") }
    #expect(bench.names.isEmpty)
  }

  @Test func framesThatNeverFitEndTheRecordingWithTheReason() async throws {
    let bench = try RecordingBench(frameCount: 1)
    let run = await bench.begin()
    for index in 0...151 {
      var frame = bench.frames[0]
      frame.size = PixelSize(width: 320, height: 180)
      frame.time = bench.time(index)
      bench.recorder.receive(frame)
      #expect(await eventually { bench.recorder.queuedFrameCount < 40 })
    }
    await #expect { try await run.value } throws: { "\($0)".contains("320 × 180 pixels instead of") }
    #expect(bench.names.isEmpty)
  }

  @Test("Frames that can't be decoded end a recording, from its beginning and in its middle", arguments: [0, 40])
  func damagedFrames(intact: Int) async throws {
    let bench = try RecordingBench(frameCount: 41)
    let run = await bench.begin(sound: false)
    await bench.feed(0..<intact, sound: false)
    for index in intact...intact + 151 {
      var frame = bench.frames[0]
      frame.time = bench.time(index)
      frame.content = .jpeg
      frame.block = FrameBlock(count: 100) { $0.initializeMemory(as: UInt8.self, repeating: 0) }
      bench.recorder.receive(frame)
      #expect(await eventually { bench.recorder.queuedFrameCount < 40 })
    }
    if intact == 0 {
      await #expect { try await run.value } throws: { "\($0)".contains("damaged") }
      #expect(bench.names.isEmpty)
    } else {
      let movie = try await run.value
      #expect(movie.ending == .failed(UnusableFrames.damaged))
      #expect(movie.shortfall?.contains("check its cable") == true)
      #expect(try LivePhotoReading(movie.url).pictures.count == intact)
    }
  }

  @Test func soundDoesNotPileUpWhereNoFrameComes() async throws {
    let bench = try RecordingBench(frameCount: 1)
    let run = await bench.begin()
    for chunk in LivePhotoSample.chunks(from: bench.time(0), to: bench.time(300), 1) { bench.recorder.receive(chunk) }
    let count = bench.recorder.withState { $0.take?.timeline.soundCount ?? 0 }
    #expect(count > 4 * SoundChunk.sampleRate && count < 6 * SoundChunk.sampleRate)
    bench.recorder.stop()
    await #expect(throws: CameraError.self) { try await run.value }
  }

  @Test("A disk that loses what was written ends the movie, which isn't called complete")
  func aFlushThatFails() async throws {
    let bench = try RecordingBench(frameCount: 60, adjust: { $0.synchronize = { _ in EIO } })
    let run = await bench.begin()
    await bench.feed(0..<60)
    let path = bench.folder.appendingPathComponent(try #require(bench.names.first)).path
    #expect(await eventually { RecordedContent(path).seconds ?? 0 > 1 })
    bench.letASecondPass()
    #expect(await eventually { bench.progress != nil })
    bench.recorder.stop()
    let movie = try await run.value
    guard case .failed(let reason) = movie.ending else {
      Issue.record("\(movie.ending)")
      return
    }
    #expect(reason.contains(bench.folder.path))
    #expect(movie.shortfall?.contains(movie.url.lastPathComponent) == true)
    #expect(try LivePhotoReading(movie.url).pictures.count >= 30)
  }

  @Test func aFileThatCannotBeReadIsKeptAndItsPathSaid() async throws {
    let bench = try RecordingBench(frameCount: 30)
    let run = await bench.begin()
    await bench.feed(0..<30)
    let name = try #require(bench.names.first)
    let path = bench.folder.appendingPathComponent(name).path
    // The beginning of the file is written once.
    #expect(await eventually { (try? Data(contentsOf: URL(fileURLWithPath: path)).count > 1000) == true })
    let file = try #require(FileHandle(forUpdatingAtPath: path))
    try file.write(contentsOf: Data(repeating: 9, count: 32))
    try file.close()
    bench.setNow(30)
    bench.recorder.stop()
    await #expect { try await run.value } throws: { "\($0)".contains(path) }
    #expect(bench.names == [name])
  }

  @Test func aFileThatAnotherProgramHasTakenIsSaid() async throws {
    let bench = try RecordingBench(
      frameCount: 1,
      adjust: { environment in
        let make = environment.makeEncoding
        environment.makeEncoding = {
          (form: RecordingEncoding.Form, path: String, progress: MovieProgress) throws(MovieFailure) in
          unlink(path)
          return try make(form, path, progress)
        }
      })
    let run = bench.run(size: bench.format.size)
    await #expect { try await run.value } throws: { "\($0)".contains("another app has taken") }
    #expect(bench.names.isEmpty)
  }

  @Test("The beginning is told before a pause that comes at the same time")
  func eventsInOrder() async throws {
    let recorder = Mutex<MovieRecorder?>(nil)
    let bench = try RecordingBench(
      frameCount: 30,
      onEvent: { event in
        guard case .began = event, let recorder = recorder.withLock({ $0 }) else { return }
        let isPaused = DispatchSemaphore(value: 0)
        Thread {
          recorder.pause()
          isPaused.signal()
        }.start()
        // Ends early only where the pause overtakes the beginning.
        _ = isPaused.wait(timeout: .now() + 0.3)
      })
    recorder.withLock { $0 = bench.recorder }
    let run = await bench.begin()
    await bench.feed(0..<1)
    #expect(await eventually { bench.events.count == 2 })
    #expect(bench.events == [.began(.recording(TestCamera.microphone)), .paused])
    bench.recorder.stop()
    _ = try await run.value
    recorder.withLock { $0 = nil }
  }

  @Test func theDiskIsAskedOnNoThreadOfSwift() async throws {
    let wasOnPool = Mutex(false)
    let isOnPool = { @Sendable in withUnsafeCurrentTask { $0 != nil } }
    let bench = try RecordingBench(
      frameCount: 30,
      adjust: { environment in
        environment.freeBytes = { _ in
          wasOnPool.withLock { $0 = $0 || isOnPool() }
          return 1 << 40
        }
        environment.synchronize = { _ in
          wasOnPool.withLock { $0 = $0 || isOnPool() }
          return nil
        }
      })
    let run = await bench.begin()
    await bench.feed(0..<30)
    bench.letASecondPass()
    #expect(await eventually { bench.progress != nil })
    bench.setNow(30)
    bench.recorder.stop()
    _ = try await run.value
    #expect(!wasOnPool.withLock { $0 })
  }
}
