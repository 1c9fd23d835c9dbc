// Blocking work: its results and errors, its cancellation, its priority.

import CameraCore
import Foundation
import Testing

@Suite(.timeLimit(.minutes(30))) struct BlockingTests {
  @Test func resultsAndErrorsComeBack() async throws {
    #expect(await Blocking.run { 1 } == 1)
    await #expect(throws: CameraError.noCamera) {
      try await Blocking.run { () throws(CameraError) -> Int in throw .noCamera }
    }
    await #expect(throws: CameraError.noCamera) {
      try await Blocking.run(niceness: 5) { () throws(CameraError) -> Int in throw .noCamera }
    }
  }

  @Test func aCancellationSetsTheFlag() async {
    let flag = CancellationFlag()
    let task = Task {
      try await Blocking.run(canceling: flag) { () throws(CancellationError) in
        while true {
          try flag.check()
          sched_yield()
        }
      }
    }
    task.cancel()
    await #expect(throws: CancellationError.self) { try await task.value }
    #expect(flag.isSet)
  }

  @Test func onlyTheNewThreadIsNicer() async {
    let before = await Blocking.run { Self.niceness }
    let nicer = await Blocking.run(niceness: min(19, before + 3)) { Self.niceness }
    #expect(nicer == min(19, before + 3))
    #expect(await Blocking.run { Self.niceness } == before)
  }

  /// Of the calling thread, which 0 names.
  private static var niceness: Int32 { getpriority(__priority_which_t(PRIO_PROCESS.rawValue), 0) }
}
