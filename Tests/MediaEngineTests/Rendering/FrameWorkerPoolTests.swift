// Frames come out of the pool in order, few exist at a time, and it ends whatever happens.

import Foundation
import PhotoEffects
import Synchronization
import Testing

@testable import MediaEngine

@Suite(.timeLimit(.minutes(30))) struct FrameWorkerPoolTests {
  private struct Broken: Error, Equatable { var number: Int }

  private final class Log: Sendable {
    let delivered = Mutex<[Int]>([])
    let most = Atomic(0)
    let inside = Atomic(0)
    let ended = DispatchSemaphore(value: 0)
    let error = Mutex<(any Error)?>(nil)
  }

  private func pool(
    _ log: Log, threads: Int, work: @escaping @Sendable (Int) throws -> Int = { $0 },
    wantsMore: @escaping @Sendable (Int) -> Bool = { _ in true }
  ) -> FrameWorkerPool<Int, Int> {
    FrameWorkerPool(
      threadCount: threads, niceness: 0,
      work: { number, _, _ in try work(number) },
      deliver: { number in
        log.inside.subtract(1, ordering: .relaxed)
        log.delivered.withLock { $0.append(number) }
        return wantsMore(number)
      },
      onEnd: { error in
        log.error.withLock { $0 = error }
        log.ended.signal()
      })
  }

  @Test(arguments: [1, 2, 5]) func resultsComeInOrderAndFewAtATime(threads: Int) async {
    let log = Log()
    let pool = pool(
      log, threads: threads,
      work: { number in
        // Every third takes longer.
        var sum = number
        for step in 0..<(number % 3 == 0 ? 200_000 : 10) { sum = sum &* 31 &+ step }
        return sum == .min ? -1 : number
      })
    for number in 0..<300 {
      let inside = log.inside.add(1, ordering: .relaxed).newValue
      log.most.max(inside, ordering: .relaxed)
      #expect(pool.submit(number))
    }
    pool.finish()
    await Self.wait(log)
    #expect(log.delivered.withLock { $0 } == Array(0..<300))
    #expect(log.error.withLock { $0 == nil })
    // Those that it holds, and the one at its door.
    #expect(log.most.load(ordering: .relaxed) <= threads + 3)
  }

  @Test func theFirstErrorEndsIt() async {
    let log = Log()
    let pool = pool(log, threads: 3, work: { if $0 == 20 { throw Broken(number: $0) } else { $0 } })
    var brought = 0
    while pool.submit(brought) { brought += 1 }
    await Self.wait(log)
    #expect(log.error.withLock { $0 as? Broken } == Broken(number: 20))
    #expect(log.delivered.withLock { $0.allSatisfy { $0 < 20 } })
    #expect(!pool.submit(0))
  }

  @Test func whoTakesNoMoreAndWhoStopsEndIt() async {
    let log = Log()
    let full = pool(log, threads: 2, wantsMore: { $0 < 7 })
    var brought = 0
    while full.submit(brought) { brought += 1 }
    await Self.wait(log)
    #expect(log.delivered.withLock { $0 } == Array(0...7) && log.error.withLock { $0 == nil })

    let other = Log()
    let stopped = pool(other, threads: 2)
    #expect(stopped.submit(0))
    stopped.stop(Broken(number: 1))
    await Self.wait(other)
    #expect(other.error.withLock { $0 as? Broken } == Broken(number: 1))
  }

  @Test func anEmptyOneEnds() async {
    let log = Log()
    pool(log, threads: 2).finish()
    await Self.wait(log)
    #expect(log.delivered.withLock { $0.isEmpty })
  }

  private static func wait(_ log: Log) async {
    await withCheckedContinuation { continuation in
      // A thread of its own: those of the queues may all be waiting for something.
      Thread.detachNewThread {
        log.ended.wait()
        continuation.resume()
      }
    }
  }
}
