// The parts of a report, and the index that the window is given.

import Foundation
import PhotoLibrary
import Testing

@testable import photome_bench

@Suite("A part of the report", .timeLimit(.minutes(30)))
struct BenchPartTests {
  @Test("Leaves the others standing when it fails, and says why")
  func failure() async throws {
    let bench = try Bench(BenchOptions.parse([]))
    defer { bench.end() }
    var figures = bench.part("first") { [Figure("first", value: 1, unit: "s")] }
    figures += bench.part("second") { throw BenchError("The look at the library hangs.") }
    figures += await bench.part("third") {
      await Task.yield()
      throw BenchError("No window.")
    }
    figures += bench.part("fourth") { [Figure("fourth", value: 4, unit: "s")] }
    #expect(figures.map(\.name) == ["first", "second", "third", "fourth"])
    #expect(figures.map(\.value) == [1, nil, nil, 4])
    #expect(figures[1].note == "not measured: The look at the library hangs.")
    #expect(Report(figures: figures).table.contains("No window."))
    #expect(bench.failures == 2)
  }

  @Test("Has the window use the index that is there")
  func index() async throws {
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent("photome-\(UUID().uuidString)")
    defer { try? FileManager.default.removeItem(at: folder) }
    let pictures = folder.appendingPathComponent("PhotoMe")
    let (index, data) = (folder.appendingPathComponent("kept.sqlite"), folder.appendingPathComponent("data"))
    let library = try await PhotoLibrary.open(at: pictures, index: index)
    let picture = try SmallPictures().picture(1)
    let metadata = PhotoMetadata(
      date: Date(timeIntervalSince1970: 1_700_000_000), utcOffset: 0, size: picture.size, cameraName: "Webcam",
      cameraMake: "PhotoMe", thumbnail: picture.thumbnail)
    let asset = try await library.createAsset(AssetCreationRequest(photo: picture.jpeg, metadata: metadata))
    await library.close()
    try Bench.copyIndex(index, of: pictures, to: data)
    // Asked directly, as PhotoMe would find the picture itself.
    let given = PhotoLibrary.defaultIndex(of: pictures, in: data)
    #expect(try SQLiteLook(index: given.path, search: "").count(ofSize: Int(asset.fileSize)) == 1)
  }
}
