// Live photos that wait for their turn, within a budget of memory.

import CameraCore
import Testing

@testable import MediaEngine

@Suite struct WaitingWindowsTests {
  private static let size = PixelSize(width: 640, height: 360)

  private func frames(_ range: Range<Int>, _ budget: FrameBudget) -> [CameraFrame] {
    range.map { number in
      let block = FrameBlock(count: 10) { _ in }
      block.charge(to: budget)
      return CameraFrame(
        time: MonotonicTime(nanoseconds: Int64(number) * 33_000_000), size: Self.size, content: .jpeg, block: block)
    }
  }

  private func window(_ frames: [CameraFrame]) -> LiveWindow {
    let session = CameraSession(
      camera: TestCamera.device, format: LivePhotoSample.format(), frameRate: FrameRate(30))
    return LiveWindow(session: session, still: frames[frames.count / 2], frames: frames, sound: [])
  }

  @Test func withinTheBudgetNothingIsLeftOut() {
    let budget = FrameBudget(limit: 10_000)
    let windows = WaitingWindows(budget: budget)
    let ticket = windows.add(window(frames(0..<90, budget)))
    var shortfalls: [CaptureShortfall] = []
    let count = windows.takeFrames(ticket, shortfalls: &shortfalls)?.count
    #expect(count == 90)
    #expect(shortfalls == [] && windows.frameCount == 0)
    #expect(budget.byteCount == 0)
  }

  @Test func beyondItThoseThatWaitLoseEveryOtherFrameAndSaySo() throws {
    let budget = FrameBudget(limit: 1000)
    let windows = WaitingWindows(budget: budget)
    let first = windows.add(window(frames(0..<90, budget)))
    #expect(windows.frameCount == 90)
    let second = windows.add(window(frames(60..<150, budget)))
    #expect(windows.frameCount < 100)
    #expect(budget.byteCount <= 1000)
    for ticket in [first, second] {
      var shortfalls: [CaptureShortfall] = []
      let taken = windows.takeFrames(ticket, shortfalls: &shortfalls)
      let movie = try #require(taken)
      #expect(shortfalls == [.fewerFrames])
      // The same length, with the still.
      #expect(movie.duration > 2_900_000_000)
      #expect(movie.count >= WindowThinning.leastCount)
    }
    #expect(budget.byteCount == 0)
  }

  @Test func aCanceledOneHoldsNothing() {
    let budget = FrameBudget(limit: 10_000)
    let windows = WaitingWindows(budget: budget)
    windows.remove(windows.add(window(frames(0..<90, budget))))
    #expect(budget.byteCount == 0 && windows.frameCount == 0)
  }
}
