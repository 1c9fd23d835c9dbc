// Exporting animations: every frame, exact times, endless loops, and errors.

import CameraCore
import Foundation
import MediaFormats
import StillCodecs
import Testing

@testable import PhotoLibrary

@Suite(.timeLimit(.minutes(30))) struct AnimationTests {
  private let size = PixelSize(width: 48, height: 27)

  private func livePhoto(_ scratch: Scratch) async throws -> (library: PhotoLibrary, asset: Asset) {
    let library = try await scratch.library()
    let movie = try await Samples.movie(in: library)
    let asset = try await library.createAsset(
      AssetCreationRequest(photo: try Samples.jpeg(), metadata: Samples.metadata(displayTime: 1.5), pairedVideo: movie))
    return (library, asset)
  }

  /// 40 frames of 1/14.3 s: no hundredths.
  private let times = (0...40).map { Double($0) / 14.3 }

  @Test func aGIFHasAllFramesAtTheirTimes() async throws {
    let scratch = try Scratch()
    let (library, asset) = try await livePhoto(scratch)
    let before = try Data(contentsOf: asset.url)
    let frames = ScriptedFrames(times: times, size: size)
    let target = scratch.url.appendingPathComponent("out/film.gif")
    let exported = try await library.export(asset, as: .gif, to: target, movieFrames: frames)
    #expect(exported.url == target && exported.companions.first == nil)
    let gif = GIFReading(try Data(contentsOf: target))
    #expect(gif.isWhole && gif.size == size && gif.frames == 40 && gif.loops == 0)
    var elapsed = 0
    for (delay, end) in zip(gif.delays, times.dropFirst()) {
      elapsed += delay
      #expect(abs(Double(elapsed) / 100 - end) <= 0.005001)
    }
    #expect(gif.delays.count == 40)
    // Small and slow enough, unless something else is asked for.
    #expect(frames.requests.map(\.size.width) == [480, 480] && frames.requests.last?.rate == 15)
    #expect(try Data(contentsOf: asset.url) == before)
  }

  @Test func aWebPHasAllFramesAtTheirTimes() async throws {
    let scratch = try Scratch()
    let (library, asset) = try await livePhoto(scratch)
    let frames = ScriptedFrames(times: times, size: size)
    let folder = scratch.url.appendingPathComponent("out")
    let report = try await library.export(
      [asset], as: .webp, ExportOptions(longestSide: 100), into: folder, movieFrames: frames)
    let url = try #require(report.exported.first?.url)
    #expect(url.lastPathComponent == asset.url.lastPathComponent.replacingOccurrences(of: ".MP.jpg", with: ".webp"))
    let webp = WebPReading(try Data(contentsOf: url))
    #expect(webp.size == size && webp.loops == 0 && webp.durations.count == 40)
    #expect(abs(Double(webp.durations.reduce(0, +)) / 1000 - (times.last ?? 0)) < 0.001)
    #expect(frames.requests.map(\.size.width) == [100])
  }

  /// What a reader of the format finds in a file: colors of the first pixels of each frame, and durations.
  private func read(_ url: URL, _ format: PhotoFormat) throws -> (pixels: [[UInt8]], durations: [Double], loops: Int) {
    let reader = try #require(try StillCodecs.frames(of: Data(contentsOf: url), as: format))
    var (pixels, durations): ([[UInt8]], [Double]) = ([], [])
    while let frame = try reader.next() {
      #expect(frame.image.size == size)
      pixels.append(frame.image.block.withUnsafeBytes { Array($0.prefix(3)) })
      durations.append(frame.duration)
    }
    return (pixels, durations, reader.loopCount)
  }

  @Test(arguments: [(ExportForm.apng, PhotoFormat.png), (.avif, .avif)])
  func eachFrameIsThereAtItsTime(form: ExportForm, format: PhotoFormat) async throws {
    let scratch = try Scratch()
    let (library, asset) = try await livePhoto(scratch)
    let frames = ScriptedFrames(times: times, size: size)
    let target = scratch.url.appendingPathComponent("out/film.\(format.fileExtension)")
    #expect(try await library.export(asset, as: form, to: target, movieFrames: frames).url == target)
    let found = try read(target, format)
    #expect(found.durations.count == 40 && found.loops == 0)
    var elapsed = 0.0
    for (duration, end) in zip(found.durations, times.dropFirst()) {
      elapsed += duration
      #expect(abs(elapsed - end) <= 0.000501)
    }
    for (number, pixel) in found.pixels.enumerated() {
      // APNGs lose nothing.
      let tolerance = form == .apng ? 0 : 24
      let expected = [number * 16 % 256, 0, 90]
      #expect(zip(pixel, expected).allSatisfy { abs(Int($0) - $1) <= tolerance }, "\(number): \(pixel)")
    }
    #expect(frames.requests.map(\.size.width) == [form == .apng ? 480 : 720])
    // The library knows what it made.
    let copy = try await library.createAsset(AssetCreationRequest(file: target))
    #expect(copy.size == size && !copy.isLive)
    let played = try #require(try await ImageManager().animation(of: copy, targetSize: size))
    #expect(try await played.next() != nil)
  }

  @Test func programsWithoutAnimationsShowTheFirstFrameOfAPNGs() async throws {
    let scratch = try Scratch()
    let (library, asset) = try await livePhoto(scratch)
    let target = scratch.url.appendingPathComponent("film.png")
    _ = try await library.export(asset, as: .apng, to: target, movieFrames: ScriptedFrames(times: times, size: size))
    let still = try StillCodecs.decode(Data(contentsOf: target), as: .png)
    #expect(still.image.size == size)
    #expect(still.image.block.withUnsafeBytes { Array($0.prefix(3)) } == [0, 0, 90])
  }

  @Test func framesThatAreTooShortDoNotMoveTheOthers() async throws {
    let scratch = try Scratch()
    let (library, asset) = try await livePhoto(scratch)
    let frames = ScriptedFrames(times: [0, 0.001, 0.002, 0.5, 0.5, 1], size: size)
    let target = scratch.url.appendingPathComponent("film.gif")
    _ = try await library.export(asset, as: .gif, to: target, movieFrames: frames)
    let gif = GIFReading(try Data(contentsOf: target))
    #expect(gif.delays.reduce(0, +) == 100 && gif.delays.allSatisfy { $0 >= 2 })
  }

  @Test(arguments: ExportForm.allCases.filter(\.isAnimation)) func whatFailsLeavesNothing(form: ExportForm) async throws
  {
    let scratch = try Scratch()
    let (library, asset) = try await livePhoto(scratch)
    let folder = scratch.url.appendingPathComponent("out")
    let broken = CameraError.playbackFailed(file: "x", message: "it is damaged")
    for (frames, words) in [
      (ScriptedFrames(times: times, size: size, failure: (7, broken)), "it is damaged"),
      (ScriptedFrames(times: [0], size: size), "no picture"),
      (ScriptedFrames(times: [0, 1, 300, 301], size: size), "2 minutes"),
    ] {
      let report = try await library.export([asset], as: form, into: folder, movieFrames: frames)
      let error = try #require(report.refused.first?.error)
      #expect(report.exported.isEmpty && error.description.contains(words))
    }
    let report = try await library.export([asset], as: form, into: folder)
    #expect(report.refused.count == 1)
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path).isEmpty)
    // A photo has no movie.
    let photo = try await library.createAsset(
      AssetCreationRequest(photo: try Samples.jpeg(shade: 3), metadata: Samples.metadata()))
    let frames = ScriptedFrames(times: times, size: size)
    let refused = try await library.export([photo], as: form, into: folder, movieFrames: frames).refused
    #expect(refused.first?.error.description.contains("no video") == true)
  }

  @Test(arguments: ExportForm.allCases.filter(\.isAnimation)) func cancellationLeavesNothing(form: ExportForm)
    async throws
  {
    let scratch = try Scratch()
    let (library, asset) = try await livePhoto(scratch)
    let folder = scratch.url.appendingPathComponent("out")
    let frames = ScriptedFrames(times: times, size: size)
    let task = Task {
      try await library.export([asset], as: form, into: folder, movieFrames: frames) { progress in
        if progress.fraction > 0.2 { withUnsafeCurrentTask { $0?.cancel() } }
      }
    }
    let report = try await task.value
    #expect(report.isCancelled && report.exported.isEmpty && report.refused.isEmpty)
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path).isEmpty)
  }
}
