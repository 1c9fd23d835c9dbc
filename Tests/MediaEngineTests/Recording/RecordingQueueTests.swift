// The queue of frames never holds up the camera, and never more than its limits.

import CameraCore
import Foundation
import Testing

@testable import MediaEngine

@Suite struct RecordingQueueTests {
  private func frame(_ index: Int, bytes: Int = 10) -> CameraFrame {
    CameraFrame(
      time: MonotonicTime(nanoseconds: Int64(index)), size: PixelSize(width: 4, height: 4), content: .jpeg,
      block: FrameBlock(count: bytes) { _ in })
  }

  private func time(_ item: RecordingQueue.Item?) -> TimeSpan? {
    if case .frame(_, let time) = item { time } else { nil }
  }

  private func isPause(_ item: RecordingQueue.Item?) -> Bool {
    if case .pause = item { true } else { false }
  }

  @Test func theNewestIsRefusedWhenTooManyWait() {
    let queue = RecordingQueue()
    for index in 0..<RecordingQueue.countLimit { #expect(queue.offer(frame(index), at: .milliseconds(Int64(index)))) }
    #expect(!queue.offer(frame(100), at: .seconds(9)))
    #expect(time(queue.next()) == .zero)
    #expect(queue.offer(frame(101), at: .seconds(10)))
    queue.end()
    var times: [TimeSpan] = []
    while let item = queue.next() { times.append(contentsOf: [time(item)].compactMap { $0 }) }
    #expect(times.count == RecordingQueue.countLimit && times.last == .seconds(10))
  }

  @Test func theBytesAreLimitedButOneFrameAlwaysFits() {
    let queue = RecordingQueue(rate: FrameRate(1))
    #expect(queue.offer(frame(0, bytes: RecordingQueue.byteLimit + 1), at: .zero))
    #expect(!queue.offer(frame(1), at: .seconds(1)))
    _ = queue.next()
    #expect(queue.offer(frame(2), at: .seconds(2)))
  }

  /// While sound is waited for, the frames of 0.75 seconds wait, whatever their size and rate.
  @Test(arguments: [(60, 3 << 20, 45), (120, 1 << 20, 90), (30, 12 << 20, 13)])
  func theFramesOfThatTimeFit(rate: Int, bytes: Int, count: Int) {
    let queue = RecordingQueue(rate: FrameRate(rate))
    for index in 0..<count { #expect(queue.offer(frame(index, bytes: bytes), at: .milliseconds(Int64(index)))) }
    #expect(!queue.offer(frame(count, bytes: bytes), at: .seconds(9)))
  }

  /// Half a second of frames waits whenever sound is waited for: no sign of a slow encoder.
  @Test(arguments: [(30, 3_110_400), (60, 1_382_400), (120, 60_000), (30, 12_441_600)])
  func whatWaitsForSoundIsNoBacklog(rate: Int, bytes: Int) {
    let queue = RecordingQueue(rate: FrameRate(rate))
    var count = 0
    while queue.offer(frame(count, bytes: bytes), at: .milliseconds(Int64(count))) {
      count += 1
      if count <= min(rate / 2, 6) { #expect(queue.fullness == 0) }
    }
    if bytes < 4_000_000 { #expect(count > rate / 2) }
    #expect(queue.fullness > 0.9)
  }

  @Test func aPauseComesBehindTheFramesBeforeIt() {
    let queue = RecordingQueue()
    #expect(queue.offer(frame(0), at: .zero))
    queue.pause()
    #expect(queue.offer(frame(1), at: .seconds(1)))
    #expect(time(queue.next()) == .zero)
    #expect(isPause(queue.next()))
    #expect(time(queue.next()) == .seconds(1))
    queue.pause()
    queue.end()
    #expect(isPause(queue.next()))
    #expect(queue.next() == nil)
  }

  @Test("What waits goes to another queue, with its pause and its end") func handingOn() {
    let first = RecordingQueue()
    for index in 0..<3 { #expect(first.offer(frame(index), at: .seconds(Double(index)))) }
    #expect(time(first.next()) == .zero)
    first.pause()
    let second = first.handOn()
    #expect(first.isCancelled && first.next() == nil && !first.offer(frame(9), at: .seconds(9)))
    #expect(second.count == 2)
    #expect(second.offer(frame(3), at: .seconds(3)))
    second.end()
    let third = second.handOn()
    #expect(!third.isIdle && !third.offer(frame(4), at: .seconds(4)))
    #expect(time(third.next()) == .seconds(1) && time(third.next()) == .seconds(2))
    #expect(isPause(third.next()))
    #expect(time(third.next()) == .seconds(3))
    #expect(third.next() == nil && !third.isCancelled)
    third.cancel()
    #expect(third.handOn().next() == nil)
  }

  @Test func aQueueThatIsGivenUpHandsOutNothing() {
    let queue = RecordingQueue()
    #expect(queue.isIdle)
    #expect(queue.offer(frame(0), at: .zero))
    #expect(!queue.isIdle)
    queue.cancel()
    #expect(queue.next() == nil)
    #expect(!queue.offer(frame(1), at: .seconds(1)))
    #expect(queue.isCancelled)
  }
}
