// The thread of the built-in microphone.

import CGStreamer
import CameraCore
import Foundation
import Synchronization

/// Feeds the test tone to an appsrc, 10 ms at a time, each stretch when its last sample has been "heard" (base time 0).
final class TestToneFeed: Sendable {
  private static let samples = TestTone.sampleRate / 100

  private let source: Element
  private let fault: TestFault
  private let isStopped = Atomic(false)

  init(source: Element, fault: TestFault) { (self.source, self.fault) = (source, fault) }

  func start() {
    let thread = Thread { self.run() }
    thread.name = "test tone"
    thread.start()
  }

  /// No buffer is made after this; the thread ends within 10 ms.
  func stop() { isStopped.store(true, ordering: .releasing) }

  private func run() {
    if fault == .refusedTone {
      source.report("the test tone was told to refuse", GST_RESOURCE_ERROR_BUSY)
      return source.report("the stream has an internal error", GST_RESOURCE_ERROR_READ)
    }
    var index = Self.index(at: .now)
    var sent = 0
    while true {
      if case .toneFallsSilent(let after) = fault, sent == after { return }
      let block = FrameBlock(count: Self.samples * 2) { TestTone.fill($0.bindMemory(to: Int16.self), from: index) }
      MonotonicTime.sleep(until: Self.time(of: index + Int64(Self.samples)))
      guard !isStopped.load(ordering: .acquiring),
        AppSource.push(block, to: source, time: Self.time(of: index).nanoseconds) == GST_FLOW_OK
      else { return }
      index += Int64(Self.samples)
      sent += 1
    }
  }

  /// In two steps, since nanoseconds times 48 000 overflow after two days of uptime.
  private static func index(at time: MonotonicTime) -> Int64 {
    let rate = Int64(TestTone.sampleRate)
    let (seconds, rest) = time.nanoseconds.quotientAndRemainder(dividingBy: 1_000_000_000)
    return seconds * rate + rest * rate / 1_000_000_000
  }

  private static func time(of index: Int64) -> MonotonicTime {
    let rate = Int64(TestTone.sampleRate)
    let (seconds, rest) = index.quotientAndRemainder(dividingBy: rate)
    return MonotonicTime(nanoseconds: seconds * 1_000_000_000 + rest * 1_000_000_000 / rate)
  }
}
