// Animated pictures in the viewer.

import CameraCore
import Foundation
import PhotoLibrary
import Synchronization
import TestSupport
import Testing

@testable import CameraModels

@MainActor
@Suite("Animated pictures in the viewer", .timeLimit(.minutes(30))) struct ViewerAnimationTests {
  /// The pauses between frames, which end when the test says so.
  private final class Pauses: Sendable {
    private let waiting = Mutex<[CheckedContinuation<Void, any Error>]>([])
    private let lengths = Mutex<[Double]>([])
    var all: [Double] { lengths.withLock { $0 } }

    @Sendable func pause(_ seconds: Double) async throws {
      try await withCheckedThrowingContinuation { continuation in
        lengths.withLock { $0.append(seconds) }
        waiting.withLock { $0.append(continuation) }
      }
    }

    var isWaiting: Bool { waiting.withLock { !$0.isEmpty } }

    /// Ends the pause that is, or is about to be.
    @MainActor func endNext() async {
      while !isWaiting { await Task.yield() }
      end()
    }

    func end() {
      waiting.withLock { list in
        defer { list = [] }; return list
      }.forEach { $0.resume() }
    }
  }

  private struct Bench {
    let library: LibraryBench
    let pauses = Pauses()
    let asset: Asset
    @MainActor var viewer: ViewerModel { library.viewer }

    @MainActor init(loops: Int?) async throws {
      library = try await LibraryBench(count: 1)
      var frames = [UInt8(10), 50, 90].map { HandMadeGIF.Frame(width: 8, height: 6, color: $0) }
      (frames[0].delay, frames[1].delay, frames[2].delay) = (20, 30, 0)
      var gif = HandMadeGIF(width: 8, height: 6, frames: frames)
      gif.loops = loops
      let file = FileManager.default.temporaryDirectory.appendingPathComponent("\(UUID().uuidString).gif")
      try gif.data.write(to: file)
      defer { try? FileManager.default.removeItem(at: file) }
      asset = try #require(try await library.library.importAssets(from: [file]).imported.first).asset
      library.viewer.animation.pause = pauses.pause
    }

    /// The gray of the frame that is shown.
    @MainActor var gray: UInt8? { viewer.animation.frame?.block.bytes.first }
  }

  @Test("Its frames are shown one after another, for their time, without end")
  func plays() async throws {
    let bench = try await Bench(loops: 0)
    await bench.library.grid.open()
    bench.viewer.open(bench.asset, in: bench.library.grid)
    for gray in [UInt8(20), 100, 180, 20, 100, 180, 20] {
      await ModelBench.until { bench.gray == gray }
      #expect(bench.viewer.isPlayable && bench.viewer.animation.isPlaying)
      await bench.pauses.endNext()
    }
    #expect(bench.pauses.all.prefix(4).elementsEqual([0.2, 0.3, 0.1, 0.2]))
    // Space stops it where it is, and lets it go on.
    await ModelBench.until { bench.gray == 100 }
    bench.viewer.playOrPause()
    #expect(!bench.viewer.animation.isPlaying && bench.viewer.shownImage?.block.bytes.first == 100)
    await bench.pauses.endNext()
    bench.viewer.playOrPause()
    await ModelBench.until { bench.gray == 180 }
    bench.viewer.close()
    #expect(bench.viewer.shownImage == nil && !bench.viewer.isPlayable)
    await bench.pauses.endNext()
    try await bench.library.end()
  }

  @Test("One that is to be played twice stops at its end, and is played again when asked")
  func ends() async throws {
    let bench = try await Bench(loops: 1)
    await bench.library.grid.open()
    bench.viewer.open(bench.asset, in: bench.library.grid)
    for gray in [UInt8(20), 100, 180, 20, 100, 180] {
      await ModelBench.until { bench.gray == gray }
      await bench.pauses.endNext()
    }
    await ModelBench.until { !bench.viewer.animation.isPlaying }
    #expect(bench.gray == 180)
    bench.viewer.playOrPause()
    await ModelBench.until { bench.gray == 20 }
    bench.viewer.close()
    await bench.pauses.endNext()
    try await bench.library.end()
  }

  @Test("Where the desktop is to stand still, it is played only when asked")
  func standsStill() async throws {
    let bench = try await Bench(loops: 0)
    await bench.library.grid.open()
    bench.viewer.animation.startsByItself = false
    bench.viewer.open(bench.asset, in: bench.library.grid)
    await ModelBench.until { bench.viewer.isPlayable }
    #expect(!bench.viewer.animation.isPlaying && bench.gray == nil)
    await ModelBench.until { bench.viewer.image != nil }
    #expect(bench.viewer.shownImage?.block.bytes.first == 20)
    bench.viewer.playOrPause()
    await ModelBench.until { bench.gray == 20 }
    // Another picture takes its place.
    bench.viewer.open(bench.library.assets[0], in: bench.library.grid)
    #expect(bench.gray == nil && !bench.viewer.animation.isThere)
    bench.viewer.close()
    await bench.pauses.endNext()
    try await bench.library.end()
  }
}
