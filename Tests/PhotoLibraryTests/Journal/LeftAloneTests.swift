// Files that a library leaves alone: those behind links, and those of other programs and other computers.

import CameraCore
import Foundation
import Testing

@testable import PhotoLibrary

@Suite(.timeLimit(.minutes(30))) struct LeftAloneTests {
  // MARK: Links

  @Test func noJournalReachesThroughALink() async throws {
    let scratch = try Scratch()
    let outside = scratch.url.appendingPathComponent("home", isDirectory: true)
    try FileManager.default.createDirectory(at: outside, withIntermediateDirectories: true)
    let precious = outside.appendingPathComponent(".bashrc")
    try Data("mine".utf8).write(to: precious)
    let token = LibraryFolder.makeToken()
    let evil = ".evil.\(token).9.tmp"
    try scratch.put(Data("evil".utf8), evil)
    try FileManager.default.createSymbolicLink(
      at: scratch.pictures.appendingPathComponent("d"), withDestinationURL: outside)
    var status = stat()
    #expect(lstat(precious.path, &status) == 0)
    let steps: [[JournalStep]] = [
      [.replace(temporary: evil, path: "d/.bashrc")], [.remove(path: "d/.bashrc", number: UInt64(status.st_ino))],
      [.move(from: "d/.bashrc", to: "stolen", number: UInt64(status.st_ino))],
    ]
    for (number, steps) in steps.enumerated() {
      var journal = Journal(steps: steps)
      journal.version = 1
      try scratch.put(JSONEncoder().encode(journal), ".photome/journal/\(token).\(number).json")
      let library = try await scratch.library()
      #expect(try Data(contentsOf: precious) == Data("mine".utf8), "\(steps)")
      await library.close()
      for name in try FileManager.default.contentsOfDirectory(atPath: scratch.pictures.path + "/.photome/journal") {
        try FileManager.default.removeItem(atPath: scratch.pictures.path + "/.photome/journal/" + name)
      }
    }
  }

  @Test(arguments: ["incoming/0123456789abcdef", "incoming", "originals", "assets", "journal"])
  func aLinkInTheHiddenFolderEmptiesNothing(name: String) async throws {
    let scratch = try Scratch()
    let first = try await scratch.library()
    let asset = try await first.addPhoto()
    await first.close()
    let outside = scratch.url.appendingPathComponent("precious/0123456789abcdef", isDirectory: true)
    try FileManager.default.createDirectory(at: outside, withIntermediateDirectories: true)
    let files = ["letter.txt", ".draft.tmp", "\(asset.id).jpg", "\(asset.id).json"]
    for file in files { try Data("mine".utf8).write(to: outside.appendingPathComponent(file)) }
    for file in files { try Data("mine".utf8).write(to: outside.appendingPathComponent("../\(file)").standardized) }
    let link = scratch.pictures.appendingPathComponent(".photome/\(name)")
    try? FileManager.default.removeItem(at: link)
    try FileManager.default.createDirectory(at: link.deletingLastPathComponent(), withIntermediateDirectories: true)
    let target =
      name.contains("/") || name == "assets" || name == "originals" ? outside : outside.deletingLastPathComponent()
    try FileManager.default.createSymbolicLink(at: link, withDestinationURL: target)
    let library = try await scratch.library()
    try? await library.refresh()
    try? await library.editPhoto(asset.id, shade: 10)
    try? await library.performChanges { $0.deletePermanently([asset.id]) }
    _ = try? await library.verify()
    await library.close()
    for folder in [outside, outside.deletingLastPathComponent()] {
      for file in files {
        let data = try? Data(contentsOf: folder.appendingPathComponent(file))
        #expect(data == Data("mine".utf8), "\(folder.lastPathComponent)/\(file)")
      }
    }
  }

  // MARK: Leftovers

  @Test func theFolderOfAnExtensionIsRemovedWithAllInIt() async throws {
    let scratch = try Scratch()
    let token = LibraryFolder.makeToken()
    let folder = ".photome/incoming/\(token)/extension-1"
    try scratch.put(Data("half".utf8), "\(folder)/output.jpg")
    try scratch.put(Data("half".utf8), "\(folder)/a/b/c")
    let precious = scratch.url.appendingPathComponent("precious", isDirectory: true)
    try FileManager.default.createDirectory(at: precious, withIntermediateDirectories: true)
    try Data("mine".utf8).write(to: precious.appendingPathComponent("letter.txt"))
    try FileManager.default.createSymbolicLink(
      at: scratch.pictures.appendingPathComponent("\(folder)/a/link"), withDestinationURL: precious)
    let library = try await scratch.library()
    try await library.refresh()
    #expect(!FileManager.default.fileExists(atPath: scratch.pictures.path + "/.photome/incoming/\(token)"))
    #expect(FileManager.default.fileExists(atPath: precious.path + "/letter.txt"))
    try await library.prepareForCapture()
    let checked = try await library.verify()
    #expect(checked.isClean, "\(checked.problems)")
    await library.close()
  }

  // MARK: Other computers

  private static let other = #"{"boot":"0000000000000001","machine":"0000000000000002","name":"attic"}"#

  @Test func whatAnotherComputerIsWritingIsLeftAlone() async throws {
    let scratch = try Scratch()
    let token = LibraryFolder.makeToken()
    let temporary = LibraryFolder.temporaryName(for: "IMG_1", token: token, number: 1)
    try scratch.put(Data(Self.other.utf8), ".photome/incoming/\(token).lock")
    let movie = try scratch.put(Data("half".utf8), ".photome/incoming/\(token)/movie.mp4")
    let half = try scratch.put(Data("half".utf8), "2026-11/\(temporary)")
    let library = try await scratch.library()
    try await library.refresh()
    #expect(library.recovery.isEmpty, "\(library.recovery)")
    #expect(FileManager.default.fileExists(atPath: movie.path) && FileManager.default.fileExists(atPath: half.path))
    await library.close()
  }

  @Test func aChangeIsRefusedWhileAnotherComputerMakesOne() async throws {
    let scratch = try Scratch()
    let library = try await scratch.library()
    let asset = try await library.addPhoto()
    try scratch.put(Data(Self.other.utf8), ".photome/lock")
    let error = await #expect(throws: PhotoLibraryError.self) {
      try await library.performChanges { $0.change(AssetChangeRequest(for: asset.id, isFavorite: true)) }
    }
    #expect(error?.description.contains("attic") == true)
    // New pictures are in nobody's way.
    _ = try await library.addPhoto(second: 5)
    // It has been away for long.
    var times = [timespec(tv_sec: 1_000_000_000, tv_nsec: 0), timespec(tv_sec: 1_000_000_000, tv_nsec: 0)]
    #expect(utimensat(AT_FDCWD, scratch.pictures.path + "/.photome/lock", &times, 0) == 0)
    try await library.performChanges { $0.change(AssetChangeRequest(for: asset.id, isFavorite: true)) }
    await library.close()
  }
}
