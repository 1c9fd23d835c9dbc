// Printing: the places of pictures on pages, and the pictures themselves.

import CameraCore
import EngineInterface
import Foundation
import PhotoLibrary
import Testing

@testable import CameraModels

@MainActor @Suite(.timeLimit(.minutes(30))) struct PrintModelTests {
  @Test(
    "A picture is as large as fits, in the middle",
    arguments: [
      (PixelSize(width: 400, height: 300), PrintPlacement(x: 0, y: 50, width: 400, height: 300)),
      (PixelSize(width: 40, height: 80), PrintPlacement(x: 100, y: 0, width: 200, height: 400)),
      (PixelSize(width: 8000, height: 8000), PrintPlacement(x: 0, y: 0, width: 400, height: 400)),
    ])
  func placement(size: PixelSize, place: PrintPlacement) {
    #expect(PrintPlacement(of: size, onWidth: 400, height: 400) == place)
  }

  @Test func pagesAreTurnedToTheirPictures() {
    var tall = SampleAssets.asset(isLive: true)
    tall.size = PixelSize(width: 480, height: 640)
    let job = PrintJob(assets: [SampleAssets.asset(isLive: true), tall])
    #expect(job.isLandscape(page: 0) && !job.isLandscape(page: 1))
    #expect(job.title == "2 Items" && PrintJob(assets: [tall]).title == "IMG.MP.jpg")
  }

  @Test func thePicturesAreThoseOfThePageInFront() async throws {
    let bench = try await LibraryBench(count: 1)
    let model = PrintModel(images: ImageManager(), navigation: bench.navigation, messages: bench.messages)
    #expect(await model.job() == nil)
    await bench.grid.open()
    bench.grid.selectAll()
    let job = try #require(await model.job())
    let picture = try await model.picture(of: job.assets[0], onWidth: 500, height: 700)
    #expect(picture.size == PixelSize(width: 64, height: 48))
    // A video without a decoder can't be printed, nor can what is gone.
    for asset in [SampleAssets.asset(isLive: false), SampleAssets.asset(isLive: true)] {
      await #expect(throws: PhotoLibraryError.self) {
        _ = try await model.picture(of: asset, onWidth: 500, height: 700)
      }
    }
    for end in [PrintModel.End.printed, .canceled] { model.ended(end) }
    #expect(bench.nextMessage() == nil)
    model.ended(.failed(reason: "The printer is on fire."))
    #expect(bench.nextMessage() == "Nothing was printed. The printer is on fire.")
    try await bench.end()
  }

  /// A reader that never answers, as one on a disk that hangs.
  private struct HangingFrames: MovieReader {
    func frame(of source: MovieSource, at time: Double, fitting size: PixelSize) async throws -> DecodedImage {
      while true { try await Task.sleep(nanoseconds: 1_000_000_000) }
    }

    func readFrames(
      of source: MovieSource, fitting size: PixelSize, atMost frameRate: Double?,
      _ body: @escaping @Sendable (MovieFrame) throws -> Void
    ) async throws {}
  }

  @Test func aDiskThatHangsEndsTheJob() async throws {
    let bench = try await LibraryBench(count: 0)
    let model = PrintModel(
      images: ImageManager(cacheByteLimit: 0, movieFrames: HangingFrames()), navigation: bench.navigation,
      messages: bench.messages, patience: .milliseconds(50))
    var video = SampleAssets.asset(isLive: false)
    video.url = try SampleMedia.movie(in: bench.folder).url
    video.movieRange = 0..<UInt64(try Data(contentsOf: video.url).count)
    do {
      _ = try await model.picture(of: video, onWidth: 500, height: 700)
      Issue.record("There is a picture.")
    } catch { #expect(error.localizedDescription.contains("its disk doesn’t respond")) }
    #expect(model.steps == 1)
    try await bench.end()
  }

  @Test func theProgramEndsWhenAllPagesAreHandedOver() async throws {
    let bench = try await LibraryBench(count: 0)
    let model = PrintModel(images: ImageManager(), navigation: bench.navigation, messages: bench.messages)
    // Time stands still.
    let (never, sink) = AsyncStream.makeStream(of: Void.self)
    let closing = ClosingModel(camera: bench.camera, effects: nil, others: [model.unfinishedWork]) {
      for await _ in never {}
      try Task.checkCancellation()
    }
    model.began()
    model.began()
    let end = Task { await closing.close() }
    await ModelBench.until { closing.isClosing }
    model.sent()
    // The refusal of a third job changes nothing.
    model.refuse()
    for _ in 0..<100 { await Task.yield() }
    #expect(closing.isClosing && model.isPrinting)
    model.ended(.printed)
    #expect(closing.isClosing)
    model.sent()
    #expect(await end.value == .finished)
    #expect(!model.isPrinting)
    sink.finish()
    try await bench.end()
  }
}
