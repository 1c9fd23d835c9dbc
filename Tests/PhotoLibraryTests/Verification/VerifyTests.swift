// Verification finds every problem and no others; the index is rebuilt from the files.

import CameraCore
import Foundation
import Synchronization
import TestSupport
import Testing

@testable import PhotoLibrary

@Suite(.timeLimit(.minutes(30))) struct VerifyTests {
  typealias Kind = LibraryVerification.Problem.Kind

  private func shot(_ library: PhotoLibrary, second: Double = 0, live: Bool = false) async throws -> Asset {
    let movie = live ? try await Samples.movie(in: library, name: "\(UUID().uuidString).mp4") : nil
    return try await library.createAsset(
      AssetCreationRequest(
        photo: Samples.jpeg(), metadata: Samples.metadata(date: Samples.date.addingTimeInterval(second)),
        pairedVideo: movie, photoDisplayTime: live ? 1.5 : nil))
  }

  private func edit(_ asset: Asset, in library: PhotoLibrary) async throws {
    var request = AssetChangeRequest(for: asset.id)
    request.contentEditingOutput = ContentEditingOutput(
      photo: try Samples.jpeg(shade: 10),
      adjustmentData: AdjustmentData(formatIdentifier: "test", formatVersion: "1", data: Data("comic".utf8)))
    let change = request
    try await library.performChanges { $0.change(change) }
  }

  /// A library with one of each.
  private func full(_ library: PhotoLibrary) async throws -> (live: Asset, edited: Asset, movie: URL) {
    let live = try await shot(library, live: true)
    let edited = try await shot(library, second: 10)
    try await edit(edited, in: library)
    try await library.performChanges { changes in
      changes.change(AssetChangeRequest(for: live.id, isFavorite: true))
      let album = changes.createAlbum(title: "Bern")
      changes.change(AssetCollectionChangeRequest(for: album.id, addAssets: [live.id, edited.id]))
    }
    let movie = library.folder.appendingPathComponent("2026-11/VID_20261121_080000_000.mp4", isDirectory: false)
    try Samples.mp4().write(to: movie)
    try await library.refresh()
    return (live, edited, movie)
  }

  @Test func aWholeLibraryIsClean() async throws {
    let scratch = try Scratch()
    let library = try await scratch.library()
    _ = try await full(library)
    let steps = Mutex<[LibraryProgress]>([])
    let found = try await library.verify { step in steps.withLock { $0.append(step) } }
    #expect(found.isClean, "\(found.problems)")
    #expect(found.photos == 2 && found.livePhotos == 1 && found.videos == 1)
    #expect(found.originals == 1 && found.records == 2 && found.albums == 1)
    #expect(found.noted == 4 && found.unchanged == 0)
    let last = try #require(steps.withLock { $0.last })
    #expect(last.done == last.total && last.total == 6 && last.fraction == 1)
    let again = try await library.verify()
    #expect(again.isClean && again.noted == 0 && again.unchanged == 4)
    // PhotoMe's own changes aren't damage.
    try await library.performChanges { [id = try await library.fetchAssets()[0].id] in
      $0.change(AssetChangeRequest(for: id, isFavorite: true))
    }
    #expect(try await library.verify().isClean)
  }

  @Test func aCancelledCheckSaysSo() async throws {
    let scratch = try Scratch()
    let library = try await scratch.library()
    _ = try await full(library)
    let found = try await Task {
      withUnsafeCurrentTask { $0?.cancel() }
      return try await library.verify()
    }.value
    #expect(!found.isComplete && !found.isClean)
  }

  /// The damage to a file, and the expected problem.
  @Test(arguments: [
    (".MP.jpg", "cut", Kind.movieMissing), (".MP.jpg", "cut video", .movieMissing), ("mp4", "cut", .cutShort),
    (".jpg", "empty", .noPicture), (".jpg", "cut", .cutShort), (".jpg", "text", .noPicture),
  ])
  func damageIsFound(ending: String, damage: String, kind: Kind) async throws {
    let scratch = try Scratch()
    let library = try await scratch.library()
    let all = try await full(library)
    let url = ending == "mp4" ? all.movie : ending == ".jpg" ? all.edited.url : all.live.url
    var data = try Data(contentsOf: url)
    switch damage {
    case "cut": data.removeLast(ending == ".MP.jpg" ? 100 : data.count / 8)
    case "cut video": data.removeLast(data.count / 4)
    case "empty": data = Data()
    default: data = Data("no picture".utf8)
    }
    try data.write(to: url)
    let found = try await library.verify()
    #expect(found.problems.map(\.kind) == [kind], "\(found.problems)")
    #expect(found.problems.first?.path == url.path)
    #expect(found.problems.first?.description.hasSuffix(".") == true)
    #expect(!found.isClean && found.isComplete)
    #expect(FileManager.default.fileExists(atPath: url.path))
  }

  @Test func aMovieCutInsideIsFound() async throws {
    let scratch = try Scratch()
    let library = try await scratch.library()
    let all = try await full(library)
    // The movie's last box claims more than there is; the length that the picture states is right.
    var data = try Data(contentsOf: all.live.url)
    let box = try #require(data.range(of: Data("mdat".utf8), options: .backwards))
    data[box.lowerBound - 1] &+= 1
    try data.write(to: all.live.url)
    #expect(try await library.verify().problems.map(\.kind) == [.movieDamaged])
  }

  @Test func bytesThatNobodyWroteAreFound() async throws {
    let scratch = try Scratch()
    let library = try await scratch.library()
    let asset = try await shot(library)
    #expect(try await library.verify().isClean)
    // A disk that loses bytes leaves size and times as they are, as if the digest had been of another file.
    let path = try #require(library.layout.relative(asset.url.path))
    var digest = try #require(try library.index.digest(path: path))
    digest.digest = String(repeating: "0", count: 64)
    try library.index.store([digest])
    let found = try await library.verify()
    #expect(found.problems.map(\.kind) == [.silentlyChanged])
    #expect(found.problems.first?.assetID == asset.id)
    // The same change written by a program isn't damage.
    try Data(contentsOf: asset.url).write(to: asset.url)
    #expect(try await library.verify().isClean)
  }

  @Test func anIndexThatDisagreesIsFoundAndMadeAnew() async throws {
    let scratch = try Scratch()
    let library = try await scratch.library()
    let all = try await full(library)
    let before = try await library.fetchAssets()
    let fetched = try await library.fetch()
    try library.index.writing { db in
      try db.execute(sql: "UPDATE asset SET width = 1, isFavorite = 0, search = '' WHERE isVideo = 0")
      try db.execute(sql: "UPDATE collection SET title = 'Basel'")
      try db.execute(sql: "DELETE FROM asset WHERE isVideo = 1")
      try db.execute(sql: "INSERT INTO membership (collection, asset, added) VALUES ('x', 'y', 1)")
    }
    let found = try await library.verify()
    #expect(Set(found.problems.map(\.kind)) == [.indexDisagrees])
    let paths = Set(found.problems.map(\.path))
    #expect(paths.isSuperset(of: [all.live.url.path, all.edited.url.path, library.layout.record(all.live.id)]))
    let other = try await scratch.library()
    #expect(try await library.rebuild() == 3)
    #expect(try await library.fetchAssets() == before)
    #expect(try await library.fetchAlbums().map(\.title) == ["Bern"])
    #expect(try await library.verify().isClean)
    var options = FetchOptions()
    options.text = "img_2026"
    #expect(try await library.fetch(options).count == 2)
    // Lists from before and other processes go on.
    #expect(try await library.changeDetails(for: fetched).after.allAssets() == before)
    #expect(try await other.fetchAssets() == before)
  }

  @Test func aRebuiltIndexIsTheSame() async throws {
    let scratch = try Scratch()
    let library = try await scratch.library()
    let all = try await full(library)
    let before = try await library.fetchAssets()
    try FileManager.default.removeItem(at: all.movie)
    let steps = Mutex<[LibraryProgress]>([])
    #expect(try await library.rebuild { step in steps.withLock { $0.append(step) } } == 2)
    #expect(try await library.fetchAssets() == before.filter { $0.url.path != all.movie.path })
    let last = try #require(steps.withLock { $0.last })
    // Two files, two records, an album.
    #expect(last.done == 5 && last.total == 5 && last.step == .reading)
    // It was removed by nobody who told.
    let found = try await library.verify()
    #expect(found.problems.map(\.kind) == [.gone] && found.problems.first?.path == all.movie.path)
  }

  @Test func recordsAndOriginalsAreChecked() async throws {
    let scratch = try Scratch()
    let library = try await scratch.library()
    let all = try await full(library)
    let original = try await library.originalURL(of: all.edited)
    let bytes = try Data(contentsOf: original)
    try bytes.prefix(bytes.count / 2).write(to: original)
    #expect(try await library.verify().problems.map(\.kind) == [.originalDamaged])
    try FileManager.default.removeItem(at: original)
    #expect(try await library.verify().problems.map(\.kind) == [.originalMissing])
    try bytes.write(to: original)
    #expect(try await library.verify().isClean)
    // A record that can't be read leaves an original that nothing speaks of.
    let record = URL(fileURLWithPath: library.layout.record(all.live.id))
    try Data("{".utf8).write(to: record)
    let found = try await library.verify()
    #expect(found.problems.map(\.kind) == [.recordUnreadable] && found.problems.first?.path == record.path)
    try FileManager.default.removeItem(at: URL(fileURLWithPath: library.layout.record(all.edited.id)))
    #expect(try await library.verify().problems.map(\.kind).contains(.originalUnused))
    #expect(try Data(contentsOf: original) == bytes)
  }

  @Test func namesThatAreNoTextAreFound() async throws {
    let scratch = try Scratch()
    let library = try await scratch.library()
    let asset = try await shot(library)
    let bytes = Array((asset.url.deletingLastPathComponent().path + "/caf").utf8) + [0xe9] + Array(".jpg".utf8) + [0]
    let descriptor = bytes.withUnsafeBytes {
      open($0.bindMemory(to: CChar.self).baseAddress!, O_CREAT | O_WRONLY, 0o600)
    }
    try #require(descriptor >= 0)
    close(descriptor)
    let found = try await library.verify()
    #expect(found.problems.map(\.kind) == [.nameIsNoText])
  }

  @Test func aFolderThatIsGoneIsNoEmptyLibrary() async throws {
    let scratch = try Scratch()
    let library = try await scratch.library()
    let asset = try await shot(library)
    let away = scratch.url.appendingPathComponent("away")
    try FileManager.default.moveItem(at: scratch.pictures, to: away)
    for _ in 0..<2 {
      await #expect(throws: PhotoLibraryError.folderUnavailable(path: library.layout.path, reason: .missing)) {
        try await library.verify()
      }
      await #expect(throws: PhotoLibraryError.self) { try await library.rebuild() }
    }
    try FileManager.default.moveItem(at: away, to: scratch.pictures)
    let found = try await library.verify()
    #expect(found.isClean && found.photos == 1)
    #expect(try await library.fetchAssets().map(\.id) == [asset.id])
  }

  @Test(.enabled(if: Command.canMount, "mounting needs privileges")) func aReadOnlyFolderCanBeChecked()
    async throws
  {
    let scratch = try Scratch()
    let pictures = scratch.pictures.path
    try FileManager.default.createDirectory(atPath: pictures, withIntermediateDirectories: true)
    try #require(mount("tmpfs", pictures, "tmpfs", 0, "size=4m") == 0)
    defer { umount2(pictures, Int32(MNT_DETACH)) }
    let library = try await scratch.library()
    let all = try await full(library)
    await library.close()
    try #require(mount("tmpfs", pictures, "tmpfs", UInt(MS_REMOUNT) | UInt(MS_RDONLY), nil) == 0)
    let again = try await scratch.library()
    let found = try await again.verify()
    #expect(found.isClean && found.assets == 3, "\(found.problems)")
    #expect(try await again.rebuild() == 3)
    await #expect(throws: PhotoLibraryError.self) {
      try await again.performChanges { $0.change(AssetChangeRequest(for: all.live.id, isFavorite: false)) }
    }
    let source = scratch.url.appendingPathComponent("new.jpg")
    try Samples.jpeg(shade: 9).write(to: source)
    await #expect(throws: PhotoLibraryError.self) { try await again.importAssets(from: [source], move: true) }
    #expect(FileManager.default.fileExists(atPath: source.path))
    #expect(try await again.asset(id: all.live.id)?.isFavorite == true)
    await again.close()
  }

  /// The file that tells this library from others.
  @Test(arguments: ["folder", "text", "{\"id\": \"../../x\"}", "empty"])
  func aMarkThatTellsNothingIsSaid(mark: String) async throws {
    let scratch = try Scratch()
    let library = try await scratch.library()
    _ = try await full(library)
    await library.close()
    let url = scratch.pictures.appendingPathComponent(".photome/library.json")
    try FileManager.default.removeItem(at: url)
    if mark == "folder" {
      try FileManager.default.createDirectory(at: url, withIntermediateDirectories: false)
    } else {
      try Data((mark == "empty" ? "" : mark).utf8).write(to: url)
    }
    let again = try await scratch.library()
    let asset = try #require(try await again.fetchAssets().first)
    try await again.performChanges { $0.change(AssetChangeRequest(for: asset.id, isFavorite: !asset.isFavorite)) }
    let found = try await again.verify()
    #expect(found.problems.map(\.path) == (mark == "empty" ? [] : [url.path]), "\(found.problems)")
    // An empty one is what a power failure leaves: it is written anew.
    if mark == "empty" { #expect(try Data(contentsOf: url).count > 40) }
    await again.close()
  }
}
