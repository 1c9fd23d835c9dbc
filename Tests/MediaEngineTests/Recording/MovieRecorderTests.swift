// Recorded movies: every frame at its time, sound in step, pauses cut out, and whatever goes wrong leaves what there was.

import CameraCore
import EngineInterface
import Foundation
import MediaFormats
import TestSupport
import Testing

@testable import MediaEngine

@Suite struct MovieRecorderTests {
  @Test func aCleanStopLeavesAnOrdinaryMovie() async throws {
    let bench = try RecordingBench()
    let run = await bench.begin()
    await bench.feed(0..<90)
    bench.setNow(90)
    bench.recorder.stop()
    let movie = try await run.value
    #expect(movie.ending == .stopped && movie.shortfall == nil && movie.hasSound && movie.droppedFrames == 0)
    #expect(abs(movie.duration - 3) < 0.1)
    #expect(bench.names == [movie.url.lastPathComponent])
    #expect(movie.url.lastPathComponent.hasPrefix("VID_"))
    #expect(bench.events == [.began(.recording(TestCamera.microphone)), .ending])
    #expect(bench.opened.map(\.path) == [movie.url.path])
    #expect(bench.endCount > 0)
    // One index and no fragments: what every program can open.
    let boxes = try RecordingBench.boxes(movie.url)
    #expect(boxes.contains("moov") && boxes.contains("mdat") && !boxes.contains("moof"))

    let read = try LivePhotoReading(movie.url)
    #expect(read.pictures.map(\.number) == bench.numbers(0..<90))
    for (index, picture) in read.pictures.enumerated() { #expect(abs(picture.time - Double(index) / 30) < 0.0001) }
    #expect(read.flashes.count == 3 && read.beeps.count == 3)
    for (flash, beep) in zip(read.flashes, read.beeps) { #expect(abs(flash - beep) < 0.003, "\(flash) \(beep)") }
  }

  /// Silence is encoded into packets of one size. Where sound lies between them the muxer doesn't state it for each.
  @Test func eachFragmentTellsTheSizesOfItsSamples() async throws {
    let bench = try RecordingBench()
    let run = await bench.begin()
    for start in stride(from: 0, to: 90, by: 3) {
      await bench.feed(start..<start + 3, sound: start.isMultiple(of: 2))
    }
    bench.setNow(90)
    bench.recorder.stop()
    let bytes = [UInt8](try Data(contentsOf: try await run.value.url))
    // In the finished movie they are hidden in its media, behind the index of the first one.
    let moof = Array("moof".utf8)
    let places = bytes.indices.dropLast(8).filter { bytes[$0] == moof[0] && bytes[$0..<$0 + 4].elementsEqual(moof) }
    #expect(places.count >= 8)
    var isCountedFromFragment = false
    for place in places {
      let length = bytes[place - 4..<place].reduce(0) { $0 << 8 | Int($1) }
      let fragment = MovieFragment(bytes[place - 4..<place - 4 + length])
      #expect(!fragment.tracks.isEmpty && fragment.isComplete)
      if fragment.tracks.contains(where: { $0.flags & 0x2_0000 != 0 }) { isCountedFromFragment = true }
    }
    #expect(isCountedFromFragment, "Nothing was missing, which this movie was made for.")
  }

  @Test func aPauseIsCutOutAndTheSoundStaysInStep() async throws {
    let bench = try RecordingBench()
    let run = await bench.begin()
    await bench.feed(0..<30)
    bench.setNow(30)
    bench.recorder.pause()
    await bench.feed(30..<45)
    bench.setNow(45)
    bench.recorder.resume()
    await bench.feed(45..<90)
    bench.setNow(90)
    bench.recorder.stop()
    let movie = try await run.value
    let read = try LivePhotoReading(movie.url)
    #expect(read.pictures.map(\.number) == bench.numbers(0..<30, 45..<90))
    for (index, picture) in read.pictures.enumerated() { #expect(abs(picture.time - Double(index) / 30) < 0.0001) }
    #expect(read.flashes.count == 3 && read.beeps.count == 3)
    for (flash, beep) in zip(read.flashes, read.beeps) { #expect(abs(flash - beep) < 0.003, "\(flash) \(beep)") }
    #expect(bench.events.contains(.paused) && bench.events.contains(.resumed))
  }

  @Test func aMicrophoneThatFallsSilentLeavesSilenceAndNoGap() async throws {
    let bench = try RecordingBench()
    let run = await bench.begin()
    await bench.feed(0..<30)
    await bench.feed(30..<90, sound: false)
    bench.setNow(90)
    bench.recorder.stop()
    let movie = try await run.value
    let read = try LivePhotoReading(movie.url)
    #expect(read.pictures.count == 90)
    #expect(read.beeps.count == 1)
    #expect(abs(read.samples.count - 144_000) < 4_096)
  }

  @Test func aMovieMayHaveNoSound() async throws {
    let bench = try RecordingBench(frameCount: 30)
    let run = await bench.begin(sound: false)
    await bench.feed(0..<30, sound: false)
    bench.setNow(30)
    bench.recorder.stop()
    let movie = try await run.value
    #expect(!movie.hasSound)
    let read = try LivePhotoReading(movie.url)
    #expect(read.pictures.count == 30 && read.samples.isEmpty)
  }

  @Test func aCameraThatGoesLeavesItsMovie() async throws {
    let bench = try RecordingBench(frameCount: 40)
    let run = await bench.begin()
    await bench.feed(0..<40)
    bench.recorder.cameraEnded()
    let movie = try await run.value
    #expect(movie.ending == .cameraLost)
    #expect(movie.shortfall?.contains(movie.url.lastPathComponent) == true)
    #expect(try LivePhotoReading(movie.url).pictures.count == 40)
  }

  @Test func aDiskThatFillsUpEndsTheMovieInOrder() async throws {
    let bench = try RecordingBench(frameCount: 40)
    let run = await bench.begin()
    await bench.feed(0..<40)
    bench.letASecondPass()
    #expect(await eventually { bench.progress != nil })
    let progress = try #require(bench.progress)
    #expect(progress.elapsed >= .seconds(1.3) && progress.timeLeft.map { $0 > .seconds(600) } == true)
    bench.setFree(MovieRecorder.reserve - 1)
    bench.letASecondPass()
    let movie = try await run.value
    #expect(movie.ending == .diskFull && movie.shortfall?.contains("full") == true)
    #expect(try LivePhotoReading(movie.url).pictures.count == 40)
    #expect(try !RecordingBench.boxes(movie.url).contains("moof"))
  }

  @Test func aDiskThatSaysItNeverFillsUpIsBelieved() async throws {
    let bench = try RecordingBench(frameCount: 10)
    bench.setFree(.max)
    let run = await bench.begin()
    await bench.feed(0..<10)
    bench.letASecondPass()
    #expect(await eventually { bench.progress != nil })
    #expect(bench.progress?.timeLeft.map { $0.seconds > 1e7 } == true)
    bench.setNow(10)
    bench.recorder.stop()
    #expect(try await run.value.ending == .stopped)
  }

  @Test func aFullDiskIsSaidBeforeAnythingIsRecorded() async throws {
    let bench = try RecordingBench(frameCount: 1)
    bench.setFree(1 << 20)
    let input = MovieRecorder.Input(
      frames: .init(size: bench.format.size), rate: LivePhotoSample.rate, sound: .off, channels: nil)
    await #expect { try await bench.recorder.run(input) } throws: { "\($0)".contains("is full") }
    #expect(bench.names.isEmpty)
    #expect(bench.endCount > 0)
  }

  @Test func aStopBeforeTheFirstPictureLeavesNothing() async throws {
    let bench = try RecordingBench(frameCount: 1)
    let run = await bench.begin()
    bench.recorder.stop()
    await #expect { try await run.value } throws: { "\($0)".contains("before its first picture") }
    #expect(bench.names.isEmpty)
  }

  @Test func theNextEncoderIsTriedWhenOneCannotBeUsed() async throws {
    let bench = try RecordingBench(frameCount: 30) {
      [VideoEncoder(element: "photome-no-such-encoder", isHardware: true)] + VideoEncoder.installed()
    }
    let run = await bench.begin()
    await bench.feed(0..<30)
    bench.setNow(30)
    bench.recorder.stop()
    #expect(try LivePhotoReading(try await run.value.url).pictures.count == 30)
  }

  @Test func aMovieEndsByItselfAtItsLength() async throws {
    let bench = try RecordingBench(frameCount: 60, duration: .seconds(1))
    let run = await bench.begin()
    await bench.feed(0..<60)
    let movie = try await run.value
    #expect(movie.ending == .stopped)
    #expect(try LivePhotoReading(movie.url).pictures.map(\.number) == bench.numbers(0..<30))
  }

  @Test func aFrameOfAnotherSizeIsLeftOutAndCounted() async throws {
    let bench = try RecordingBench(frameCount: 30)
    let run = await bench.begin()
    var odd = bench.frames[0]
    odd.size = PixelSize(width: 320, height: 180)
    bench.recorder.receive(odd)
    await bench.feed(0..<30)
    bench.setNow(30)
    bench.recorder.stop()
    let movie = try await run.value
    #expect(movie.droppedFrames == 1)
    #expect(try LivePhotoReading(movie.url).pictures.count == 30)
  }

  @Test func aMovieTellsItsPosition() async throws {
    let bench = try RecordingBench(position: "+46.948000+007.447400/")
    let run = await bench.begin()
    await bench.feed(0..<30)
    bench.setNow(30)
    bench.recorder.stop()
    let movie = try await run.value
    #expect(!movie.lacksPosition && movie.shortfall == nil)
    let source = try MovieStretch(whole: movie.url)
    #expect(try MP4Head(source, range: 0..<source.count)?.position == "+46.948000+007.447400/")
    #expect(try RecordingBench.boxes(movie.url).last == "moov")
    #expect(try LivePhotoReading(movie.url).pictures.map(\.number) == bench.numbers(0..<30))
    // It has one already.
    #expect(!RecordedPosition.write("+10.000000+010.000000/", to: movie.url.path))
  }

  @Test func whatAKillLeavesPlaysUpToItsLastFragment() async throws {
    let bench = try RecordingBench()
    let run = await bench.begin()
    await bench.feed(0..<90)
    let hidden = try #require(bench.names.first)
    #expect(bench.names.count == 1 && hidden.hasPrefix(".VID_"))
    let path = bench.folder.appendingPathComponent(hidden).path
    #expect(bench.opened.map(\.hiddenPath) == [path])
    // All but the last of the three seconds' fragments are in the file; that waits for its end.
    #expect(await eventually { (RecordedLength.seconds(of: path) ?? 0) > 2.5 })
    // While it is recorded nobody takes it.
    #expect(UnfinishedMovies.recover(in: bench.folder).isEmpty)
    // The bytes that a kill would leave at this instant.
    let library = bench.folder.appendingPathComponent("library")
    let month = library.appendingPathComponent("2026-11")
    try FileManager.default.createDirectory(at: month, withIntermediateDirectories: true)
    try FileManager.default.copyItem(atPath: path, toPath: month.appendingPathComponent(hidden).path)
    bench.setNow(90)
    bench.recorder.stop()
    let movie = try await run.value

    let name = String(hidden.dropFirst().dropLast(RecordingFile.ending.count)) + ".mp4"
    let url = month.appendingPathComponent(name)
    let killed = try Data(contentsOf: month.appendingPathComponent(hidden))
    let hiddenPath = month.appendingPathComponent(hidden).path
    #expect(UnfinishedMovies.recover(in: library) == [.recovered(url, hiddenPath: hiddenPath)])
    let read = try LivePhotoReading(url)
    #expect(read.pictures.count >= 75)
    #expect(read.pictures.map(\.number) == bench.numbers(0..<read.pictures.count))
    for (index, picture) in read.pictures.enumerated() { #expect(abs(picture.time - Double(index) / 30) < 0.0001) }
    #expect(zip(read.flashes, read.beeps).allSatisfy { abs($0 - $1) < 0.003 })
    #expect(UnfinishedMovies.recover(in: library).isEmpty)
    // An ordinary movie: one index, of its true length.
    #expect(try RecordingBench.boxes(url) == ["ftyp", "mdat", "moov"])
    let index = try MP4Index(MovieStretch(whole: url))
    #expect(index.fragmentsEnd == nil && index.picture?.frameCount(within: nil) == read.pictures.count)
    let seconds = try #require(RecordedLength.seconds(of: url.path))
    #expect(abs(seconds - Double(read.pictures.count) / 30) < 0.1)
    // Its sound is that of the recording that went on, sample by sample.
    let sound = try LivePhotoReading(movie.url).samples
    let packets = read.samples.count / 1024 * 1024
    #expect(packets > 48_000 * 2 && read.samples.prefix(packets) == sound.prefix(packets))

    // Killed while it is being made ordinary: the next start completes it.
    for step in UnfinishedMovies.MendingStep.allCases {
      let again = month.appendingPathComponent(hidden)
      try killed.write(to: again)
      let file = open(again.path, O_RDWR | O_CLOEXEC)
      UnfinishedMovies.mend(file, again.path) { $0 == step }
      close(file)
      #expect(try LivePhotoReading(again).pictures.map(\.number).starts(with: bench.numbers(0..<75)))
      try FileManager.default.removeItem(at: url)
      #expect(UnfinishedMovies.recover(in: library) == [.recovered(url, hiddenPath: hiddenPath)])
      #expect(try LivePhotoReading(url).pictures.map(\.number) == read.pictures.map(\.number))
      #expect(try RecordingBench.boxes(url) == ["ftyp", "mdat", "moov"])
    }
  }
}

extension RecordingBench {
  /// The first progress that was reported.
  var progress: RecordingProgress? {
    events.lazy.compactMap { if case .progress(let progress) = $0 { progress } else { nil } }.first
  }
}

extension MovieRecorderTests {
  @Test func framesThatAreLeftOutUnderPressureLeaveEvenGapsAndTheSoundWhole() async throws {
    let bench = try RecordingBench()
    let run = await bench.begin()
    await bench.feed(0..<30)
    await bench.feed(30..<90, leavingOutEverySecond: true)
    bench.setNow(90)
    bench.recorder.stop()
    let movie = try await run.value
    #expect(movie.droppedFrames == 30 && abs(movie.duration - 3) < 0.1)
    let read = try LivePhotoReading(movie.url)
    #expect(
      read.pictures.map(\.number) == bench.numbers(0..<30)
        + (30..<90).filter { $0.isMultiple(of: 2) }.flatMap {
          bench.numbers($0..<$0 + 1)
        })
    #expect(read.beeps.count == 3)
  }
}
