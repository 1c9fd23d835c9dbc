// Printing: the places of pictures on pages, and the pictures themselves.

import CameraCore
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

  @Test func aDiskThatHangsEndsTheJob() async throws {
    let bench = try await LibraryBench(count: 0)
    let pipe = bench.folder.appendingPathComponent("IMG.jpg")
    try #require(mkfifo(pipe.path, 0o600) == 0)
    var asset = SampleAssets.asset(isLive: true)
    (asset.url, asset.isLive, asset.movieRange) = (pipe, false, nil)
    let model = PrintModel(
      images: ImageManager(), navigation: bench.navigation, messages: bench.messages, patience: .milliseconds(50))
    await #expect(throws: (any Error).self) { _ = try await model.picture(of: asset, onWidth: 500, height: 700) }
    #expect(model.steps == 1)
    try await bench.end()
  }

  @Test func theProgramEndsAfterTheLastPage() async throws {
    let bench = try await LibraryBench(count: 0)
    let model = PrintModel(images: ImageManager(), navigation: bench.navigation, messages: bench.messages)
    await model.finished()
    model.began()
    model.began()
    let finished = Task { await model.finished() }
    #expect(model.isPrinting)
    model.ended(.printed)
    await finished.value
    #expect(!model.isPrinting)
    await model.finished()
    try await bench.end()
  }
}
