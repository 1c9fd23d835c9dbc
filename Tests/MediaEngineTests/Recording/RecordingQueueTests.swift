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

  @Test func theNewestIsRefusedWhenTooManyWait() {
    let queue = RecordingQueue()
    for index in 0..<RecordingQueue.countLimit { #expect(queue.offer(frame(index), at: .milliseconds(Int64(index)))) }
    #expect(!queue.offer(frame(100), at: .seconds(9)))
    #expect(queue.next()?.time == .zero)
    #expect(queue.offer(frame(101), at: .seconds(10)))
    queue.end()
    var times: [TimeSpan] = []
    while let item = queue.next() { times.append(item.time) }
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
