// Recordings whose encoder hangs while it starts, or whose disk hangs while the file is opened.

import CameraCore
import Foundation
import MediaFormats
import Synchronization
import Testing

@testable import MediaEngine

@Suite(.timeLimit(.minutes(30))) struct HangingStartTests {
  @Test(
    "An encoder that hangs while it starts is given up, and the next one gets all that waits",
    arguments: [true, false])
  func aStartThatHangs(isStoppedBefore: Bool) async throws {
    let hanging = try HangingElement(.starting)
    defer { hanging.letGo() }
    let encoder = hanging.encoder
    let works = try #require(VideoEncoder.installed().last)
    // The limits of the first encoder are over when the test says so, those of the next one never.
    let isOver = OneShot<Void, CameraError>()
    let bench = try RecordingBench(
      frameCount: 45, encoders: { [encoder, works] },
      adjust: {
        $0.wait = { _ in
          try await isOver.wait()
          await Task.yield()
          guard !Task.isCancelled, !encoder.isGivenUp else { throw CancellationError() }
        }
      })
    let run = await bench.begin()
    await bench.feed(0..<30)
    let count = isStoppedBefore ? 30 : 45
    if isStoppedBefore {
      bench.setNow(30)
      bench.recorder.stop()
    }
    isOver.decide(.success(()))
    if !isStoppedBefore {
      #expect(await eventually { bench.recorder.withState { $0.take?.form.encoder } == works })
      await bench.feed(30..<45)
      bench.setNow(45)
      bench.recorder.stop()
    }
    let movie = try await run.value
    #expect(encoder.isGivenUp)
    #expect(movie.ending == .stopped && movie.hasSound && movie.droppedFrames == 0)
    let read = try LivePhotoReading(movie.url)
    #expect(read.pictures.map(\.number) == bench.numbers(0..<count))
    for (index, picture) in read.pictures.enumerated() { #expect(abs(picture.time - Double(index) / 30) < 0.0001) }
    #expect(read.flashes.count == 1 && read.beeps.count == 1)
    for (flash, beep) in zip(read.flashes, read.beeps) { #expect(abs(flash - beep) < 0.003, "\(flash) \(beep)") }
  }

  @Test("An encoder that goes on after all leaves the file of the next one alone")
  func aLateStart() async throws {
    let hanging = try HangingElement(.startingWithError)
    defer { hanging.letGo() }
    let works = try #require(VideoEncoder.installed().last)
    let bench = try RecordingBench(encoders: { [hanging.encoder, works] })
    let run = await bench.begin()
    await bench.feed(0..<1)
    #expect(await eventually { bench.recorder.withState { $0.take?.form.encoder } == works })
    await bench.feed(1..<60)
    let files = bench.opened
    try #require(files.count == 2)
    #expect(await eventually { RecordedLength.seconds(of: files[1].hiddenPath) ?? 0 > 1 })
    // A disk that hung while the file was opened empties it in the end.
    #expect(FileManager.default.createFile(atPath: files[0].hiddenPath, contents: nil))
    hanging.letGo()
    await bench.feed(60..<90)
    bench.setNow(90)
    bench.recorder.stop()
    let movie = try await run.value
    #expect(movie.url.path == files[1].path)
    #expect(try LivePhotoReading(movie.url).pictures.map(\.number) == bench.numbers(0..<90))
    // Nothing stays of the first file.
    #expect(await eventually { bench.names == [movie.url.lastPathComponent] })
  }

  @Test("A file that something may still write to isn't changed", arguments: [true, false])
  func whatHangsIsNotDisturbed(hangs: Bool) async throws {
    let whole = try await Self.movie()
    let bench = try RecordingBench(frameCount: 1, position: "+46.948000+007.447400/")
    bench.recorder.withState { $0.isHanging = hangs }
    let movie = try await Self.close(whole, .standstill, on: bench)
    #expect(movie.lacksPosition == hangs)
    #expect(try (Data(contentsOf: movie.url) == whole) == hangs)
  }

  @Test("A disk that hangs while the file is opened ends the recording; what comes late is removed")
  func anOpeningThatHangs() async throws {
    let letGo = DispatchSemaphore(value: 0)
    let bench = try RecordingBench(
      frameCount: 1,
      adjust: { environment in
        environment.limits.movieProgress = .milliseconds(20)
        environment.freeBytes = { _ in
          letGo.wait()
          return 1 << 40
        }
      })
    let run = bench.run(size: bench.format.size)
    bench.recorder.stop()
    await #expect { try await run.value } throws: { "\($0)".contains("isn’t responding") }
    #expect(await eventually { bench.names.count == 1 })
    letGo.signal()
    #expect(await eventually { bench.names.isEmpty })
  }
  @Test("A disk that hangs while the file is finished ends the recording; the next start finds the file, as was said")
  func aFinishThatHangs() async throws {
    let movie = try await Self.movie()
    let letGo = DispatchSemaphore(value: 0)
    let bench = try RecordingBench(
      frameCount: 1,
      adjust: { environment in
        environment.limits.movieIndex = .milliseconds(20)
        environment.synchronizeWhole = { _ in
          letGo.wait()
          return nil
        }
      })
    await #expect { try await Self.close(movie, nil, on: bench) } throws: {
      "\($0)".contains("isn’t responding") && "\($0)".contains("until PhotoMe starts again")
    }
    letGo.signal()
    // It can be looked at when nobody has it open any more.
    #expect(await eventually { UnfinishedMovies.recover(in: bench.folder).count == 1 })
  }

  /// A recorded movie of a second.
  private static func movie() async throws -> Data {
    let bench = try RecordingBench(frameCount: 30)
    let run = await bench.begin(sound: false)
    await bench.feed(0..<30, sound: false)
    bench.setNow(30)
    bench.recorder.stop()
    return try Data(contentsOf: try await run.value.url)
  }

  /// Lets a recorder close a file in which there is a movie.
  private static func close(
    _ movie: Data, _ failure: MovieFailure?, on bench: RecordingBench
  ) async throws -> RecordedMovie {
    let file = try RecordingFile(folder: bench.folder, date: Date(timeIntervalSince1970: 1_795_300_000))
    try #require(FileHandle(forWritingAtPath: file.path)).write(contentsOf: movie)
    bench.recorder.handle { $0.firstFrame() }
    bench.recorder.stop()
    return try await bench.recorder.close(file, failure)
  }
}
