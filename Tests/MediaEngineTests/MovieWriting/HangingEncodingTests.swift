// Encodings that hang hold up no others.

import CameraCore
import EngineInterface
import Foundation
import Synchronization
import Testing

@testable import MediaEngine

@Suite(.timeLimit(.minutes(30))) struct HangingEncodingTests {
  @Test("While one movie's file hangs, another is written, and stopping the first one has a limit")
  func aFileThatHangs() async throws {
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent("photome-hang-\(UUID().uuidString)")
    defer { try? FileManager.default.removeItem(at: folder) }
    let pipe = try NamedPipe()
    let encoder = try #require(VideoEncoder.installed().last)
    let form = TranscodeEncoding.Form(
      size: PixelSize(width: 320, height: 240), rate: FrameRate(30), colorimetry: "bt709", timescale: 90_000)
    let hanging = try TranscodeEncoding(
      form, encoder: encoder, niceness: 0, file: URL(fileURLWithPath: pipe.path), progress: MovieProgress())
    let starting = Task { await hanging.start() }
    let movie = try await LivePhotoWriter(limits: EngineLimits()).write(
      try LivePhotoSample.window(count: 5), into: folder)
    #expect(movie.duration > 0)
    hanging.giveUp(.standstill)
    await starting.value
    await hanging.stop()
    #expect(
      await pipe.releaseWriters {
        await hanging.stop()
        return true
      })
  }

  @Test("An encoder that hangs while it is made costs a live photo nothing but its time limit")
  func aLivePhotosEncoderThatHangs() async throws {
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent("photome-hang-\(UUID().uuidString)")
    defer { try? FileManager.default.removeItem(at: folder) }
    let hanging = try HangingElement()
    defer { hanging.letGo() }
    let writer = LivePhotoWriter(
      limits: EngineLimits(), making: hanging.making, encoders: { [hanging.encoder] + VideoEncoder.installed() })
    let movie = try await writer.write(try LivePhotoSample.window(count: 5), into: folder)
    #expect(movie.duration > 0)
    #expect(await Task { @EncodingActor in true }.value)
    #expect(hanging.encoder.isGivenUp)
  }

  @Test("An encoder that hangs while it is made costs an edit nothing but its time limit")
  func anEditsEncoderThatHangs() async throws {
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent("photome-hang-\(UUID().uuidString)")
    defer { try? FileManager.default.removeItem(at: folder) }
    let movie = try await LivePhotoWriter(limits: EngineLimits()).write(
      try LivePhotoSample.window(count: 5), into: folder)
    let size = try #require(movie.url.resourceValues(forKeys: [.fileSizeKey]).fileSize)
    let hanging = try HangingElement()
    defer { hanging.letGo() }
    let renderer = EngineEditRenderer(
      patience: .seconds(600), encoders: { [hanging.encoder] + VideoEncoder.installed() }, making: hanging.making)
    let rendered = try await renderer.movie(
      of: MovieSource(url: movie.url, byteRange: 0..<UInt64(size)), edit: MovieEdit(processor: nil, trim: 0...0.1),
      into: folder
    ) { _ in }
    #expect(rendered.duration > 0)
    #expect(hanging.encoder.isGivenUp)
  }

  @Test("An encoder of an edit that goes on after all leaves the file of the next one alone")
  func anEditsEncoderThatStartsLate() async throws {
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent("photome-hang-\(UUID().uuidString)")
    defer { try? FileManager.default.removeItem(at: folder) }
    let movie = try await LivePhotoWriter(limits: EngineLimits()).write(
      try LivePhotoSample.window(count: 5), into: folder)
    let size = try #require(movie.url.resourceValues(forKeys: [.fileSizeKey]).fileSize)
    let tracks = { @Sendable in
      ((try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? []).filter { $0.contains(".picture") }
    }
    let ofFirst = Mutex<[String]>([])
    let ofSecond = Mutex<[String]>([])
    let hanging = try HangingElement(.startingWithError) { ofFirst.withLock { $0 = tracks() } }
    defer { hanging.letGo() }
    let encoder = hanging.encoder
    let works = try #require(VideoEncoder.installed().last)
    let renderer = EngineEditRenderer(patience: .seconds(600), encoders: { [encoder, works] })
    let rendered = try await renderer.movie(
      of: MovieSource(url: movie.url, byteRange: 0..<UInt64(size)), edit: MovieEdit(processor: nil, trim: 0...0.1),
      into: folder
    ) { _ in
      // The second encoder takes its frames.
      if encoder.isGivenUp { ofSecond.withLock { if $0.isEmpty { $0 = tracks() } } }
    }
    #expect(rendered.duration > 0)
    #expect(encoder.isGivenUp)
    let (first, second) = (ofFirst.withLock { $0 }, ofSecond.withLock { $0 })
    #expect(first.count == 1 && second.count == 1 && first != second)
    // A disk that hung while the file was opened makes it in the end.
    for name in first {
      #expect(FileManager.default.createFile(atPath: folder.appendingPathComponent(name).path, contents: nil))
    }
    hanging.letGo()
    #expect(await eventually { tracks().isEmpty })
  }

  @Test(
    "A movie on a disk that doesn't answer holds up neither other movies nor what is played", arguments: [true, false])
  func aDiskThatHangs(isPlayed: Bool) async throws {
    let pipe = try NamedPipe()
    let source = MovieSource(url: URL(fileURLWithPath: pipe.path), byteRange: 0..<1000)
    let opening = Task {
      if isPlayed { return try await MoviePlayer(source, isMuted: true).play() }
      _ = try await EngineMovieReader().frame(of: source, at: 0, fitting: PixelSize(width: 64, height: 64))
    }
    // Found by the actor itself: it could not look while it waits for the disk.
    let isFree = Atomic(false)
    let looking = Task {
      while !Task.isCancelled {
        let isOpening =
          isPlayed ? await Self.playbackReleases(pipe) : await Self.encodingReleases(pipe)
        if isOpening { return isFree.store(true, ordering: .releasing) }
        await Task.yield()
      }
    }
    #expect(await eventually { isFree.load(ordering: .acquiring) })
    pipe.releaseReaders()
    looking.cancel()
    await looking.value
    await #expect(throws: CameraError.self) { try await opening.value }
  }

  @PlaybackActor private static func playbackReleases(_ pipe: NamedPipe) -> Bool { pipe.releaseReaders() }

  @EncodingActor private static func encodingReleases(_ pipe: NamedPipe) -> Bool { pipe.releaseReaders() }
}
