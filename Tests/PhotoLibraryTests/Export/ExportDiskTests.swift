// Exports to disks that go away, are full, or don't take each name.

import CameraCore
import ForeignDisks
import Foundation
import Synchronization
import Testing

@testable import PhotoLibrary

@Suite(.timeLimit(.minutes(30))) struct ExportDiskTests {
  private func assets(_ library: PhotoLibrary, count: Int) async throws -> [Asset] {
    var assets: [Asset] = []
    for number in 0..<count {
      assets.append(
        try await library.createAsset(
          AssetCreationRequest(photo: try Samples.jpeg(shade: UInt8(20 + number * 20)), metadata: Samples.metadata())))
    }
    return assets
  }

  private func names(_ folder: URL) throws -> [String] {
    try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted()
  }

  @Test func nothingIsWrittenWhereTheDiskWas() async throws {
    let scratch = try Scratch()
    let folder = scratch.url.appendingPathComponent("out")
    let other = URL(fileURLWithPath: "/dev/shm/photome-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: other, withIntermediateDirectories: false)
    defer { try? FileManager.default.removeItem(at: other) }
    try #require(Disk().status(other.path)?.device != Disk().status(scratch.path)?.device)
    // As when the disk is unmounted behind the first copy: the folder of another one is in its place.
    let path = folder.path
    let disk = Disk(fault: { step, at in
      guard step == .synchronize, at == path else { return nil }
      try? FileManager.default.moveItem(atPath: path, toPath: path + "-disk")
      try? FileManager.default.createSymbolicLink(atPath: path, withDestinationPath: other.path)
      return nil
    })
    let library = try await scratch.library(disk: disk)
    let assets = try await assets(library, count: 3)
    let report = try await library.export(assets, as: .current, into: folder)
    #expect(report.exported.map(\.assetID) == [assets[0].id])
    // All are accounted for.
    #expect(report.refused.map(\.assetID) == assets[1...].map(\.id))
    #expect(
      report.refused.allSatisfy {
        $0.error == .folderUnavailable(path: path, reason: .system("its disk is no longer there"))
      })
    #expect(try names(other).isEmpty)
  }

  @Test func aFullDiskRefusesAllThatAreLeft() async throws {
    let scratch = try Scratch()
    let folder = scratch.url.appendingPathComponent("out")
    let path = folder.path
    let disk = Disk(fault: { step, at in
      step == .write && at.hasPrefix(path) && FileManager.default.fileExists(atPath: path + "/full") ? ENOSPC : nil
    })
    let library = try await scratch.library(disk: disk)
    let assets = try await assets(library, count: 3)
    #expect(try await library.export([assets[0]], as: .current, into: folder).refused.isEmpty)
    try Data().write(to: folder.appendingPathComponent("full"))
    let report = try await library.export(assets, as: .current, into: folder)
    #expect(report.exported.isEmpty && report.refused.map(\.assetID) == assets.map(\.id))
    #expect(report.refused.allSatisfy { $0.error == .diskFull(path: path) })
    #expect(try names(folder).count == 2)
  }

  @Test func aLibraryThatGoesAwayIsNamedOnce() async throws {
    let scratch = try Scratch()
    let library = try await scratch.library()
    let assets = try await assets(library, count: 3)
    try await library.refresh()
    let folder = scratch.url.appendingPathComponent("out")
    // Another library's mark is there: the disk is another one.
    try FileManager.default.moveItem(at: scratch.pictures, to: scratch.url.appendingPathComponent("away"))
    let hidden = scratch.pictures.appendingPathComponent(LibraryFolder.hiddenFolder)
    let other = try await PhotoLibrary.open(
      at: scratch.pictures, index: scratch.url.appendingPathComponent("other.sqlite"), disk: Disk(),
      trash: scratch.trash)
    try FileManager.default.removeItem(at: try await self.assets(other, count: 1)[0].url)
    #expect(FileManager.default.fileExists(atPath: hidden.path))
    let report = try await library.export(assets, as: .current, into: folder)
    #expect(report.exported.isEmpty && report.refused.map(\.assetID) == assets.map(\.id))
    for refused in report.refused {
      guard case .libraryAbsent = refused.error else {
        Issue.record("\(refused.error)")
        continue
      }
    }
  }

  @Test(arguments: [FileSystemKind.vfat, .exfat, .smb])
  func aNameThatTheDiskDoesNotTakeIsReplaced(kind: FileSystemKind) async throws {
    let scratch = try Scratch()
    let folder = scratch.url.appendingPathComponent("stick")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    let stick = SimulatedFileSystem(kind, at: folder.path)
    let library = try await scratch.library(disk: Disk(system: stick))
    let asset = try await assets(library, count: 1)[0]
    let odd = scratch.pictures.appendingPathComponent("IMG 12:30:45?.jpg")
    try FileManager.default.moveItem(at: asset.url, to: odd)
    try await library.refresh()
    let moved = try #require(try await library.asset(id: asset.id))
    #expect(moved.url.lastPathComponent == "IMG 12:30:45?.jpg")
    let exported = try #require(try await library.export([moved], as: .current, into: folder).exported.first)
    #expect(exported.url.lastPathComponent == "IMG 12_30_45_.jpg")
    #expect(
      exported.note
        == "“IMG 12:30:45?.jpg” was exported as “IMG 12_30_45_.jpg” because the disk doesn’t take its name.")
    #expect(try Data(contentsOf: exported.url) == Data(contentsOf: odd))
    // A second one is numbered, and a name that is given is the copy's.
    let again = try #require(try await library.export([moved], as: .current, into: folder).exported.first)
    #expect(again.url.lastPathComponent == "IMG 12_30_45_ (2).jpg")
    let named = try await library.export(moved, as: .current, to: folder.appendingPathComponent("plain.jpg"))
    #expect(named.url.lastPathComponent == "plain.jpg" && named.note == nil)
    #expect(try names(folder) == ["IMG 12_30_45_ (2).jpg", "IMG 12_30_45_.jpg", "plain.jpg"])
  }

  @Test(arguments: [
    ("a.jpg", "a.jpg"), ("a:b*c?.jpg", "a_b_c_.jpg"), ("a\"<>|\\b", "a_____b"), ("a\nb\u{7f}.png", "a_b_.png"),
    ("end.", "end_"), ("end ", "end_"), ("…é写.jpg", "…é写.jpg"),
  ])
  func aPlainNameIsOneThatEachDiskTakes(name: String, plain: String) {
    #expect(FileName.plain(name) == plain)
  }

  @Test func aRefusedExportIntoTheLibraryMakesNoFolder() async throws {
    let scratch = try Scratch()
    let library = try await scratch.library()
    let asset = try await assets(library, count: 1)[0]
    let link = scratch.url.appendingPathComponent("link")
    try FileManager.default.createSymbolicLink(at: link, withDestinationURL: scratch.pictures)
    for folder in [scratch.pictures, link].map({ $0.appendingPathComponent("new/below") }) {
      let error = await #expect(throws: PhotoLibraryError.self) {
        try await library.export([asset], as: .current, into: folder)
      }
      #expect(error?.description.contains("inside the library") == true)
    }
    #expect(!FileManager.default.fileExists(atPath: scratch.pictures.appendingPathComponent("new").path))
  }

  @Test func whatAKilledExportLeftIsRemovedByALaterOne() async throws {
    let scratch = try Scratch()
    let library = try await scratch.library()
    let asset = try await assets(library, count: 1)[0]
    let folder = scratch.url.appendingPathComponent("out")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    let place = try ExportFolder(folder.path, disk: Disk())
    // The half of a picture of long ago has its date before the other half is written.
    let new = place.temporaryPaths(count: 1)[0]
    let now = Int64(Date().timeIntervalSince1970)
    func path(_ name: String) -> String { folder.path + "/.\(name).0123456789abcdef.0.tmp" }
    let old = [path("photome-export-\(now - 48 * 3600)"), path("photome-export-\(now + 48 * 3600)")]
    let kept = [new, path("mine"), path("photome-export-"), path("photome-export-mine")]
    for path in old + kept {
      try Data("half".utf8).write(to: URL(fileURLWithPath: path))
      try FileManager.default.setAttributes(
        [.modificationDate: Date(timeIntervalSinceNow: -48 * 3600)], ofItemAtPath: path)
    }
    _ = try await library.export([asset], as: .current, into: folder)
    #expect(!old.contains { FileManager.default.fileExists(atPath: $0) })
    #expect(kept.allSatisfy { FileManager.default.fileExists(atPath: $0) })
  }

  @Test func aFullDiskIsNotTakenForOneThatRefusesAName() async throws {
    let scratch = try Scratch()
    let folder = scratch.url.appendingPathComponent("out")
    let path = folder.path
    let disk = Disk(fault: { step, at in step == .rename && at.hasPrefix(path) && at.contains("?") ? ENOSPC : nil })
    let library = try await scratch.library(disk: disk)
    let name = "2026-11/what?.jpg"
    try scratch.put(Samples.jpeg(shade: 90), name)
    try await library.refresh()
    let asset = try #require(try await library.fetchAssets().first)
    let report = try await library.export([asset], as: .current, into: folder)
    #expect(report.exported.isEmpty && report.refused.map(\.error) == [.diskFull(path: path)])
  }

  /// A share that no longer has a file as soon as it is copied.
  private final class Vanishing: FileSystem {
    let name: String
    private let isGone = Atomic(false)

    init(_ name: String) { self.name = name }

    private func isOfFile(_ descriptor: Int32) -> Bool {
      let path = try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/fd/\(descriptor)")
      return path?.hasSuffix("/" + name) == true
    }

    func pread(_ descriptor: Int32, _ buffer: UnsafeMutableRawPointer, _ count: Int, _ offset: off_t) -> Int {
      guard isGone.load(ordering: .relaxed), isOfFile(descriptor) else {
        return KernelFileSystem().pread(descriptor, buffer, count, offset)
      }
      errno = ENOENT
      return -1
    }

    func sendfile(_ target: Int32, _ source: Int32, _ offset: inout off_t, _ count: Int) -> Int {
      guard isOfFile(source) else { return KernelFileSystem().sendfile(target, source, &offset, count) }
      isGone.store(true, ordering: .relaxed)
      errno = ENOENT
      return -1
    }
  }

  /// Also where it lies in the folder of the copy.
  @Test(arguments: [true, false]) func aSourceThatGoesAwayIsNotTakenForTheCopy(isBeside: Bool) async throws {
    let scratch = try Scratch()
    let folder = scratch.url.appendingPathComponent("out", isDirectory: true)
    let other = isBeside ? folder : scratch.url.appendingPathComponent("card", isDirectory: true)
    for url in [folder, other] { try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true) }
    let file = other.appendingPathComponent("picture.jpg")
    try Samples.jpeg().write(to: file)
    let library = try await scratch.library(disk: Disk(system: Vanishing("picture.jpg")))
    let asset = try #require(try await library.look(at: [file]).pictures.first)
    let report = try await library.export([asset], as: .current, into: folder)
    #expect(report.refused.map(\.error) == [.fileMissing(path: file.path)])
    #expect(try names(folder) == (isBeside ? ["picture.jpg"] : []))
  }

  @Test func aHalfThatSomebodyRemovesIsNotToldAsACopyThatWasThere() async throws {
    let scratch = try Scratch()
    let folder = scratch.url.appendingPathComponent("out")
    let path = folder.path
    let disk = Disk(fault: { step, at in
      guard step == .rename, at.hasPrefix(path) else { return nil }
      for name in (try? FileManager.default.contentsOfDirectory(atPath: path)) ?? [] {
        try? FileManager.default.removeItem(atPath: path + "/" + name)
      }
      return nil
    })
    let library = try await scratch.library(disk: disk)
    let asset = try await assets(library, count: 1)[0]
    let report = try await library.export([asset], as: .current, into: folder)
    #expect(report.exported.isEmpty)
    let reason = String(cString: strerror(ENOENT))
    #expect(
      report.refused.map(\.error) == [
        .inputOutput(operation: .write, path: "\(path)/\(asset.name)", reason: reason)
      ])
  }
}
