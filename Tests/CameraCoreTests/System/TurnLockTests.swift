// The lock for long work: one at a time, and whoever gives up hands the turn on.

import CameraCore
import Foundation
import Synchronization
import Testing

@Suite(.timeLimit(.minutes(30))) struct TurnLockTests {
  /// The number of threads that have the lock, now and at most.
  private final class Holders: Sendable {
    private let counts = Mutex((now: 0, most: 0))
    var most: Int { counts.withLock { $0.most } }
    func enter() { counts.withLock { $0 = ($0.now + 1, max($0.most, $0.now + 1)) } }
    func leave() { counts.withLock { $0.now -= 1 } }
  }

  @Test func oneAtATime() async {
    let (lock, holders) = (TurnLock(), Holders())
    await withTaskGroup { group in
      for number in 0..<6 {
        group.addTask {
          await Blocking.run {
            for _ in 0..<200 {
              guard lock.lock(unless: number.isMultiple(of: 2) ? CancellationFlag() : nil) else { continue }
              holders.enter()
              holders.leave()
              lock.unlock()
            }
          }
        }
      }
    }
    #expect(holders.most == 1)
  }

  @Test func whoeverGivesUpIsLetGoAndTheNextOneGoesOn() async {
    let (lock, flag) = (TurnLock(), CancellationFlag())
    #expect(lock.lock())
    async let givesUp = Blocking.run { lock.lock(unless: flag) }
    async let waits = Blocking.run { lock.lock() }
    flag.set()
    #expect(await givesUp == false)
    lock.unlock()
    #expect(await waits)
    // One that was told before doesn't take a free one.
    lock.unlock()
    #expect(!lock.lock(unless: flag))
    #expect(lock.lock())
  }
}
