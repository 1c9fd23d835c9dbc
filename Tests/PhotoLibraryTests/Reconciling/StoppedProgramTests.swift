// A program that was stopped while it changes the library: who only reads goes on, and who waits for it says so.

import CameraCore
import Foundation
import Synchronization
import Testing

@testable import PhotoLibrary

@Suite(.timeLimit(.minutes(30))) struct StoppedProgramTests {
  /// Has the lock of a library, and a journal.
  private final class Stopped {
    private let descriptor: Int32

    init(_ scratch: Scratch) throws {
      let hidden = scratch.pictures.appendingPathComponent(".photome")
      try FileManager.default.createDirectory(
        at: hidden.appendingPathComponent("journal"), withIntermediateDirectories: true)
      try Data("{}".utf8).write(to: hidden.appendingPathComponent("journal/0123456789abcdef.1.json"))
      descriptor = Glibc.open(hidden.appendingPathComponent("lock").path, O_RDWR | O_CREAT | O_CLOEXEC, 0o644)
      try #require(descriptor >= 0 && flock(descriptor, LOCK_EX | LOCK_NB) == 0)
    }

    deinit { close(descriptor) }
  }

  /// Counts how often pictures have waited for the lock: many looks whether somebody has it, one after the other.
  private final class Counting: FileSystem {
    private let looks = Atomic<Int>(0)
    let waits = Atomic<Int>(0)

    func open(_ path: UnsafePointer<CChar>, _ flags: Int32, _ mode: mode_t) -> Int32 {
      if String(cString: path).hasSuffix("/.photome/lock") { looks.add(1, ordering: .relaxed) }
      if String(cString: path).hasSuffix(".jpg"), looks.exchange(0, ordering: .relaxed) >= 30 {
        waits.add(1, ordering: .relaxed)
      }
      return KernelFileSystem().open(path, flags, mode)
    }
  }

  /// It was waited for before each folder, and each part of one.
  @Test func aNewIndexWaitsOnce() async throws {
    let scratch = try Scratch()
    for number in 0..<60 {
      let photo = ForeignEditors.stripped(try Samples.jpeg(width: 64, height: 48 + number))
      try scratch.put(photo, "2026-0\(1 + number % 2)/\(number).jpg")
    }
    let stopped = try Stopped(scratch)
    let system = Counting()
    let library = try await PhotoLibrary.open(
      at: scratch.pictures, index: scratch.index, disk: Disk(system: system), trash: scratch.trash)
    library.reconciler.patience.store(60, ordering: .relaxed)
    try await library.refresh()
    #expect(try await library.fetchAssets().count == 60)
    #expect(system.waits.load(ordering: .relaxed) == 1)
    withExtendedLifetime(stopped) {}
    await library.close()
  }

  @Test func aChangeThatWaitsSaysSo() async throws {
    let scratch = try Scratch()
    let library = try await scratch.library()
    let asset = try await library.createAsset(
      AssetCreationRequest(photo: Samples.jpeg(), metadata: Samples.metadata()))
    library.reconciler.silence.store(1, ordering: .relaxed)
    var warnings = library.warnings().makeAsyncIterator()
    // Each time.
    for isFavorite in [true, false] {
      var stopped: Stopped? = try Stopped(scratch)
      let change = Task {
        try await library.performChanges { $0.change(AssetChangeRequest(for: asset.id, isFavorite: isFavorite)) }
      }
      // What the last one has left is said as well.
      while let warning = await warnings.next(), warning != .waiting {}
      withExtendedLifetime(stopped) {}
      stopped = nil
      try await change.value
      #expect(try await library.asset(id: asset.id)?.isFavorite == isFavorite)
    }
    await library.close()
    // What is over isn't said to those who come later.
    var all: [LibraryWarning] = []
    for await warning in library.warnings() { all.append(warning) }
    #expect(!all.contains(.waiting))
  }
}
