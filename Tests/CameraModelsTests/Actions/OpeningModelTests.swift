// Files and folders that are given to PhotoMe: viewed, imported, or refused in words.

import CameraCore
import CameraModels
import Foundation
import Testing

@testable import PhotoLibrary

@MainActor
@Suite(.timeLimit(.minutes(30))) struct OpeningModelTests {
  /// A library with an `OpeningModel` and a folder with files outside.
  @MainActor struct Bench {
    let library: LibraryBench
    let model: OpeningModel
    let outside: URL

    init(
      count: Int, disk: Disk = Disk(),
      pause: @escaping @Sendable () async throws -> Void = { try await Task.sleep(nanoseconds: 60_000_000_000) }
    ) async throws {
      let bench = try await LibraryBench(count: count, disk: disk)
      library = bench
      let transfers = TransferModel(library: bench.library, messages: bench.messages, history: bench.history)
      model = OpeningModel(
        library: bench.library, grid: bench.grid, viewer: bench.viewer, editor: bench.editor,
        navigation: bench.navigation, transfers: transfers, messages: bench.messages,
        pause: pause)
      outside = bench.folder.appendingPathComponent("Holiday", isDirectory: true)
      try FileManager.default.createDirectory(at: outside, withIntermediateDirectories: true)
    }

    /// Writes a picture that differs from all others by its last bytes.
    func write(_ name: String) throws -> URL {
      let url = outside.appendingPathComponent(name)
      try (SampleMedia.jpeg + Data(name.utf8)).write(to: url)
      return url
    }

    var viewer: ViewerModel { library.viewer }
  }

  @Test func aPictureOutsideIsShownWhereItIs() async throws {
    let bench = try await Bench(count: 1)
    let files = try ["b.jpg", "a.jpg"].map(bench.write)
    await bench.model.open(files)
    let (viewer, navigation) = (bench.viewer, bench.library.navigation)
    #expect(viewer.asset?.url.lastPathComponent == "b.jpg" && viewer.isOutside, "in the order of the command line")
    #expect(viewer.hasOlder && !viewer.hasNewer && navigation.page == .viewer)
    #expect(viewer.asset?.size == PixelSize(width: 64, height: 48))
    await viewer.picturesAreMade()
    #expect(viewer.image != nil)
    viewer.move(by: 1)
    #expect(viewer.asset?.url.lastPathComponent == "a.jpg" && viewer.hasNewer && !viewer.hasOlder)
    #expect(try await bench.library.library.fetchAssets().count == 1, "nothing is imported")
    #expect(bench.library.messages.messages.isEmpty && bench.model.request == nil)
    try await bench.library.end()
  }

  @Test func aPresetIsImportedAndADamagedOneIsNamed() async throws {
    let bench = try await Bench(count: 1)
    let (good, bad) = (
      bench.outside.appendingPathComponent("a.photome-preset"), bench.outside.appendingPathComponent("b.photome-preset")
    )
    let text =
      #"{"format":"io.github.photome.preset","name":"Evening","recipe":{"adjustments":{"warmth":0.5}},"version":"1.0"}"#
    try Data(text.utf8).write(to: good)
    try Data("{}".utf8).write(to: bad)
    await bench.model.open([good, bad, try bench.write("c.jpg")])
    #expect(bench.library.editor.presets.presets.map(\.name) == ["Evening"])
    #expect(bench.library.nextMessage()?.contains("“Evening”") == true)
    #expect(bench.library.nextMessage()?.contains("b.photome-preset") == true)
    #expect(bench.viewer.asset?.url.lastPathComponent == "c.jpg", "the other file is opened")
    try await bench.library.end()
  }

  @Test func whatChangesTheLibraryCanNotBeDoneToAFileOutside() async throws {
    let bench = try await Bench(count: 1)
    await bench.model.open([try bench.write("a.jpg")])
    let (navigation, pictures) = (bench.library.navigation, bench.library.pictures)
    #expect(navigation.targetCount == 1 && navigation.libraryTargetCount == 0 && !navigation.canEdit)
    #expect(!navigation.isAnyTargetEdited && !navigation.areTargetsHidden && !navigation.areTargetsFavorites)
    await pictures.toggleFavorite()
    await pictures.setHidden(true)
    await pictures.trash()
    await pictures.revert()
    #expect(bench.library.messages.messages.isEmpty && bench.library.history.past.isEmpty)
    #expect(FileManager.default.fileExists(atPath: bench.outside.appendingPathComponent("a.jpg").path))
    // What needs only the file is possible.
    let transfers = TransferModel(library: bench.library.library, messages: bench.library.messages)
    let copies = bench.library.folder.appendingPathComponent("copies")
    for form in [ExportForm.original, .current] {
      await transfers.export(await navigation.targets(), as: form, into: copies)
      #expect(bench.library.nextMessage() == "1 item exported to “copies”.")
    }
    // A change of the library leaves the viewer alone.
    try await bench.library.add(day: -9)
    await bench.library.strip.start()
    #expect(bench.viewer.isOutside)
    bench.viewer.isInfoShown = true
    #expect(bench.viewer.info.contains { $0.value == "a.jpg" })
    #expect(!bench.viewer.info.contains { $0.value.isEmpty }, "nothing can be added to it")
    try await bench.library.end()
  }

  @Test func aPictureOfTheLibraryIsOpenedAmongItsOthers() async throws {
    let bench = try await Bench(count: 3)
    let asset = bench.library.assets[1]
    await bench.model.open([asset.url])
    #expect(bench.viewer.asset?.id == asset.id && !bench.viewer.isOutside)
    #expect(bench.viewer.hasOlder && bench.viewer.hasNewer)
    #expect(bench.library.grid.isOpen, "the library is under it")
    #expect(bench.library.navigation.canEdit)
    try await bench.library.end()
  }

  @Test func aPictureThatTheIndexDoesNotKnowYetIsTheLibrarysOwn() async throws {
    let bench = try await Bench(count: 1)
    let file = bench.library.library.folder.appendingPathComponent("new.jpg")
    try (SampleMedia.jpeg + Data([7])).write(to: file)
    await bench.model.open([file])
    #expect(bench.viewer.asset?.url.lastPathComponent == "new.jpg" && !bench.viewer.isOutside)
    try await bench.library.end()
  }

  @Test func hiddenPicturesAreOnlyShownWithThePassword() async throws {
    let bench = try await Bench(count: 1)
    let asset = bench.library.assets[0]
    try await bench.library.library.performChanges { $0.change(AssetChangeRequest(for: asset.id, isHidden: true)) }
    await bench.library.lock.setOn(true)
    bench.library.prompt.answer = .dismissed
    await bench.model.open([asset.url])
    #expect(bench.viewer.asset == nil && bench.library.navigation.page == .camera)
    bench.library.prompt.answer = .granted
    await bench.model.open([asset.url])
    #expect(bench.viewer.asset?.id == asset.id)
    try await bench.library.end()
  }

  @Test func whatCanNotBeOpenedIsNamed() async throws {
    let bench = try await Bench(count: 0)
    let missing = bench.outside.appendingPathComponent("missing.jpg")
    await bench.model.open([missing])
    #expect(bench.library.nextMessage()?.contains("missing.jpg” can’t be read: No such file") == true)
    let text = bench.outside.appendingPathComponent("notes.txt")
    try Data("Hello".utf8).write(to: text)
    await bench.model.open([text])
    #expect(bench.library.nextMessage()?.hasSuffix("notes.txt” isn’t a photo or video.") == true)
    let bitmap = bench.outside.appendingPathComponent("a.bmp")
    try Data("BM".utf8).write(to: bitmap)
    await bench.model.open([bitmap])
    #expect(bench.library.nextMessage()?.contains("but not “.bmp”.") == true)
    // One message for several; what can be shown is.
    await bench.model.open([missing, text, try bench.write("a.jpg")])
    #expect(bench.library.nextMessage()?.hasPrefix("2 files couldn’t be opened. ") == true)
    #expect(bench.library.messages.messages.isEmpty && bench.viewer.asset?.url.lastPathComponent == "a.jpg")
    let remote = try #require(URL(string: "https://example.org/a.jpg"))
    await bench.model.open([remote])
    #expect(bench.library.nextMessage()?.contains("“https://example.org/a.jpg” isn’t a file on this computer") == true)
    try await bench.library.end()
  }

  @Test func aFolderIsAskedAbout() async throws {
    let bench = try await Bench(count: 0)
    await bench.model.open([bench.outside])
    #expect(bench.library.nextMessage() == "There are no photos or videos to open in “Holiday”.")
    for name in ["a.jpg", "b.jpg"] { _ = try bench.write(name) }
    try Data("Hello".utf8).write(to: bench.outside.appendingPathComponent("notes.txt"))
    await bench.model.open([bench.outside])
    #expect(bench.model.request?.title == "Import 2 Items From “Holiday”?" && bench.model.request?.isViewable == true)
    #expect(bench.viewer.asset == nil && bench.library.messages.messages.isEmpty)
    bench.model.dismiss()
    #expect(bench.model.request == nil)
    await bench.model.open([bench.outside])
    await bench.model.viewRequested()
    #expect(bench.viewer.isOutside && bench.viewer.hasOlder && bench.model.request == nil)
    await bench.model.open([bench.outside])
    await bench.model.importRequested()
    #expect(bench.library.nextMessage() == "2 items imported.")
    #expect(try await bench.library.library.fetchAssets().count == 2)
    // The library's own folder isn't imported into itself.
    await bench.model.open([bench.library.library.folder])
    #expect(bench.model.request == nil && bench.viewer.asset != nil && !bench.viewer.isOutside)
    try await bench.library.end()
  }

  @Test func manyFilesAreAskedAboutAndNotViewed() async throws {
    let bench = try await Bench(count: 0)
    let files = try (0...OpeningModel.viewLimit).map { try bench.write("\($0).jpg") }
    await bench.model.open(files)
    #expect(bench.model.request?.title == "Import 51 Items?" && bench.model.request?.isViewable == false)
    await bench.model.viewRequested()
    #expect(bench.viewer.asset == nil && bench.model.request != nil)
    try await bench.library.end()
  }

  @Test func aFileIsAddedToTheLibraryAndShownFromThere() async throws {
    let bench = try await Bench(count: 0)
    await bench.model.open([try bench.write("a.jpg"), try bench.write("b.jpg")])
    await bench.model.addToLibrary()
    let asset = try #require(try await bench.library.library.fetchAssets().first)
    #expect(bench.viewer.asset?.id == asset.id && !bench.viewer.isOutside)
    #expect(bench.library.navigation.libraryTargetCount == 1)
    #expect(bench.library.nextMessage() == "1 item imported.")
    bench.viewer.move(by: 1)
    #expect(bench.viewer.asset?.url.lastPathComponent == "b.jpg" && bench.viewer.isOutside)
    bench.viewer.move(by: -1)
    #expect(bench.viewer.asset?.id == asset.id, "the copy has the place of the file")
    // The change of a mark is followed.
    await bench.library.pictures.toggleFavorite()
    await ModelBench.until { bench.viewer.asset?.isFavorite == true }
    bench.viewer.move(by: 1)
    bench.viewer.move(by: -1)
    #expect(bench.viewer.asset?.isFavorite == true)
    // A copy that is deleted gives its place back to the file.
    await bench.library.pictures.trash()
    await ModelBench.until { bench.viewer.isOutside }
    #expect(bench.viewer.asset?.url.lastPathComponent == "a.jpg" && !bench.viewer.hasNewer && bench.viewer.hasOlder)
    try await bench.library.end()
  }

  @Test("A search that takes long is shown, and ends with a cancel or the next opening", arguments: [true, false])
  func searching(isCanceled: Bool) async throws {
    let gate = DispatchSemaphore(value: 0)
    let disk = Disk(fault: { step, path in
      guard step == .read, path.contains("/Holiday/") else { return nil }
      gate.wait()
      gate.signal()
      return nil
    })
    let bench = try await Bench(count: 1, disk: disk, pause: {})
    _ = try bench.write("a.jpg")
    let (model, asset) = (bench.model, bench.library.assets[0])
    let opening = Task { await model.open([bench.outside]) }
    await ModelBench.until { model.isSearching }
    if isCanceled { model.dismiss() } else { await model.open([asset.url]) }
    #expect(!model.isSearching)
    gate.signal()
    await opening.value
    #expect(!model.isSearching && model.request == nil && bench.library.messages.messages.isEmpty)
    #expect(bench.viewer.asset?.id == (isCanceled ? nil : asset.id))
    try await bench.library.end()
  }

  @Test func aCopyIsEdited() async throws {
    let bench = try await Bench(count: 0)
    let file = try bench.write("a.jpg")
    await bench.model.open([file])
    await bench.model.editCopy()
    let asset = try #require(try await bench.library.library.fetchAssets().first)
    #expect(bench.library.editor.asset?.id == asset.id && bench.viewer.asset?.id == asset.id)
    bench.library.editor.cancel()
    // The same file again is the same copy.
    await bench.model.open([file])
    await bench.model.editCopy()
    #expect(bench.library.editor.asset?.id == asset.id)
    #expect(try await bench.library.library.fetchAssets().count == 1)
    bench.library.editor.cancel()
    try await bench.library.end()
  }

  @Test func dropsAreImportedAndAddedToTheAlbum() async throws {
    let bench = try await Bench(count: 0)
    let (first, second) = (try bench.write("a.jpg"), try bench.write("b.jpg"))
    await bench.model.drop([first])
    #expect(bench.library.nextMessage() == "1 item imported.")
    await bench.library.albums.createAlbum(title: "Sea")
    await bench.library.grid.loadAlbums()
    let album = try #require(bench.library.grid.albums.first)
    await bench.model.drop([first, second], onAlbum: album.id)
    #expect(bench.library.nextMessage() == "1 item imported. 1 item was already in the library.")
    #expect(bench.library.nextMessage() == "2 items added to “Sea”")
    #expect(try await bench.library.library.fetch(FetchOptions(), in: album).count == 2)
    await bench.library.history.undo()
    #expect(try await bench.library.library.fetch(FetchOptions(), in: album).count == 0)
    #expect(bench.viewer.asset == nil, "drops don't leave the page")
    try await bench.library.end()
  }
}
