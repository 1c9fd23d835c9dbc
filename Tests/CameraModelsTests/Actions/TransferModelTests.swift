// Imports and exports: the reported outcome, and one transfer at a time.

import CameraCore
import CameraModels
import Foundation
import Testing

@testable import PhotoLibrary

@MainActor
@Suite(.timeLimit(.minutes(30))) struct TransferModelTests {
  @Test func theOutcomeIsTold() async throws {
    let bench = try await LibraryBench(count: 2)
    let transfers = TransferModel(library: bench.library, messages: bench.messages)
    let folder = bench.folder.appendingPathComponent("out")
    await transfers.export(bench.assets, as: .current, into: folder)
    #expect(bench.messages.takeNext()?.text == "2 items exported to “out”.")
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path).count == 2)
    #expect(transfers.progress == nil)

    try (SampleMedia.jpeg + Data([0])).write(to: folder.appendingPathComponent("new.jpg"))
    await transfers.importFiles([folder])
    #expect(bench.messages.takeNext()?.text == "1 item imported. 2 items were already in the library.")
    await transfers.importFiles([folder])
    #expect(bench.messages.takeNext()?.text == "Nothing was imported. All 3 items are already in the library.")

    await transfers.export(bench.assets, as: .movie, into: folder)
    #expect(bench.messages.takeNext()?.text.hasPrefix("2 items couldn’t be exported. ") == true)
    await transfers.export(bench.assets, as: .current, into: bench.library.folder)
    #expect(bench.messages.takeNext()?.text.contains("inside the library") == true)
    await transfers.importFiles([bench.folder.appendingPathComponent("nowhere")])
    #expect(bench.messages.takeNext() != nil)
    try await bench.end()
  }

  @Test func everyChoiceIsAFormOfItsOwn() {
    #expect(Set(ExportChoice.all.map(\.form)) == Set(ExportForm.allCases))
    #expect(Set(ExportChoice.all.map(\.id)).count == ExportChoice.all.count)
    #expect(ExportChoice.of("gif").form == .gif && ExportChoice.of("nonsense").form == .current)
    let png = ExportChoice.of("png").options(longestSide: 640, dropsLocation: true)
    #expect(png == ExportOptions(longestSide: 640, dropsLocation: true, stillFormat: .png))
    #expect(ExportChoice.of(nil).options() == ExportOptions())
  }

  @Test func choicesReachTheFiles() async throws {
    let bench = try await LibraryBench(count: 1)
    let transfers = TransferModel(library: bench.library, messages: bench.messages)
    let folder = bench.folder.appendingPathComponent("out")
    let choice = ExportChoice.of("png")
    let options = choice.options(longestSide: 320, dropsLocation: true, dropsSound: true)
    await transfers.export(bench.assets, as: choice.form, options, into: folder)
    #expect(bench.messages.takeNext()?.text == "1 item exported to “out”.")
    let names = try FileManager.default.contentsOfDirectory(atPath: folder.path)
    #expect(names.count == 1 && names[0].hasSuffix(".png"))
  }

  /// Each picture whose caption is left out is named, as long as they are few.
  @Test(arguments: [1, 2, 7]) func lostCaptionsAreTold(count: Int) async throws {
    let bench = try await LibraryBench(count: 0)
    let xmp = """
      http://ns.adobe.com/xap/1.0/\0<r:RDF xmlns:r="http://www.w3.org/1999/02/22-rdf-syntax-ns#"><r:Description r:about="" \
      xmlns:p="http://ns.adobe.com/photoshop/1.0/" p:City="Zernez" p:Headline="Abend in Zernez"/></r:RDF>
      """
    for number in 0..<count {
      let length = xmp.utf8.count + 2
      let segment = Data([0xff, 0xe1, UInt8(length >> 8), UInt8(length & 0xff)]) + Data(xmp.utf8)
      let picture = SampleMedia.jpeg.prefix(2) + segment + SampleMedia.jpeg.dropFirst(2)
      let file = bench.folder.appendingPathComponent("IMG_\(number).jpg")
      try (picture + Data([UInt8(number)])).write(to: file)
      _ = try await bench.library.createAsset(AssetCreationRequest(file: file))
    }
    let transfers = TransferModel(library: bench.library, messages: bench.messages)
    let folder = bench.folder.appendingPathComponent("out")
    let assets = try await bench.library.fetchAssets()
    await transfers.export(Array(assets), as: .current, ExportOptions(dropsLocation: true), into: folder)
    var text = ""
    while let message = bench.messages.takeNext() { text += message.text + "\n" }
    let named = assets.filter { text.contains("“\($0.url.lastPathComponent)”") }.count
    #expect(named == min(count, 3), "\(text)")
    #expect(count < 4 || text.contains("4 more"), "\(text)")
    try await bench.end()
  }

  @Test func oneAtATime() async throws {
    let bench = try await LibraryBench(count: 1)
    let transfers = TransferModel(library: bench.library, messages: bench.messages)
    let first = bench.folder.appendingPathComponent("first")
    let second = bench.folder.appendingPathComponent("second")
    let running = Task { await transfers.export(bench.assets, as: .current, into: first) }
    await ModelBench.until { transfers.progress != nil }
    await transfers.export(bench.assets, as: .current, into: second)
    #expect(bench.messages.takeNext()?.text.hasPrefix("Another import or export is in progress.") == true)
    #expect(!FileManager.default.fileExists(atPath: second.path))
    await running.value
    #expect(bench.messages.takeNext()?.text == "1 item exported to “first”.")
    // The next transfer can start.
    await transfers.export(bench.assets, as: .current, into: second)
    #expect(FileManager.default.fileExists(atPath: second.path))
    try await bench.end()
  }
}
