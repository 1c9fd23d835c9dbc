// The export dialog: formats that fit, what is remembered, what is left out, and where to.

import CameraCore
import Foundation
import TestSupport
import Testing

@testable import CameraModels
@testable import PhotoLibrary

@MainActor @Suite(.timeLimit(.minutes(30))) struct ExportModelTests {
  @MainActor private struct Bench {
    let library: LibraryBench
    let model: ExportModel
    let desktop: ScriptedDesktop
    let pictures: URL

    func selectAll() async {
      await library.grid.open()
      library.grid.selectAll()
    }
  }

  private func bench(count: Int) async throws -> Bench {
    let bench = try await LibraryBench(count: count)
    let pictures = bench.folder.appendingPathComponent("Pictures", isDirectory: true)
    let desktop = ScriptedDesktop()
    let sharing = SharingModel(
      library: bench.library, navigation: bench.navigation, messages: bench.messages,
      folder: bench.folder.appendingPathComponent("data"), cache: bench.folder.appendingPathComponent("cache"))
    sharing.desktop = desktop
    let model = ExportModel(
      library: bench.library, navigation: bench.navigation,
      transfers: TransferModel(library: bench.library, messages: bench.messages), sharing: sharing,
      settings: bench.settings,
      usual: pictures, home: bench.folder, patience: .seconds(600))
    return Bench(library: bench, model: model, desktop: desktop, pictures: pictures)
  }

  private func ids(_ assets: [Asset]) -> [String] { ExportChoice.choices(for: assets).map(\.id) }

  @Test func theFormatsFitTheItems() {
    let (live, video) = (SampleAssets.asset(isLive: true), SampleAssets.asset(isLive: false))
    var photo = live
    (photo.isLive, photo.movieRange) = (false, nil)
    var edited = photo
    edited.isEdited = true
    #expect(ids([photo]) == ["current", "jpeg", "png"])
    #expect(ids([edited]) == ["current", "original", "jpeg", "png"])
    #expect(ids([video]) == ["current", "gif", "webp", "apng", "avif"])
    #expect(
      ids([photo, live]) == [
        "current", "still", "jpeg", "png", "movie", "apple-live-photo", "gif", "webp", "apng", "avif",
        "four-up", "contact-sheet",
      ])
    var avif = live
    avif.url = URL(fileURLWithPath: "/nonexistent/IMG.MP.avif")
    #expect(!ids([avif]).contains("apple-live-photo"))
    #expect(ExportChoice.of("jpeg").fits(live) && !ExportChoice.of("jpeg").fits(video))
    #expect(ExportChoice.of("movie").keepsSound(of: live) && !ExportChoice.of("gif").keepsSound(of: live))
    #expect(!ExportChoice.of("jpeg").keepsSound(of: live) && !ExportChoice.of("current").keepsSound(of: photo))
  }

  @Test func itExportsAndRemembers() async throws {
    let bench = try await bench(count: 2)
    let (model, messages) = (bench.model, bench.library.messages)
    await model.open()
    #expect(!model.isOpen, "nothing is selected")
    await bench.selectAll()
    await model.open()
    #expect(model.isOpen && model.title == "Export 2 Items" && model.folder == bench.pictures)
    #expect(model.folderText == "~/Pictures" && model.choice.id == "current" && model.note == nil)
    #expect(model.hasLocation && !model.hasSound && !model.hasBursts)
    // Pictures of 64 pixels have no smaller size.
    #expect(model.sizes == [nil])
    model.choose(ExportChoice.of("png"))
    model.setRemovesLocation(true)
    let folder = bench.library.folder.appendingPathComponent("out", isDirectory: true)
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    await model.choose(folder: folder)
    await model.export()
    #expect(!model.isOpen)
    let names = try FileManager.default.contentsOfDirectory(atPath: folder.path)
    #expect(names.count == 2 && names.allSatisfy { $0.hasSuffix(".png") })
    let message = try #require(messages.takeNext())
    #expect(message.text == "2 items exported to “out”.")
    guard case .showFile(let shown) = message.action else {
      Issue.record("The message offers \(String(describing: message.action)).")
      return
    }
    #expect(names.contains(shown.lastPathComponent) && message.action?.target == shown.path)

    await model.open()
    #expect(model.choice.id == "png" && model.removesLocation && model.folder.path == folder.path)
    // Nothing is remembered of an export that is canceled.
    model.choose(ExportChoice.of("jpeg"))
    model.cancel()
    try FileManager.default.removeItem(at: folder)
    await model.open()
    #expect(model.choice.id == "png" && model.folder == bench.pictures, "the folder is gone")
    try await bench.library.end()
  }

  @Test func copiesAreSentAsTheyAreChosen() async throws {
    let bench = try await bench(count: 2)
    await bench.selectAll()
    await bench.model.open(for: .sending)
    #expect(bench.model.title == "Send 2 Items" && bench.model.canExport)
    bench.model.choose(ExportChoice.of("png"))
    // The folder doesn't matter.
    await bench.model.choose(folder: bench.library.library.folder)
    #expect(bench.model.canExport)
    await bench.model.export()
    let sent = try #require(bench.desktop.sent.first)
    #expect(sent.count == 2 && sent.allSatisfy { $0.pathExtension == "png" })
    for file in sent {
      #expect(FileManager.default.fileExists(atPath: file.path))
      #expect(!bench.library.library.contains(folder: file.deletingLastPathComponent()))
    }
    #expect(bench.library.messages.takeNext() == nil, "the other program says what it does")
    bench.library.grid.selectAll()
    await bench.model.open(for: .sending)
    // Behind the dialog: the library drops it sooner or later.
    try Data("gone".utf8).write(to: bench.library.assets[0].url)
    await bench.model.export()
    #expect(bench.desktop.sent.last?.count == 1)
    #expect(bench.library.messages.takeNext()?.text.isEmpty == false)
    try await bench.library.end()
  }

  @Test func presetsAreSavedChosenAndDeleted() async throws {
    let bench = try await bench(count: 2)
    await bench.selectAll()
    let model = bench.model
    await model.open()
    #expect(model.preset == nil && model.presets.map(\.title) == ["Small, for Email", "For the Web"])
    model.choose(model.presets[0])
    #expect(model.choice.id == "jpeg" && model.removesLocation && model.preset?.title == "Small, for Email")
    model.deletePreset()
    #expect(model.presets.count == 2)
    model.choose(ExportChoice.of("png"))
    #expect(model.preset == nil)
    model.savePreset("  ")
    model.savePreset(" Lossless ")
    #expect(
      model.preset?.title == "Lossless" && bench.library.settings.values.exportPresets.keys.sorted() == ["Lossless"])
    model.setRemovesLocation(false)
    #expect(model.preset == nil)
    model.choose(model.presets.first { $0.title == "Lossless" })
    #expect(model.choice.id == "png" && model.removesLocation)
    // They are there for the next export, and for other programs.
    model.cancel()
    await model.open()
    #expect(try ExportPresets.named("lossless", in: bench.library.settings.values).settings.format == "png")
    model.choose(model.presets.first { $0.title == "Lossless" })
    model.deletePreset()
    #expect(model.preset == nil && model.presets.count == 2 && model.choice.id == "png")
    try await bench.library.end()
  }

  @Test func sheetsAreOneExport() async throws {
    let bench = try await bench(count: 2)
    await bench.selectAll()
    await bench.model.open()
    bench.model.choose(ExportChoice.of("contact-sheet"))
    #expect(!bench.model.hasLocation && !bench.model.hasSound)
    await bench.model.export()
    #expect(bench.library.messages.takeNext()?.text == "1 sheet exported to “Pictures”.")
    #expect(try FileManager.default.contentsOfDirectory(atPath: bench.pictures.path) == ["Contact Sheet.jpg"])
    try await bench.library.end()
  }

  @Test func aFolderInsideTheLibraryIsRefusedAtOnce() async throws {
    let bench = try await bench(count: 1)
    await bench.selectAll()
    await bench.model.open()
    #expect(bench.model.title == "Export Item" && bench.model.canExport)
    await bench.model.choose(folder: bench.library.library.folder.appendingPathComponent("2026"))
    #expect(bench.model.folderProblem?.contains("is inside the library") == true && !bench.model.canExport)
    await bench.model.export()
    #expect(bench.model.isOpen && bench.library.messages.takeNext() == nil)
    await bench.model.choose(folder: bench.pictures)
    #expect(bench.model.canExport)
    // The Pictures folder need not be there.
    await bench.model.export()
    #expect(try FileManager.default.contentsOfDirectory(atPath: bench.pictures.path).count == 1)
    try await bench.library.end()
  }

  @Test func wholeBurstsAreCountedWhereThereAreBursts() async throws {
    let bench = try await bench(count: 1)
    for number in 0..<3 {
      let metadata = PhotoMetadata(
        date: Date(timeIntervalSince1970: 1_795_262_400 + Double(number)), utcOffset: 0,
        size: PixelSize(width: 64, height: 48), burstID: "b")
      _ = try await bench.library.library.createAsset(
        AssetCreationRequest(photo: SampleMedia.jpeg, metadata: metadata))
    }
    await bench.selectAll()
    await ModelBench.until { bench.library.grid.list.count == 2 }
    bench.library.grid.selectAll()
    await bench.model.open()
    #expect(bench.model.hasBursts && bench.model.title == "Export 2 Items")
    bench.model.setIncludesBursts(true)
    #expect(bench.model.title == "Export 4 Items")
    await bench.model.export()
    #expect(try FileManager.default.contentsOfDirectory(atPath: bench.pictures.path).count == 4)
    try await bench.library.end()
  }

  @Test func itemsThatCannotHaveTheFormatAreLeftOut() async throws {
    let bench = try await bench(count: 1)
    let movie = bench.library.folder.appendingPathComponent("VID.mp4")
    try HandMadeMovie().data.write(to: movie)
    _ = try await bench.library.library.createAsset(AssetCreationRequest(file: movie))
    await bench.selectAll()
    await ModelBench.until { bench.library.grid.list.count == 2 }
    bench.library.grid.selectAll()
    await bench.model.open()
    #expect(bench.model.hasSound && bench.model.note == nil)
    bench.model.choose(ExportChoice.of("jpeg"))
    #expect(bench.model.note == "A video can’t be exported in this format and is left out.")
    #expect(!bench.model.hasSound)
    await bench.model.export()
    #expect(bench.library.nextMessage() == "1 item exported to “Pictures”.")
    #expect(bench.library.nextMessage() == nil, "what was left out is no failure")
    try await bench.library.end()
  }

  @Test func settingsOfOtherVersionsAreReadAsFarAsTheyAreKnown() throws {
    let json = Data(#"{"export": {"format": "hologram", "longestSide": "big", "removesSound": true}}"#.utf8)
    let settings = try JSONDecoder().decode(AppSettings.self, from: json).export
    #expect(settings.removesSound && settings.longestSide == nil && settings.format == "hologram")
    #expect(ExportChoice.of(settings.format).id == "current")
  }
}
