// Blocking work: its results and errors, its cancellation, its priority.

import CameraCore
import Dispatch
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

  @Test func asManyThreadsAsAreNeededAreBlockedAtOnce() async {
    let count = 40
    let (arrivals, isOpen) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
    let havePassed = await withTaskGroup(of: Bool.self) { group in
      for _ in 0..<count {
        group.addTask {
          await Blocking.run {
            arrivals.signal()
            defer { isOpen.signal() }
            // The last one opens it for all.
            return isOpen.wait(timeout: .now() + 20) == .success
          }
        }
      }
      group.addTask {
        await Blocking.run {
          for _ in 0..<count { arrivals.wait() }
          isOpen.signal()
          return true
        }
      }
      return await group.allSatisfy { $0 }
    }
    #expect(havePassed)
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
