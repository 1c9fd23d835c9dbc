// The rights and attributes of imported files, where the file system has more than three digits for them.

import CameraCore
import Foundation
import LinuxShim
import TestSupport
import Testing

@testable import PhotoLibrary

@Suite(.timeLimit(.minutes(30))) struct ImportRightsTests {
  private let scratch: Scratch

  init() throws { scratch = try Scratch() }

  private func card(_ names: [String]) throws -> URL {
    let card = scratch.url.appendingPathComponent("card")
    try FileManager.default.createDirectory(at: card, withIntermediateDirectories: true)
    for (number, name) in names.enumerated() {
      try Samples.jpeg(shade: UInt8(10 * number)).write(to: card.appendingPathComponent(name))
    }
    return card
  }

  /// An access control list (acl(5)): what the owner, user 4321, the group, the mask and others may.
  private func list(group: UInt8, mask: UInt8, others: UInt8, user: UInt8 = 6, other: UInt8? = nil) -> [UInt8] {
    func entry(_ tag: UInt8, _ permissions: UInt8, _ id: UInt32 = .max) -> [UInt8] {
      [tag, 0, permissions, 0] + (0..<4).map { UInt8(truncatingIfNeeded: id >> (8 * UInt32($0))) }
    }
    let named = other.map { entry(8, $0, 4321) } ?? []
    return [2, 0, 0, 0] + entry(1, 6) + entry(2, user, 4321) + entry(4, group) + named + entry(0x10, mask)
      + entry(0x20, others)
  }

  /// The group's digit of such a file is the mask of its list, and not what its group may.
  @Test(arguments: [(0, 6, 0, 0o600), (4, 6, 0, 0o640), (6, 4, 4, 0o644)] as [(UInt8, UInt8, UInt8, mode_t)])
  func aGroupGetsNoRightsThatAListDenied(group: UInt8, mask: UInt8, others: UInt8, expected: mode_t) async throws {
    let library = try await scratch.library()
    let card = try card(["private.jpg"])
    let list = list(group: group, mask: mask, others: others)
    let path = card.appendingPathComponent("private.jpg").path
    // Not every file system has them.
    guard setxattr(path, "system.posix_acl_access", list, list.count, 0) == 0 else { return }
    var status = stat()
    #expect(lstat(path, &status) == 0 && status.st_mode & 0o070 == mode_t(mask) << 3)
    let imported = try #require(try await library.importAssets(from: [card]).imported.first)
    #expect(lstat(imported.asset.url.path, &status) == 0)
    let plain = try FileManager.default.attributesOfItem(atPath: scratch.put(Data(), "plain.txt").path)
    let usual = mode_t(try #require(plain[.posixPermissions] as? Int))
    #expect(status.st_mode & 0o777 == expected & usual, "\(String(status.st_mode, radix: 8))")
    await library.close()
  }

  /// Imports a picture with a list, and returns the mode of its copy; `nil` where there are no lists.
  private func modeOfCopy(_ list: [UInt8]) async throws -> mode_t? {
    let library = try await scratch.library()
    let card = try card(["private.jpg"])
    let path = card.appendingPathComponent("private.jpg").path
    guard setxattr(path, "system.posix_acl_access", list, list.count, 0) == 0 else { return nil }
    let imported = try #require(try await library.importAssets(from: [card]).imported.first)
    var status = stat()
    #expect(lstat(imported.asset.url.path, &status) == 0)
    await library.close()
    return status.st_mode & 0o777
  }

  /// Who is named there may read everything that is made in the folder.
  @Test func aFoldersListGivesNobodyRights() async throws {
    let library = try await scratch.library()
    let month = scratch.pictures.appendingPathComponent("2026-11")
    try FileManager.default.createDirectory(at: month, withIntermediateDirectories: true)
    let list = list(group: 5, mask: 7, others: 0, user: 7)
    guard setxattr(month.path, "system.posix_acl_default", list, list.count, 0) == 0 else { return }
    let card = try card(["private.jpg"])
    #expect(chmod(card.appendingPathComponent("private.jpg").path, 0o640) == 0)
    let imported = try #require(try await library.importAssets(from: [card]).imported.first)
    #expect(imported.asset.url.path.hasPrefix(month.path))
    #expect(getxattr(imported.asset.url.path, "system.posix_acl_access", nil, 0) < 0)
    var status = stat()
    #expect(lstat(imported.asset.url.path, &status) == 0 && status.st_mode & 0o037 == 0)
    await library.close()
  }

  /// Without their entries, they would be everybody.
  @Test func whoIsDeniedSomethingByNameIsNotEverybody() async throws {
    guard let user = try await modeOfCopy(list(group: 4, mask: 4, others: 4, user: 0)) else { return }
    #expect(user & 0o077 == 0, "\(String(user, radix: 8))")
  }

  @Test func aGroupThatIsDeniedSomethingByNameIsNotEverybody() async throws {
    guard let group = try await modeOfCopy(list(group: 4, mask: 4, others: 4, user: 4, other: 0)) else { return }
    #expect(group & 0o007 == 0, "\(String(group, radix: 8))")
  }

  /// A kernel on which the files of a folder belong to another group.
  private struct OtherGroup: FileSystem {
    let folder: String

    func fstat(_ descriptor: Int32, _ status: inout Glibc.stat) -> Int32 {
      let code = Glibc.fstat(descriptor, &status)
      let path = try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/fd/\(descriptor)")
      if path?.hasPrefix(folder + "/") == true { status.st_gid += 1 }
      return code
    }
  }

  @Test func theRightsOfAGroupAreNotAnotherOnes() async throws {
    let card = try card(["private.jpg"])
    let library = try await scratch.library(disk: Disk(system: OtherGroup(folder: card.path)))
    let path = card.appendingPathComponent("private.jpg").path
    #expect(chmod(path, 0o640) == 0)
    let imported = try #require(try await library.importAssets(from: [card]).imported.first)
    var status = stat()
    #expect(lstat(imported.asset.url.path, &status) == 0)
    #expect(status.st_mode & 0o777 == 0o600, "\(String(status.st_mode, radix: 8))")
    await library.close()
  }

  /// A file system whose room for attributes is used up.
  private struct FullOfAttributes: FileSystem {
    func fsetxattr(_ descriptor: Int32, _ name: UnsafePointer<CChar>, _ value: UnsafeRawPointer?, _ count: Int) -> Int32
    {
      errno = ENOSPC
      return -1
    }
  }

  @Test func attributesWithoutRoomEndNoImport() async throws {
    let library = try await scratch.library(disk: Disk(system: FullOfAttributes()))
    let card = try card(["a.jpg", "b.jpg", "c.jpg"])
    let path = card.appendingPathComponent("a.jpg").path
    try #require(setxattr(path, "user.xdg.tags", "sea", 3, 0) == 0, "The file system has no extended attributes.")
    let report = try await library.importAssets(from: [card])
    #expect(report.imported.map(\.source.lastPathComponent) == ["a.jpg", "b.jpg", "c.jpg"], "\(report)")
    #expect(report.refused.isEmpty)
    await library.close()
  }
}
