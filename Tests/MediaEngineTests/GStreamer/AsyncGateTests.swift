// A gate admits as many tasks as it has places, in the order in which they came.

import Synchronization
import Testing

@testable import MediaEngine

@Suite(.timeLimit(.minutes(30))) struct AsyncGateTests {
  private final class Log: Sendable {
    let order = Mutex<[Int]>([])
  }

  @Test func oneAfterTheOther() async {
    let gate = AsyncGate()
    let log = Log()
    await gate.enter()
    var tasks: [Task<Void, Never>] = []
    for number in 0..<5 {
      tasks.append(
        Task {
          await gate.enter()
          log.order.withLock { $0.append(number) }
          gate.leave()
        })
      #expect(await eventually { gate.waitingCount == number + 1 })
    }
    #expect(log.order.withLock { $0.isEmpty })
    gate.leave()
    for task in tasks { await task.value }
    #expect(log.order.withLock { $0 } == Array(0..<5))
    #expect(gate.mostInside == 1 && gate.waitingCount == 0)
  }

  @Test func aCancelledTaskHoldsNoPlace() async throws {
    let gate = AsyncGate(places: 2)
    await gate.enter()
    await gate.enter()
    let late = Task { try await gate.enterUnlessCancelled() }
    #expect(await eventually { gate.waitingCount == 1 })
    late.cancel()
    await #expect(throws: CancellationError.self) { try await late.value }
    #expect(gate.waitingCount == 0)
    let early = Task {
      withUnsafeCurrentTask { $0?.cancel() }
      try await gate.enterUnlessCancelled()
    }
    await #expect(throws: CancellationError.self) { try await early.value }
    gate.leave()
    try await gate.enterUnlessCancelled()
    #expect(gate.mostInside == 2)
  }

  @Test func withoutAskingACancelledTaskEnters() async {
    let gate = AsyncGate()
    let task = Task {
      withUnsafeCurrentTask { $0?.cancel() }
      await gate.enter()
      gate.leave()
    }
    await task.value
    await gate.enter()
    #expect(gate.mostInside == 1)
  }
}
