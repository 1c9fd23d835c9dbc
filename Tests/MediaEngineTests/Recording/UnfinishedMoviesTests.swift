// Files that a killed recording has left.

import CameraCore
import EngineInterface
import Foundation
import TestSupport
import Testing

@testable import MediaEngine

@Suite struct UnfinishedMoviesTests {
  private let folder = FileManager.default.temporaryDirectory.appendingPathComponent(
    "photome-unfinished-\(UUID().uuidString)")

  private func file(_ name: String, _ data: Data) throws {
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    try data.write(to: folder.appendingPathComponent(name))
  }

  @Test func aFileWithoutAFragmentIsRemovedAndOthersAreLeftAlone() throws {
    defer { try? FileManager.default.removeItem(at: folder) }
    try file(".VID_20261121_073200_000.mp4.recording", Data())
    try file(".VID_20261121_073200_000.mp4", Data())
    try file(".hidden.mp4.recording", Data())
    // A recording that begins now may not have locked its file.
    #expect(UnfinishedMovies.recover(in: folder).isEmpty)
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path).count == 3)
    #expect(UnfinishedMovies.recover(in: folder, now: Date() + 120).isEmpty)
    let left = try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted()
    #expect(left == [".VID_20261121_073200_000.mp4", ".hidden.mp4.recording"])
  }

  @Test func aNameThatIsTakenIsNotReplaced() throws {
    defer { try? FileManager.default.removeItem(at: folder) }
    try file(".VID_20261121_073200_000.mp4.recording", HandMadeMovie().data)
    try file("VID_20261121_073200_000.mp4", Data("mine".utf8))
    let url = folder.appendingPathComponent("VID_20261121_073200_000_2.mp4")
    let hiddenPath = folder.appendingPathComponent(".VID_20261121_073200_000.mp4.recording").path
    #expect(UnfinishedMovies.recover(in: folder) == [.recovered(url, hiddenPath: hiddenPath)])
    #expect(try Data(contentsOf: url) == HandMadeMovie().data)
    let other = try Data(contentsOf: folder.appendingPathComponent("VID_20261121_073200_000.mp4"))
    #expect(other == Data("mine".utf8))
  }

  @Test func whatCannotBeMadeDurableKeepsItsHiddenName() throws {
    defer { try? FileManager.default.removeItem(at: folder) }
    let name = ".VID_20261121_073200_000.mp4.recording"
    try file(name, HandMadeMovie().data)
    let path = folder.appendingPathComponent(name).path
    let results = UnfinishedMovies.recover(in: folder, by: .init(synchronize: { _ in fail(EIO) }))
    guard case .failed(path: path, let reason)? = results.first, results.count == 1 else {
      Issue.record("\(results)")
      return
    }
    #expect(reason.contains(String(cString: strerror(EIO))) && reason.contains(path))
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path) == [name])
    // The next start tries again.
    let url = folder.appendingPathComponent("VID_20261121_073200_000.mp4")
    #expect(UnfinishedMovies.recover(in: folder) == [.recovered(url, hiddenPath: path)])
  }

  @Test func aFolderThatCannotBeReadIsNamedAndTheOthersAreSearched() throws {
    defer { try? FileManager.default.removeItem(at: folder) }
    let movie = ".VID_20261121_073200_000.mp4.recording"
    let names = [folder.path: ["2026-11", "2026-12", "IMG.jpg"], folder.path + "/2026-12": [movie]]
    try FileManager.default.createDirectory(at: folder.appending(path: "2026-12"), withIntermediateDirectories: true)
    try file("2026-12/\(movie)", HandMadeMovie().data)
    let refused = folder.appendingPathComponent("2026-11").path
    let system = UnfinishedMovies.System(list: { (folder) throws(UnfinishedMovies.Unreadable) in
      if folder.path == refused { throw .init(reason: "Permission denied") }
      return names[folder.path] ?? []
    })
    let url = folder.appendingPathComponent("2026-12/VID_20261121_073200_000.mp4")
    let results = UnfinishedMovies.recover(in: folder, by: system)
    let hiddenPath = folder.path + "/2026-12/" + movie
    #expect(
      results == [
        .unsearched(folder: refused, reason: "Permission denied"), .recovered(url, hiddenPath: hiddenPath),
      ])
    #expect(results.first?.description.contains("“\(refused)” couldn’t be searched") == true)
  }

  @Test("Of a disk's root, the lost+found that only the superuser may open is no news", arguments: [true, false])
  func lostAndFound(isMountPoint: Bool) throws {
    let (lost, refused) = (folder.path + "/lost+found", folder.path + "/refused")
    let names = [folder.path: ["lost+found", "refused"]]
    let system = UnfinishedMovies.System(
      list: { (folder) throws(UnfinishedMovies.Unreadable) in
        guard let names = names[folder.path] else { throw .init(reason: "Permission denied") }
        return names
      },
      isMountPoint: { _ in isMountPoint })
    let unsearched = (isMountPoint ? [] : [lost]) + [refused]
    #expect(
      UnfinishedMovies.recover(in: folder, by: system)
        == unsearched.map { .unsearched(folder: $0, reason: "Permission denied") })
  }

  @Test func theRootOfAFileSystemIsKnown() throws {
    defer { try? FileManager.default.removeItem(at: folder) }
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    for root in ["/", "/proc"] { #expect(UnfinishedMovies.isMountPoint(URL(fileURLWithPath: root))) }
    #expect(!UnfinishedMovies.isMountPoint(folder))
    #expect(!UnfinishedMovies.isMountPoint(folder.appendingPathComponent("missing")))
  }

  @Test func picturesAndLinksThatLeadNowhereAreNoFolders() throws {
    defer { try? FileManager.default.removeItem(at: folder) }
    try file("IMG.jpg", Data("picture".utf8))
    for (link, target) in [("lost", "nowhere"), ("loop", "loop")] {
      try FileManager.default.createSymbolicLink(
        atPath: folder.appendingPathComponent(link).path, withDestinationPath: target)
    }
    #expect(UnfinishedMovies.recover(in: folder).isEmpty)
  }

  @Test func aMissingFolderHasNone() { #expect(UnfinishedMovies.recover(in: folder).isEmpty) }

  @Test func whatCannotBeReadIsKeptAndNamed() throws {
    defer { try? FileManager.default.removeItem(at: folder) }
    let name = ".VID_20261121_073200_000.mp4.recording"
    try file(name, Data(repeating: 7, count: 5000))
    let path = folder.appendingPathComponent(name).path
    #expect(
      UnfinishedMovies.recover(in: folder, now: Date() + 120) == [.failed(path: path, reason: "the file has no index")])
    #expect(try Data(contentsOf: URL(fileURLWithPath: path)).count == 5000)
  }

  @Test func aFileThatAnotherHasTakenIsNoticed() throws {
    defer { try? FileManager.default.removeItem(at: folder) }
    let file = try RecordingFile(folder: folder, date: Date(timeIntervalSince1970: 1_795_000_000))
    #expect(file.isInPlace)
    try FileManager.default.removeItem(atPath: file.path)
    #expect(!file.isInPlace)
    try Data().write(to: URL(fileURLWithPath: file.path))
    #expect(!file.isInPlace)
  }

  @Test("A name is reserved where a file system can neither rename without replacing nor link")
  func namesOnSimpleFileSystems() throws {
    defer { try? FileManager.default.removeItem(at: folder) }
    try file("a", Data("a".utf8))
    try file("b", Data("b".utf8))
    @Sendable func path(_ name: String) -> String { folder.appendingPathComponent(name).path }
    @Sendable func rename(_ source: String, _ target: String) -> Bool {
      RecordingFile.renameNew(source, target, atomically: { _, _ in fail(EINVAL) }, link: { _, _ in fail(EPERM) })
    }
    #expect(!rename(path("a"), path("b")) && errno == EEXIST)
    #expect(try Data(contentsOf: folder.appendingPathComponent("b")) == Data("b".utf8))
    #expect(rename(path("a"), path("c")))
    #expect(try Data(contentsOf: folder.appendingPathComponent("c")) == Data("a".utf8))
    // Nothing is left of a reservation that came to nothing.
    #expect(!rename(path("missing"), path("d")) && errno == ENOENT)
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted() == ["b", "c"])
    try file("VID.mp4", Data("mine".utf8))
    #expect(
      try RecordingFile.publish(path("c"), as: "VID", in: folder, rename: rename).lastPathComponent == "VID_2.mp4")
  }

  @Test func twoRecordingsOfOneInstantHaveTwoNames() throws {
    defer { try? FileManager.default.removeItem(at: folder) }
    let date = Date(timeIntervalSince1970: 1_795_000_000.5)
    let (first, second) = (try RecordingFile(folder: folder, date: date), try RecordingFile(folder: folder, date: date))
    #expect(first.path != second.path)
    #expect(first.path.hasSuffix("_500.mp4.recording"))
  }
}

/// Fails as a system call does.
private func fail(_ code: Int32) -> Int32 {
  errno = code
  return -1
}
