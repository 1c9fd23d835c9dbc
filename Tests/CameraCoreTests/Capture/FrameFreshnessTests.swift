// How old the frame of a press may be.

import CameraCore
import Testing

@Suite struct FrameFreshnessTests {
  /// The limit after frames at these instants, in milliseconds.
  private func limit(_ rate: FrameRate, _ times: [Int64]) -> TimeSpan {
    var freshness = FrameFreshness(rate: rate, floor: .milliseconds(500))
    for time in times { freshness.received(at: MonotonicTime(nanoseconds: time * 1_000_000)) }
    return freshness.limit
  }

  @Test func aFastCamerasFrameIsStaleAfterHalfASecond() {
    #expect(limit(FrameRate(30), [0, 33, 66, 99]) == .milliseconds(500))
    #expect(limit(FrameRate(30), []) == .milliseconds(500))
    var freshness = FrameFreshness(rate: FrameRate(30), floor: .milliseconds(500))
    let time = MonotonicTime(nanoseconds: 7_000_000_000)
    freshness.received(at: time)
    #expect(freshness.isFresh(time, at: time + .milliseconds(500)))
    #expect(!freshness.isFresh(time, at: time + .milliseconds(501)))
    #expect(freshness.isFresh(time, at: time - .milliseconds(20)), "a press may be older than the frame")
  }

  @Test func aSlowCamerasFrameIsFreshForThreeFrameTimes() {
    #expect(limit(FrameRate(1), [0, 1000]) == .seconds(3))
    // In the dark: 30 a second by the mode, 2 in fact.
    #expect(limit(FrameRate(30), [0, 500, 1000]) == .milliseconds(1500))
  }

  @Test func onePauseDoesNotMakeACameraSlow() {
    #expect(limit(FrameRate(30), [0, 33, 66, 4066]) == .milliseconds(500))
    #expect(limit(FrameRate(30), [0, 33, 66, 4066, 4099]) == .milliseconds(500))
  }
}
