// A camera that stands still is noticed soon after the limit, whenever it begins.

import CameraCore
import Synchronization
import Testing

@testable import MediaEngine

@Suite(.timeLimit(.minutes(30))) struct CameraStandstillTests {
  /// The quarters of the limit that pass until a standstill is noticed, and what is found.
  private func notice(_ tally: @Sendable (Int) -> FrameTally) async -> (quarters: Int, finding: CameraWatch.Finding?) {
    let passed = Atomic(0)
    let finding = await CameraWatch.standstill(of: .seconds(5), tally: { tally(passed.load(ordering: .relaxed)) }) {
      #expect($0 == 1_250_000_000)
      guard passed.add(1, ordering: .relaxed).newValue < 100 else { throw CancellationError() }
    }
    return (passed.load(ordering: .relaxed), finding)
  }

  @Test("Only looks that find new frames are life: the wait for the end counts for none")
  func life() async {
    let passed = Atomic(0)
    let lives = Atomic(0)
    let finding = await CameraWatch.standstill(
      of: .seconds(5), tally: { FrameTally(kept: min(passed.load(ordering: .relaxed), 3)) },
      pause: { _ in
        guard passed.add(1, ordering: .relaxed).newValue < 100 else { throw CancellationError() }
      }, onLife: { lives.add(1, ordering: .relaxed) })
    #expect(finding == .silent && lives.load(ordering: .relaxed) == 3)
  }

  @Test("Four quarters after the look that saw the last frame", arguments: 0...9)
  func silent(last: Int) async {
    let (quarters, finding) = await notice { FrameTally(kept: min(last, $0)) }
    #expect(quarters == last + 4 && finding == .silent)
  }

  @Test("Damaged frames are no life", arguments: 0...5)
  func damaged(last: Int) async {
    let (quarters, finding) = await notice { FrameTally(kept: min(last, $0), refused: $0) }
    #expect(quarters == last + 4 && finding == .damaged)
  }

  @Test("A camera that sends a frame in each limit is left alone")
  func alive() async {
    let (quarters, finding) = await notice { FrameTally(kept: $0 / 4, refused: $0) }
    #expect(quarters == 100 && finding == nil)
  }
}
