// Frames worked on by several threads, given back in the order in which they came.

import CameraCore
import Foundation
import PhotoEffects

/// A row of frames through a few threads, of which only so many exist at a time.
///
/// One thread brings frames and is held up while too many are under way; each of the workers takes one after the other;
/// what they make is handed on in order, by whichever worker has the next one.
final class FrameWorkshop<Frame: Sendable, Result: Sendable>: @unchecked Sendable {
  // Sendable: everything that changes is touched under `condition` only.

  /// Works on one frame. Each worker has a scratch of its own.
  typealias Work = @Sendable (Frame, EffectScratch) throws -> Result
  /// Takes a result; never two at a time. Returns whether more are wanted.
  typealias Delivery = @Sendable (Result) -> Bool

  private let condition = NSCondition()
  private let capacity: Int
  private let niceness: Int32
  private let work: Work
  private let deliver: Delivery
  private let onEnd: @Sendable ((any Error)?) -> Void

  private var waiting: [(number: Int, frame: Frame)] = []
  private var finished: [Int: Result] = [:]
  private var broughtCount = 0
  private var deliveredCount = 0
  private var isDelivering = false
  private var isClosed = false
  private var isStopped = false
  private var failure: (any Error)?
  private var workerCount: Int

  /// - Parameters:
  ///   - threadCount: Of workers, which run until `finish` or `stop`.
  ///   - onEnd: Called once, by the last worker: with the first error, or with `nil` when everything was delivered.
  init(
    threadCount: Int, niceness: Int32, work: @escaping Work, deliver: @escaping Delivery,
    onEnd: @escaping @Sendable ((any Error)?) -> Void
  ) {
    (self.work, self.deliver, self.onEnd) = (work, deliver, onEnd)
    workerCount = max(1, threadCount)
    // One for each worker, and one on its way in or out.
    capacity = workerCount + 2
    self.niceness = niceness
    for number in 0..<workerCount {
      let thread = Thread { self.run() }
      thread.name = "frames \(number + 1)"
      thread.qualityOfService = .userInitiated
      thread.start()
    }
  }

  /// Brings the next frame; waits while there is no room.
  ///
  /// - Returns: Whether more are wanted.
  func bring(_ frame: Frame) -> Bool {
    condition.withLock {
      while broughtCount - deliveredCount >= capacity, !isStopped { condition.wait() }
      guard !isStopped, !isClosed else { return false }
      waiting.append((broughtCount, frame))
      broughtCount += 1
      condition.broadcast()
      return true
    }
  }

  /// No more will come; what came is finished.
  func finish() {
    condition.withLock {
      isClosed = true
      condition.broadcast()
    }
  }

  /// Ends as soon as possible; what is under way is dropped.
  func stop(_ error: (any Error)? = CancellationError()) {
    condition.withLock { end(error) }
  }

  /// Under the lock.
  private func end(_ error: (any Error)?) {
    guard !isStopped else { return }
    isStopped = true
    failure = failure ?? error
    waiting = []
    finished = [:]
    condition.broadcast()
  }

  private func run() {
    // 0 names the calling thread.
    _ = setpriority(Int32(PRIO_PROCESS.rawValue), 0, niceness)
    let scratch = EffectScratch()
    while let (number, frame) = next() {
      do {
        let result = try work(frame, scratch)
        hand(result, number)
      } catch {
        stop(error)
      }
    }
    let isLast = condition.withLock {
      workerCount -= 1
      return workerCount == 0
    }
    if isLast { onEnd(condition.withLock { failure }) }
  }

  private func next() -> (number: Int, frame: Frame)? {
    condition.withLock {
      while waiting.isEmpty, !isClosed, !isStopped { condition.wait() }
      return isStopped || waiting.isEmpty ? nil : waiting.removeFirst()
    }
  }

  /// Delivers what is next in the row, this one or others that waited for it.
  private func hand(_ result: Result, _ number: Int) {
    condition.lock()
    defer { condition.unlock() }
    finished[number] = result
    guard !isDelivering else { return }
    isDelivering = true
    while !isStopped, let result = finished.removeValue(forKey: deliveredCount) {
      condition.unlock()
      let wantsMore = deliver(result)
      condition.lock()
      deliveredCount += 1
      if !wantsMore { end(failure) }
      condition.broadcast()
    }
    isDelivering = false
  }
}
