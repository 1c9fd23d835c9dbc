// Whether the library is there, told as it goes and comes back.

import CameraCore
import Foundation
import Synchronization
import TestSupport
import Testing

@testable import PhotoLibrary

@Suite("The library goes away and comes back", .timeLimit(.minutes(30))) struct AvailabilityTests {
  /// A kernel that refuses to look at a folder and what is in it.
  private final class Refusing: FileSystem {
    let folder: String
    let code = Mutex<Int32>(0)

    init(_ folder: String) { self.folder = folder }

    private func refuses(_ path: UnsafePointer<CChar>) -> Bool {
      let code = code.withLock { $0 }
      guard code != 0, (String(cString: path) + "/").hasPrefix(folder + "/") else { return false }
      errno = code
      return true
    }

    func lstat(_ path: UnsafePointer<CChar>, _ status: inout Glibc.stat) -> Int32 {
      refuses(path) ? -1 : Glibc.lstat(path, &status)
    }
    func open(_ path: UnsafePointer<CChar>, _ flags: Int32, _ mode: mode_t) -> Int32 {
      refuses(path) ? -1 : Glibc.open(path, flags, mode)
    }
    func opendir(_ path: UnsafePointer<CChar>) -> OpaquePointer? { refuses(path) ? nil : Glibc.opendir(path) }
  }

  private static func reason(_ availability: LibraryAvailability?) -> String? {
    if case .libraryAbsent(_, let reason)? = availability?.reason { reason } else { nil }
  }

  @Test("A disk that doesn’t answer loses nothing", arguments: [ENOTCONN, ESTALE, EIO, ENODEV])
  func fault(code: Int32) async throws {
    let scratch = try Scratch()
    let system = Refusing(scratch.pictures.path)
    let library = try await scratch.library(disk: Disk(system: system))
    let asset = try await library.addPhoto()
    try await library.refresh()
    var states = library.availability().makeAsyncIterator()
    #expect(await states.next() == .available)
    #expect(library.unavailabilityReason == nil)

    system.code.withLock { $0 = code }
    library.lookAgain()
    let reason = Self.reason(await states.next())
    #expect(reason == "its disk doesn’t respond (\(String(cString: strerror(code))))")
    #expect(library.unavailabilityReason != nil)
    // Nothing that a scan misses now is removed.
    await #expect(throws: PhotoLibraryError.self) { try await library.refresh() }
    await #expect(throws: PhotoLibraryError.self) { try await library.addPhoto(second: 5) }
    var news = FolderEvents()
    news.folders = [PathBytes("2026-11")]
    library.reconciler.note(news)
    await library.reconciler.waitUntilIdle()
    #expect(try await library.asset(id: asset.id) != nil)

    // It comes back by itself, with what was done to it meanwhile.
    try scratch.put(Samples.jpeg(shade: 7), "2026-11/other.jpg")
    system.code.withLock { $0 = 0 }
    #expect(await states.next() == .available)
    try await library.refresh()
    #expect(try await library.count() == 2 && library.unavailabilityReason == nil)
    _ = try await library.addPhoto(second: 9)
    await library.close()
    #expect(await states.next() == nil)
    var closed = library.availability().makeAsyncIterator()
    #expect(await closed.next() == .available)
    #expect(await closed.next() == nil)
  }

  @Test("A change that fails for it tells it as well")
  func failedChange() async throws {
    let scratch = try Scratch()
    let system = Refusing(scratch.pictures.path)
    let library = try await scratch.library(disk: Disk(system: system))
    _ = try await library.addPhoto()
    try await library.refresh()
    var states = library.availability().makeAsyncIterator()
    #expect(await states.next() == .available)
    system.code.withLock { $0 = EIO }
    await #expect(throws: PhotoLibraryError.self) { try await library.prepareForCapture() }
    #expect(Self.reason(await states.next()) != nil)
    system.code.withLock { $0 = 0 }
    #expect(await states.next() == .available)
    await library.close()
  }

  @Test(
    "A disk that is unmounted and mounted again is noticed, and followed again",
    .enabled(if: Command.canMount, "only root may mount"))
  func mount() async throws {
    let scratch = try Scratch()
    let mount = scratch.url.appendingPathComponent("Pictures")
    for name in ["Pictures", "disk"] {
      try FileManager.default.createDirectory(
        at: scratch.url.appendingPathComponent(name), withIntermediateDirectories: true)
    }
    func run(_ words: String...) throws {
      let result = try Command.run(words[0], Array(words.dropFirst()), at: scratch.url)
      if result.status != 0 { throw CommandFailure(output: result.errors) }
    }
    try run("mount", "--bind", "disk", "Pictures")
    defer { _ = try? run("umount", "--lazy", mount.path) }
    let library = try await scratch.library()
    _ = try await library.addPhoto()
    try await library.refresh()
    var states = library.availability().makeAsyncIterator()
    #expect(await states.next() == .available)
    // Nobody has to ask for it.
    try run("umount", "--lazy", mount.path)
    #expect(Self.reason(await states.next())?.contains("isn’t mounted") == true)
    #expect(try await library.count() == 1)
    #expect(try FileManager.default.contentsOfDirectory(atPath: mount.path).isEmpty)
    try run("mount", "--bind", "disk", "Pictures")
    #expect(await states.next() == .available)
    try await library.refresh()
    // The folders on it are watched, not those under it.
    var changes = library.changes().makeAsyncIterator()
    try scratch.put(Samples.jpeg(shade: 9), "2026-11/other.jpg")
    #expect(await changes.next()?.inserted.count == 1)
    #expect(try await library.count() == 2)
    await library.close()
  }
}
