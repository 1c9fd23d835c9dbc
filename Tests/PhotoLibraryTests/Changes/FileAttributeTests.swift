// Mode, extended attributes, access control lists and times of pictures through every change.

import CameraCore
import Foundation
import LinuxShim
import TestSupport
import Testing

@testable import PhotoLibrary

@Suite(.timeLimit(.minutes(30))) struct FileAttributeTests {
  private let scratch: Scratch

  init() throws { scratch = try Scratch() }

  /// A change that writes a picture anew.
  enum Change: String, CaseIterable, CustomTestStringConvertible {
    case favorite
    case album
    case edit
    case editAgain
    case revert

    var testDescription: String { rawValue }
  }

  /// In 2019, with a fraction of a second.
  private static let time = timespec(tv_sec: 1_560_000_000, tv_nsec: 123_456_789)
  private static let tag = "user.xdg.tags"

  private func mark(_ path: String) {
    #expect(chmod(path, 0o640) == 0)
    #expect(setxattr(path, Self.tag, "sea", 3, 0) == 0)
    let times = [Self.time, Self.time]
    #expect(utimensat(AT_FDCWD, path, times, 0) == 0)
  }

  private func tag(_ path: String) -> String? {
    var buffer = [UInt8](repeating: 0, count: 64)
    let count = getxattr(path, Self.tag, &buffer, buffer.count)
    return count < 0 ? nil : String(decoding: buffer.prefix(count), as: UTF8.self)
  }

  private func status(_ path: String) -> stat {
    var status = stat()
    #expect(lstat(path, &status) == 0)
    return status
  }

  private func perform(_ change: Change, _ asset: Asset, _ library: PhotoLibrary) async throws {
    switch change {
    case .favorite:
      try await library.performChanges { $0.change(AssetChangeRequest(for: asset.id, isFavorite: true)) }
    case .album:
      try await library.performChanges { changes in
        let album = changes.createAlbum(title: "Thun")
        changes.change(AssetCollectionChangeRequest(for: album.id, addAssets: [asset.id]))
      }
    case .edit, .editAgain:
      var request = AssetChangeRequest(for: asset.id)
      request.contentEditingOutput = ContentEditingOutput(
        photo: try Samples.jpeg(shade: change == .edit ? 10 : 20),
        adjustmentData: AdjustmentData(formatIdentifier: "test", formatVersion: "1", data: Data()))
      let edit = request
      try await library.performChanges { $0.change(edit) }
    case .revert:
      try await library.performChanges { $0.change(.revert(asset.id)) }
    }
  }

  @Test(arguments: Change.allCases) func modeAttributesAndTimesAreKept(change: Change) async throws {
    let library = try await scratch.library()
    // Without a date: its time is the file's.
    let path = try scratch.put(Samples.jpeg(), "undated.jpg").path
    mark(path)
    try #require(tag(path) == "sea", "The file system of the tests has no extended attributes.")
    try await library.refresh()
    let asset = try #require(try await library.fetchAssets().first)
    if change == .editAgain || change == .revert { try await perform(.edit, asset, library) }
    try await perform(change, asset, library)
    let found = status(path)
    #expect(found.st_mode & 0o7777 == 0o640)
    #expect(found.st_mtim.tv_sec == Self.time.tv_sec && found.st_mtim.tv_nsec == Self.time.tv_nsec)
    #expect(tag(path) == "sea")
    let now = try #require(try await library.asset(id: asset.id))
    #expect(now.created == asset.created)
    if change == .edit {
      // The original is as private.
      let name = try #require(scratch.files().first { $0.hasPrefix(".photome/originals/") })
      let original = scratch.pictures.appendingPathComponent(name).path
      #expect(status(original).st_mode & 0o7777 == 0o640)
      #expect(tag(original) == "sea")
    }
  }

  /// A picture that only its owner may read is never readable by others, not even while it is written.
  @Test func aPrivatePictureIsPrivateAllTheTime() async throws {
    let pictures = scratch.pictures.path
    let disk = Disk { step, path in
      guard step == .synchronize, path.hasSuffix(".tmp"), path.contains("undated"), path.hasPrefix(pictures) else {
        return nil
      }
      var status = stat()
      if lstat(path, &status) == 0 { #expect(status.st_mode & 0o077 == 0, "\(path)") }
      return nil
    }
    let library = try await scratch.library(disk: disk)
    let path = try scratch.put(Samples.jpeg(), "undated.jpg").path
    #expect(chmod(path, 0o600) == 0)
    try await library.refresh()
    let asset = try #require(try await library.fetchAssets().first)
    for change in [Change.favorite, .edit, .revert] { try await perform(change, asset, library) }
    #expect(status(path).st_mode & 0o7777 == 0o600)
  }

  /// Attributes that a person has changed on the edited picture win over the original's.
  @Test func aRevertKeepsTheModeOfTheEditedPicture() async throws {
    let library = try await scratch.library()
    let path = try scratch.put(Samples.jpeg(), "undated.jpg").path
    #expect(chmod(path, 0o644) == 0)
    try await library.refresh()
    let asset = try #require(try await library.fetchAssets().first)
    try await perform(.edit, asset, library)
    #expect(chmod(path, 0o600) == 0)
    try await perform(.revert, asset, library)
    #expect(status(path).st_mode & 0o7777 == 0o600)
  }

  @Test(.enabled(if: geteuid() == 0, "only root can give files away")) func theOwnerIsKept() async throws {
    let library = try await scratch.library()
    let path = try scratch.put(Samples.jpeg(), "undated.jpg").path
    #expect(chown(path, 4321, 8765) == 0)
    try await library.refresh()
    let asset = try #require(try await library.fetchAssets().first)
    for change in Change.allCases {
      try await perform(change, asset, library)
      #expect(status(path).st_uid == 4321 && status(path).st_gid == 8765, "\(change)")
    }
  }

  /// Version 2: the owner, user 4321 and the group may read, the mask allows it, others may not.
  private static let accessList: [UInt8] = {
    func entry(_ tag: UInt16, _ permissions: UInt16, _ id: UInt32) -> [UInt8] {
      [UInt8(tag & 0xff), UInt8(tag >> 8), UInt8(permissions), 0]
        + (0..<4).map { UInt8(truncatingIfNeeded: id >> (8 * UInt32($0))) }
    }
    let none = UInt32.max
    return [2, 0, 0, 0] + entry(1, 6, none) + entry(2, 4, 4321) + entry(4, 0, none) + entry(0x10, 4, none)
      + entry(0x20, 0, none)
  }()

  @Test func theAccessControlListIsKept() async throws {
    let library = try await scratch.library()
    let path = try scratch.put(Samples.jpeg(), "undated.jpg").path
    let name = "system.posix_acl_access"
    // Not every file system has them.
    guard setxattr(path, name, Self.accessList, Self.accessList.count, 0) == 0 else { return }
    try await library.refresh()
    let asset = try #require(try await library.fetchAssets().first)
    for change in Change.allCases {
      try await perform(change, asset, library)
      var buffer = [UInt8](repeating: 0, count: 256)
      let count = getxattr(path, name, &buffer, buffer.count)
      #expect(Array(buffer.prefix(max(0, count))) == Self.accessList, "\(change)")
    }
  }

  /// File systems without owners, modes or attributes refuse to set them, which refuses no change.
  @Test(arguments: [EPERM, ENOTSUP, EACCES, EINVAL]) func whatTheFileSystemDoesNotHaveIsNoFailure(code: Int32)
    async throws
  {
    let library = try await scratch.library(disk: Disk { step, _ in step == .attributes ? code : nil })
    let path = try scratch.put(Samples.jpeg(), "undated.jpg").path
    mark(path)
    try await library.refresh()
    let asset = try #require(try await library.fetchAssets().first)
    for change in Change.allCases { try await perform(change, asset, library) }
    #expect(try await library.verify().isClean)
  }

  @Test("An imported file keeps its tags, and gets no more rights than it had", arguments: [0o600, 0o640, 0o777])
  func imports(mode: Int) async throws {
    let library = try await scratch.library()
    let card = scratch.url.appendingPathComponent("card")
    try FileManager.default.createDirectory(at: card, withIntermediateDirectories: true)
    let file = card.appendingPathComponent("private.jpg")
    try Samples.jpeg().write(to: file)
    mark(file.path)
    #expect(chmod(file.path, mode_t(mode)) == 0)
    // An undated scan from before 1970.
    let times = [
      timespec(tv_sec: -146_000_000, tv_nsec: 500_000_000), timespec(tv_sec: -146_000_000, tv_nsec: 500_000_000),
    ]
    #expect(utimensat(AT_FDCWD, file.path, times, 0) == 0)
    let imported = try #require(try await library.importAssets(from: [card], move: true).imported.first)
    let path = imported.asset.url.path
    let plain = status(try scratch.put(Data(), "plain.txt").path).st_mode
    #expect(status(path).st_mode & 0o777 == plain & mode_t(mode | 0o600) & 0o666)
    #expect(tag(path) == "sea")
    #expect(status(path).st_mtim.tv_sec == -146_000_000 && status(path).st_mtim.tv_nsec == 500_000_000)
    #expect(imported.asset.created < Date(timeIntervalSince1970: 0))
    #expect(!FileManager.default.fileExists(atPath: file.path))
    await library.close()
  }

  @Test func aDiskThatIsFullForAttributesIsFull() async throws {
    let library = try await scratch.library(disk: Disk { step, _ in step == .attributes ? ENOSPC : nil })
    let path = try scratch.put(Samples.jpeg(), "undated.jpg").path
    let before = try Data(contentsOf: URL(fileURLWithPath: path))
    try await library.refresh()
    let asset = try #require(try await library.fetchAssets().first)
    for change in [Change.favorite, .album, .edit] {
      let error = await #expect(throws: PhotoLibraryError.self) { try await perform(change, asset, library) }
      guard case .diskFull = error else {
        Issue.record("\(String(describing: error))")
        continue
      }
    }
    #expect(try Data(contentsOf: URL(fileURLWithPath: path)) == before)
    #expect(scratch.files().filter { $0 != ".photome/lock" } == ["undated.jpg"])
  }

  // MARK: Copies

  /// Shares no blocks, but behaves as if it did: the target's position stays at its start.
  private struct CloningSystem: FileSystem {
    func clone(_ target: Int32, _ source: Int32) -> Int32 {
      var offset: off_t = 0
      while Glibc.sendfile(target, source, &offset, 1 << 20) > 0 {}
      return lseek(target, 0, SEEK_SET) == 0 ? 0 : -1
    }
  }

  @Test func whatFollowsSharedBlocksComesBehindThem() throws {
    let source = scratch.url.appendingPathComponent("source")
    let bytes = Data((0..<300_000).map { UInt8(truncatingIfNeeded: $0 &* 7) })
    try bytes.write(to: source)
    for disk in [Disk(), Disk(system: CloningSystem())] {
      let file = try ReadableFile(source.path, disk: disk)
      let end = Data("the end".utf8)
      let target = scratch.path + "/target"
      for head in [Data(), Data("head".utf8)] {
        try FileWriter(disk: disk).write(head, tail: file, tailLength: file.size, suffix: end, to: target)
        #expect(try Data(contentsOf: URL(fileURLWithPath: target)) == head + bytes + end)
        #expect(unlink(target) == 0)
      }
      try FileWriter(disk: disk).write(Data(), tail: file, tailFrom: 5, tailLength: 100, to: target)
      #expect(try Data(contentsOf: URL(fileURLWithPath: target)) == bytes[5..<105])
      #expect(unlink(target) == 0)
    }
  }

  /// A file that has grown since it was opened is copied as it was.
  @Test func aGrowingFileIsCopiedAsItWas() throws {
    let source = scratch.url.appendingPathComponent("source")
    try Data("as it was".utf8).write(to: source)
    let disk = Disk(system: CloningSystem())
    let file = try ReadableFile(source.path, disk: disk)
    let handle = try FileHandle(forWritingTo: source)
    try handle.seekToEnd()
    try handle.write(contentsOf: Data(", and more".utf8))
    try handle.close()
    let target = scratch.path + "/target"
    try FileWriter(disk: disk).write(Data(), tail: file, tailLength: file.size, to: target)
    #expect(try Data(contentsOf: URL(fileURLWithPath: target)) == Data("as it was".utf8))
  }
}
