// File operations below a folder that symbolic links can't lead out of.

import Foundation
import Testing

@testable import PhotoLibrary

@Suite(.timeLimit(.minutes(30))) struct ConfinedFileSystemTests {
  /// A folder `inside` with links, and one `outside` that they lead to.
  private struct Ground {
    let scratch: Scratch
    let disk: Disk
    var inside: String { scratch.path + "/inside" }
    var outside: String { scratch.path + "/outside" }

    init(usesOpenat2: Bool) throws {
      scratch = try Scratch()
      disk = Disk(system: ConfinedFileSystem(roots: [scratch.path + "/inside"], usesOpenat2: usesOpenat2))
      let files = FileManager.default
      for folder in ["inside/plain/deep", "outside/deep"] {
        try files.createDirectory(atPath: scratch.path + "/" + folder, withIntermediateDirectories: true)
      }
      for file in ["inside/plain/deep/a", "outside/deep/a", "outside/b"] {
        try Data(file.utf8).write(to: URL(fileURLWithPath: scratch.path + "/" + file))
      }
      try files.createSymbolicLink(atPath: inside + "/folder", withDestinationPath: outside)
      try files.createSymbolicLink(atPath: inside + "/back", withDestinationPath: inside + "/plain")
      try files.createSymbolicLink(atPath: inside + "/file", withDestinationPath: outside + "/b")
    }
  }

  private static func isLink(_ error: PhotoLibraryError?) -> Bool {
    if case .folderUnavailable(_, .symbolicLink) = error { true } else { false }
  }

  @Test(arguments: [true, false]) func plainFoldersAreAsEver(usesOpenat2: Bool) throws {
    let ground = try Ground(usesOpenat2: usesOpenat2)
    let (disk, inside) = (ground.disk, ground.inside)
    #expect(try disk.read(inside + "/plain/deep/a") == Data("inside/plain/deep/a".utf8))
    try disk.makeFolder(inside + "/new/deeper")
    try FileWriter(disk: disk).write(Data("c".utf8), to: inside + "/new/deeper/c")
    #expect(try disk.renameNew(inside + "/new/deeper/c", to: inside + "/d"))
    #expect(try !disk.renameNew(inside + "/plain/deep/a", to: inside + "/d"))
    #expect(try disk.link(inside + "/d", to: inside + "/plain/e"))
    try disk.replace(inside + "/plain/deep/a", with: inside + "/d")
    #expect(try Set(disk.contents(of: inside + "/plain")) == ["deep", "e"])
    #expect(try disk.read(inside + "/plain/deep/a") == Data("c".utf8))
    try disk.remove(inside + "/plain/e")
    #expect(disk.removeEmptyFolder(inside + "/new/deeper") && !disk.removeEmptyFolder(inside + "/plain"))
    // From outside of the root, and back.
    try disk.replace(inside + "/plain/b", with: ground.outside + "/b")
    #expect(try disk.read(inside + "/plain/b") == Data("outside/b".utf8))
    try disk.removeTree(inside + "/plain")
    #expect(disk.status(inside + "/plain") == nil)
  }

  @Test(arguments: [true, false]) func noLinkIsFollowed(usesOpenat2: Bool) throws {
    let ground = try Ground(usesOpenat2: usesOpenat2)
    let (disk, inside, outside) = (ground.disk, ground.inside, ground.outside)
    for path in ["/folder/deep/a", "/folder/b", "/back/deep/a", "/file"] {
      let error = #expect(throws: PhotoLibraryError.self) { try disk.read(inside + path) }
      #expect(Self.isLink(error), "\(path): \(String(describing: error))")
    }
    #expect(disk.names(in: inside + "/folder") == nil && disk.names(in: inside + "/folder/deep") == nil)
    let attempts: [() throws -> Void] = [
      { try disk.remove(inside + "/folder/b") },
      { try disk.remove(inside + "/folder/deep/a") },
      { try disk.replace(inside + "/stolen", with: inside + "/folder/b") },
      { try disk.replace(inside + "/folder/b", with: inside + "/plain/deep/a") },
      { _ = try disk.renameNew(inside + "/plain/deep/a", to: inside + "/folder/new") },
      { _ = try disk.link(inside + "/folder/b", to: inside + "/stolen") },
      { try FileWriter(disk: disk).write(Data(), to: inside + "/folder/new") },
      { try disk.makeFolder(inside + "/folder/new") },
      { try disk.removeTree(inside + "/folder/deep") },
    ]
    for (number, attempt) in attempts.enumerated() {
      #expect(throws: PhotoLibraryError.self, "attempt \(number)") { try attempt() }
    }
    // A tree with links in it loses the links alone.
    try disk.removeTree(inside)
    #expect(disk.status(inside) == nil)
    let plain = Disk()
    #expect(try plain.read(outside + "/b") == Data("outside/b".utf8))
    #expect(try plain.read(outside + "/deep/a") == Data("outside/deep/a".utf8))
    #expect(plain.names(in: outside).map { Set($0) } == ["b", "deep"])
  }

  @Test(arguments: [true, false]) func noPathLeadsUpwards(usesOpenat2: Bool) throws {
    let ground = try Ground(usesOpenat2: usesOpenat2)
    #expect(throws: PhotoLibraryError.self) { try ground.disk.read(ground.inside + "/plain/../../outside/b") }
    #expect(throws: PhotoLibraryError.self) { try ground.disk.remove(ground.inside + "/../outside/b") }
    #expect(FileManager.default.fileExists(atPath: ground.outside + "/b"))
  }

  // MARK: Marks

  @Test func aMarkKnowsItsFileByMoreThanItsNumber() throws {
    let scratch = try Scratch()
    let path = scratch.path + "/a"
    let disk = Disk()
    let data = Data((0..<100_000).map { UInt8(truncatingIfNeeded: $0 &* 7) })
    try data.write(to: URL(fileURLWithPath: path))
    let mark = try FileMark(of: path, disk: disk)
    let status = try #require(disk.status(path))
    #expect(mark == FileMark(status, data: data))
    #expect(mark.isMark(of: path, disk: disk))
    // Another number, as after a mount.
    var moved = mark
    moved.number += 1
    #expect(moved.isMark(of: path, disk: disk))
    moved.modified += 1_500_000_000
    #expect(moved.isMark(of: path, disk: disk))
    moved.modified += 1_500_000_000
    #expect(!moved.isMark(of: path, disk: disk))
    // Other bytes, of the same size and time.
    var other = data
    other[99_999] ^= 1
    try other.write(to: URL(fileURLWithPath: path))
    var times = [timespec(), timespec()].map { _ in
      timespec(tv_sec: Int(mark.modified / 1_000_000_000), tv_nsec: Int(mark.modified % 1_000_000_000))
    }
    #expect(utimensat(AT_FDCWD, path, &times, 0) == 0)
    #expect(!mark.isMark(of: path, disk: disk))
    #expect(!mark.isMark(of: path + "x", disk: disk) && !mark.isMark(of: scratch.path, disk: disk))
  }
}
