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

  @Test func whatWaitsIsWhole() throws {
    let budget = FrameBudget(limit: 10_000)
    let windows = WaitingWindows()
    let ticket = windows.add(window(frames(0..<90, budget)))
    #expect(windows.contents.map(\.times.count) == [90])
    let begun = try windows.begin(ticket)
    #expect(begun.frames.count == 90 && begun.frames.heldTimes.count == 90 && !begun.frames.lacksSome)
    #expect(begun.window.shortfalls == [] && begun.window.frames.isEmpty && windows.frameCount == 0)
    #expect(windows.contents.map(\.times.count) == [90])
    windows.remove(ticket)
    #expect(windows.contents.isEmpty)
    #expect(budget.byteCount == 900, "held by whoever writes")
  }

  @Test func whatIsLeftOutIsGoneFromAllAndSaid() throws {
    let budget = FrameBudget(limit: 1000)
    let windows = WaitingWindows()
    let shared = frames(0..<150, budget)
    let tickets = [windows.add(window(Array(shared[..<90]))), windows.add(window(Array(shared[60...])))]
    windows.leaveOut(WindowThinning.dropped(from: windows.contents, spacing: .milliseconds(66)))
    #expect(windows.frameCount < 100)
    for ticket in tickets {
      let (movie, rest) = try windows.begin(ticket)
      #expect(rest.shortfalls == [.fewerFrames])
      // The same length, with the still.
      #expect(movie.duration > 2_900_000_000)
      #expect(movie.heldTimes.contains(rest.still.time))
      windows.remove(ticket)
    }
  }

  @Test func theNewestMovieIsGivenUpFirst() throws {
    let budget = FrameBudget(limit: 10_000)
    let windows = WaitingWindows()
    let tickets = [windows.add(window(frames(0..<90, budget))), windows.add(window(frames(100..<190, budget)))]
    #expect(windows.giveUpNewest())
    #expect(throws: CameraError.self) { _ = try windows.begin(tickets[1]) }
    #expect(try windows.begin(tickets[0]).frames.count == 90)
    #expect(!windows.giveUpNewest(), "what is being written stays")
    for ticket in tickets { windows.remove(ticket) }
    #expect(budget.byteCount == 0)
  }

  @Test func aCanceledOneHoldsNothing() {
    let budget = FrameBudget(limit: 10_000)
    let windows = WaitingWindows()
    windows.remove(windows.add(window(frames(0..<90, budget))))
    #expect(budget.byteCount == 0 && windows.frameCount == 0)
  }
}
