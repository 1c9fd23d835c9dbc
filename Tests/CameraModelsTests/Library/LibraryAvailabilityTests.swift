// The window's word of a library that is away, and pictures that take long.

import CameraCore
import CameraModels
import Foundation
import Synchronization
import TestSupport
import Testing

@testable import PhotoLibrary

@MainActor
@Suite(.timeLimit(.minutes(30))) struct LibraryAvailabilityTests {
  /// A kernel that can't reach its disks for a while.
  private final class Unplugged: FileSystem {
    let isAway = Atomic(false)

    func lstat(_ path: UnsafePointer<CChar>, _ status: inout Glibc.stat) -> Int32 {
      guard isAway.load(ordering: .relaxed) else { return Glibc.lstat(path, &status) }
      errno = EIO
      return -1
    }
  }

  @Test func itIsSaidWhileItLasts() async throws {
    let system = Unplugged()
    let bench = try await LibraryBench(count: 1, disk: Disk(system: system))
    let model = LibraryAvailabilityModel(library: bench.library)
    model.start()
    model.start()
    system.isAway.store(true, ordering: .relaxed)
    model.tryAgain()
    await ModelBench.until { model.text != nil }
    #expect(model.text?.contains("Connect its disk and try again") == true && model.returnCount == 0)
    system.isAway.store(false, ordering: .relaxed)
    // Nobody has to ask for it.
    await ModelBench.until { model.text == nil }
    #expect(model.returnCount == 1)
    try await bench.end()
  }

  @Test(.enabled(if: SlowDisk.isPossible, "only root with /dev/fuse and Python may mount one"))
  func aPictureThatTakesLongHasAProgressAndHoldsNothingUp() async throws {
    let bench = try await LibraryBench(count: 2)
    await bench.grid.open()
    let disk = try SlowDisk(of: bench.library.folder, in: bench.folder)
    // Longer than the test may take.
    try disk.setDelay(seconds: 60)
    var slow = bench.assets[0]
    let path = slow.url.path.dropFirst(bench.library.folder.path.count + 1)
    slow.url = disk.folder.appendingPathComponent(String(path))
    bench.viewer.open(slow, in: bench.grid)
    #expect(bench.viewer.loadingProgress == nil)
    await ModelBench.until { bench.viewer.loadingProgress != nil }
    #expect(bench.viewer.image == nil)
    // The next picture is on another disk.
    bench.viewer.move(by: 1)
    #expect(bench.viewer.asset?.id == bench.assets[1].id && bench.viewer.loadingProgress == nil)
    await ModelBench.until { bench.viewer.image != nil }
    disk.end()
    try await bench.end()
  }
}
