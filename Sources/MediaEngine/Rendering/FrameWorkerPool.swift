// Frames processed by several threads, delivered in their order.

import CameraCore
import Foundation
import PhotoEffects

/// Processes a sequence of frames on a few threads, a limited number at a time.
///
/// One thread submits frames and blocks while too many are in progress. Each worker processes one after another; results
/// are delivered in order, by whichever worker has the next one.
final class FrameWorkerPool<Frame: Sendable, Result: Sendable>: @unchecked Sendable {
  // Sendable: everything that changes is touched under `condition` only.

  /// Processes one frame, by its number, counted from 0: those with lower numbers are finished, or being processed. Each
  /// worker has scratch memory of its own.
  typealias Work = @Sendable (Frame, _ number: Int, EffectScratch) throws -> Result
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
  private var submittedCount = 0
  private var deliveredCount = 0
  private var isDelivering = false
  private var isClosed = false
  private var isStopped = false
  private var failure: (any Error)?
  private var workerCount: Int

  /// - Parameters:
  ///   - threadCount: The number of workers, which run until `finish` or `stop`.
  ///   - onEnd: Called once, by the last worker: with the first error, or with `nil` when everything was delivered.
  init(
    threadCount: Int, niceness: Int32, work: @escaping Work, deliver: @escaping Delivery,
    onEnd: @escaping @Sendable ((any Error)?) -> Void
  ) {
    (self.work, self.deliver, self.onEnd) = (work, deliver, onEnd)
    workerCount = max(1, threadCount)
    // One for each worker, and two on their way in and out.
    capacity = workerCount + 2
    self.niceness = niceness
    for number in 0..<workerCount {
      let thread = Thread { self.run() }
      thread.name = "frames \(number + 1)"
      thread.qualityOfService = .userInitiated
      thread.start()
    }
  }

  /// Submits the next frame; blocks while too many are in progress.
  ///
  /// - Returns: Whether more are wanted.
  func submit(_ frame: Frame) -> Bool {
    condition.withLock {
      while submittedCount - deliveredCount >= capacity, !isStopped { condition.wait() }
      guard !isStopped, !isClosed else { return false }
      waiting.append((submittedCount, frame))
      submittedCount += 1
      condition.broadcast()
      return true
    }
  }

  /// Ends when everything that was submitted is delivered.
  func finish() {
    condition.withLock {
      isClosed = true
      condition.broadcast()
    }
  }

  /// Ends as soon as possible; frames in progress are dropped.
  func stop(_ error: (any Error)? = CancellationError()) {
    condition.withLock { end(error) }
  }

  /// Called under the lock.
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
        let result = try work(frame, number, scratch)
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

  /// Delivers the next results in order: this one, or others that waited for it.
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
