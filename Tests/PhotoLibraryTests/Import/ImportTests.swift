// Imports: each file once, unchanged, durable when reported.

import CameraCore
import Foundation
import Synchronization
import TestSupport
import Testing

@testable import PhotoLibrary

@Suite(.timeLimit(.minutes(30))) struct ImportTests {
  /// A folder with pictures to import.
  private func source(_ scratch: Scratch, _ names: [String]) throws -> URL {
    let folder = scratch.url.appendingPathComponent("card")
    for (index, name) in names.enumerated() {
      let file = folder.appendingPathComponent(name)
      try FileManager.default.createDirectory(at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
      try Samples.jpeg(width: 64 + 16 * index, height: 48, shade: 20).write(to: file)
      try FileManager.default.setAttributes(
        [.modificationDate: Date(timeIntervalSince1970: 1_600_000_000 + Double(index))], ofItemAtPath: file.path)
    }
    return folder
  }

  @Test func filesKeepNamesDatesAndBytes() async throws {
    let scratch = try Scratch()
    let library = try await scratch.library()
    let card = try source(scratch, ["a b.JPG", "deep/in/it\nnew.jpg", "ü/ü.jpg"])
    try Data().write(to: card.appendingPathComponent("empty.jpg"))
    try Data("text".utf8).write(to: card.appendingPathComponent("notes.txt"))
    let before = try FileManager.default.subpathsOfDirectory(atPath: card.path).sorted()
    let steps = Mutex<[LibraryProgress]>([])
    let report = try await library.importAssets(from: [card]) { step in steps.withLock { $0.append(step) } }
    #expect(report.end == .complete && report.imported.count == 3 && report.duplicates.isEmpty)
    #expect(report.refused.map(\.path) == [card.appendingPathComponent("empty.jpg").path])
    for one in report.imported {
      #expect(one.source.lastPathComponent == one.asset.url.lastPathComponent)
      #expect(try Data(contentsOf: one.source) == Data(contentsOf: one.asset.url))
      #expect(one.asset.created.timeIntervalSince1970 < 1_600_000_100)
      let modified = try #require(
        try FileManager.default.attributesOfItem(atPath: one.asset.url.path)[.modificationDate] as? Date)
      #expect(modified == one.asset.created)
    }
    #expect(steps.withLock { $0.last } == LibraryProgress(step: .importing, done: 3, total: 3))
    #expect(try FileManager.default.subpathsOfDirectory(atPath: card.path).sorted() == before)
    let checked = try await library.verify()
    // Their bytes were taken note of when they came.
    #expect(checked.isClean && checked.unchanged == 3 && checked.noted == 0, "\(checked.problems)")
    let again = try await library.importAssets(from: [card])
    #expect(again.imported.isEmpty && again.duplicates.map(\.assetID) == report.imported.map(\.asset.id))
  }

  /// Fails to read one file for as long as it is told to.
  private final class Unreadable: Sendable {
    let path = Mutex<String?>(nil)

    var disk: Disk {
      Disk { [self] step, path in step == .read && self.path.withLock { $0 == path } ? EIO : nil }
    }
  }

  @Test func whatCannotBeComparedIsImportedAndSaid() async throws {
    let scratch = try Scratch()
    let unreadable = Unreadable()
    let library = try await scratch.library(disk: unreadable.disk)
    let card = try source(scratch, ["one.jpg", "two.jpg"])
    let known = try await library.createAsset(AssetCreationRequest(file: card.appendingPathComponent("one.jpg")))
    try await library.refresh()
    unreadable.path.withLock { $0 = known.url.path }
    let report = try await library.importAssets(from: [card])
    #expect(report.end == .complete && report.imported.count == 2 && report.refused.isEmpty)
    #expect(report.imported.map(\.uncompared) == [[known.url.path], []])
    unreadable.path.withLock { $0 = nil }
    let again = try await library.importAssets(from: [card])
    #expect(again.imported.isEmpty && again.duplicates.count == 2)

    // Likewise what may have been the same before it became a favorite.
    try await library.performChanges { $0.change(AssetChangeRequest(for: known.id, isFavorite: true)) }
    let record = library.layout.record(known.id)
    unreadable.path.withLock { $0 = record }
    let copy = scratch.url.appendingPathComponent("copy.jpg")
    try FileManager.default.copyItem(at: report.imported[0].asset.url, to: copy)
    try await library.performChanges { $0.deletePermanently([report.imported[0].asset.id]) }
    let third = try await library.importAssets(from: [copy])
    #expect(third.imported.map(\.uncompared) == [[record]], "\(third)")
  }

  @Test func anAssetThatCannotBeReadAfterItsSavingIsSaidToBe() async throws {
    let scratch = try Scratch()
    let unreadable = Unreadable()
    let library = try await scratch.library(disk: unreadable.disk)
    try await library.prepareForCapture()
    let path = "\(library.layout.path)/2026-11/IMG_20261121_073106_123.jpg"
    unreadable.path.withLock { $0 = path }
    let error = await #expect(throws: PhotoLibraryError.self) {
      try await library.createAsset(AssetCreationRequest(photo: Samples.jpeg(), metadata: Samples.metadata()))
    }
    #expect(error == .inputOutput(operation: .read, path: path, reason: "Input/output error"))
    unreadable.path.withLock { $0 = nil }
    try await library.refresh()
    #expect(try await library.fetchAssets().map(\.url.path) == [path])
  }

  /// Cameras write files of equal size by the thousand. Each is compared by its digest, with no look at every other.
  @Test func filesOfEqualSizeCostNoMoreThanOthers() async throws {
    let scratch = try Scratch()
    let reads = Mutex(0)
    let questions = Mutex(0)
    let library = try await scratch.library()
    let card = scratch.url.appendingPathComponent("card")
    try FileManager.default.createDirectory(at: card, withIntermediateDirectories: true)
    let base = try Samples.jpeg(width: 32, height: 32)
    let files = try (0..<60).map { number in
      let file = card.appendingPathComponent("\(number).jpg")
      try ForeignEditors.tagged(base, String(format: "%04d", number)).write(to: file)
      return file
    }
    _ = try await library.importAssets(from: files)
    let scanner = ImportScanner(
      disk: Disk { step, path in
        if step == .read { reads.withLock { $0 += 1 } }
        return nil
      },
      knownFiles: { size throws(PhotoLibraryError) in
        questions.withLock { $0 += 1 }
        return try library.index.paths(ofSize: size).map {
          ImportScanner.KnownFile(path: library.layout.absolute($0), digest: nil)
        }
      })
    let scan = try #require(try scanner.scanOnThisThread(files))
    #expect(scan.candidates.count == 60 && scan.candidates.allSatisfy(\.isDuplicate))
    // Each file of the card and of the library is opened once, and the library is asked once.
    #expect(reads.withLock { $0 } == 120 && questions.withLock { $0 } == 1)
    await library.close()
  }

  @Test func aCopyIsGivenUpBetweenTwoPieces() throws {
    let scratch = try Scratch()
    let long = scratch.url.appendingPathComponent("long.mp4")
    try Data().write(to: long)
    // A sparse file: nothing of it lies on the disk.
    try FileHandle(forWritingTo: long).truncate(atOffset: 1 << 26)
    let file = try ReadableFile(long.path, disk: Disk())
    var asked = 0
    let writer = FileWriter(disk: Disk())
    #expect(throws: PhotoLibraryError.cancelled) {
      try writer.write(
        Data(), tail: file, tailLength: file.size,
        isCancelled: {
          asked += 1
          return asked == 2
        }, to: scratch.path + "/.copy.tmp")
    }
    #expect(asked == 2 && !FileManager.default.fileExists(atPath: scratch.path + "/.copy.tmp"))
  }

  @Test func movedFilesGoAndDuplicatesStay() async throws {
    let scratch = try Scratch()
    let library = try await scratch.library()
    let card = try source(scratch, ["one.jpg", "two.jpg"])
    let copy = card.appendingPathComponent("one copy.jpg")
    try FileManager.default.copyItem(at: card.appendingPathComponent("one.jpg"), to: copy)
    let report = try await library.importAssets(from: [card], move: true)
    #expect(report.imported.map(\.asset.url.lastPathComponent) == ["one copy.jpg", "two.jpg"])
    #expect(report.duplicates.map(\.url) == [report.imported[0].asset.url])
    #expect(try FileManager.default.contentsOfDirectory(atPath: card.path) == ["one.jpg"])
  }

  @Test func whatWasChangedHereSinceIsADuplicate() async throws {
    let scratch = try Scratch()
    let library = try await scratch.library()
    let card = try source(scratch, ["favorite.jpg", "edited.jpg", "both.jpg", "plain.jpg"])
    let report = try await library.importAssets(from: [card])
    let ids = Dictionary(uniqueKeysWithValues: report.imported.map { ($0.source.lastPathComponent, $0.asset.id) })
    let (favorite, both) = (try #require(ids["favorite.jpg"]), try #require(ids["both.jpg"]))
    try await library.performChanges { changes in
      let album = changes.createAlbum(title: "Zürich & Bern")
      changes.change(AssetCollectionChangeRequest(for: album.id, addAssets: [favorite, both]))
      for id in [favorite, both] { changes.change(AssetChangeRequest(for: id, isFavorite: true)) }
    }
    for name in ["edited.jpg", "both.jpg"] {
      var request = AssetChangeRequest(for: try #require(ids[name]))
      request.contentEditingOutput = ContentEditingOutput(
        photo: try Samples.jpeg(shade: 200),
        adjustmentData: AdjustmentData(formatIdentifier: "test", formatVersion: "1", data: Data()))
      let change = request
      try await library.performChanges { $0.change(change) }
    }
    let again = try await library.importAssets(from: [card])
    #expect(again.imported.isEmpty, "\(again.imported.map(\.source.lastPathComponent))")
    #expect(
      Dictionary(uniqueKeysWithValues: again.duplicates.map { ($0.source.lastPathComponent, $0.assetID) }) == ids)
    #expect(try await library.count() == 4)
    #expect(try await library.verify().isClean)
  }

  @Test func twoImportsAtOnceBringEachFileOnce() async throws {
    let scratch = try Scratch()
    let (one, two) = (try await scratch.library(), try await scratch.library())
    let card = try source(scratch, (0..<12).map { "\($0).jpg" })
    async let first = one.importAssets(from: [card])
    async let second = two.importAssets(from: [card])
    let reports = try await [first, second]
    #expect(reports.map(\.imported.count).reduce(0, +) == 12)
    #expect(reports.map(\.duplicates.count).reduce(0, +) == 12)
    try await one.refresh()
    #expect(try await one.count() == 12)
    #expect(try await one.verify().isClean)
  }

  @Test func cancelledIsAsFarAsItSays() async throws {
    let scratch = try Scratch()
    let library = try await scratch.library()
    let card = try source(scratch, (0..<6).map { "\($0).jpg" })
    let box = Mutex<Task<ImportReport, any Error>?>(nil)
    let (ready, go) = AsyncStream.makeStream(of: Void.self)
    let task = Task<ImportReport, any Error> {
      for await _ in ready { break }
      return try await library.importAssets(from: [card]) { step in
        if step.step == .importing, step.done == 2 { box.withLock { $0?.cancel() } }
      }
    }
    box.withLock { $0 = task }
    go.yield()
    let report = try await task.value
    #expect(report.end == .cancelled && report.imported.count == 2)
    #expect(try await library.fetchAssets().count == 2)
    #expect(try await library.importAssets(from: [card]).imported.count == 4)
  }

  @Test(.enabled(if: Command.canMount, "mounting needs privileges")) func aFullDiskStopsAndLosesNothing()
    async throws
  {
    let scratch = try Scratch()
    let pictures = scratch.pictures.path
    try FileManager.default.createDirectory(atPath: pictures, withIntermediateDirectories: true)
    try #require(mount("tmpfs", pictures, "tmpfs", 0, "size=96k") == 0)
    defer { umount2(pictures, Int32(MNT_DETACH)) }
    let card = scratch.url.appendingPathComponent("card")
    try FileManager.default.createDirectory(at: card, withIntermediateDirectories: true)
    for number in 0..<8 {
      try Samples.jpeg(width: 1280, height: 720, shade: UInt8(number * 8)).write(
        to: card.appendingPathComponent("\(number).jpg"))
    }
    let library = try await scratch.library()
    let report = try await library.importAssets(from: [card], move: true)
    guard case .stopped(.diskFull(let path)) = report.end else {
      Issue.record("\(report.end)")
      return
    }
    #expect(path.hasPrefix(pictures))
    let left = try FileManager.default.contentsOfDirectory(atPath: card.path)
    #expect(!report.imported.isEmpty && left.count + report.imported.count == 8)
    for one in report.imported { #expect(FileManager.default.fileExists(atPath: one.asset.url.path)) }
    let checked = try await library.verify()
    #expect(checked.isClean && checked.photos == report.imported.count, "\(checked.problems)")
    await library.close()
  }

  @Test func aLibraryRemovedMeanwhileIsMadeAgain() async throws {
    let scratch = try Scratch()
    let library = try await scratch.library()
    let card = try source(scratch, ["one.jpg", "two.jpg", "three.jpg"])
    let pictures = scratch.pictures.path
    let report = try await library.importAssets(from: [card]) { step in
      if step.step == .importing, step.done == 1 { try? FileManager.default.removeItem(atPath: pictures) }
    }
    #expect(report.end == .complete && report.imported.count == 3)
    try await library.refresh()
    #expect(try await library.fetchAssets().count == 2)
    // The one that went with the folder is said.
    let problems = try await library.verify().problems
    #expect(problems.map(\.kind) == [.gone] && problems.first?.path == report.imported[0].asset.url.path)
  }
}
