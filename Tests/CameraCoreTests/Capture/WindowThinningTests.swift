// Which frames are left out of live photos that wait.

import CameraCore
import Testing

@Suite struct WindowThinningTests {
  private func window(_ range: Range<Int64>, still: Int64) -> (times: [MonotonicTime], still: MonotonicTime) {
    (range.map { MonotonicTime(nanoseconds: $0) }, MonotonicTime(nanoseconds: still))
  }

  @Test func everyOtherFrameGoesButNoStillAndNoEnds() {
    let dropped = Set(WindowThinning.dropped(from: [window(0..<90, still: 45)]).map(\.nanoseconds))
    #expect(dropped.count == 44)
    #expect(dropped.isDisjoint(with: [0, 45, 89]))
    // No two neighbors are missing.
    #expect(dropped.allSatisfy { !dropped.contains($0 + 1) })
  }

  @Test func overlappingWindowsLoseTheSameFrames() {
    let windows = [window(0..<90, still: 45), window(7..<97, still: 52), window(14..<104, still: 59)]
    let dropped = WindowThinning.dropped(from: windows)
    let rest = Set(windows.flatMap(\.times)).subtracting(dropped)
    #expect(rest.count <= 104 / 2 + 9)
    for window in windows {
      #expect(dropped.isDisjoint(with: [window.still, window.times[0], window.times[89]]))
    }
  }

  @Test func aWindowWithFewFramesKeepsThem() {
    #expect(WindowThinning.dropped(from: [window(0..<23, still: 10)]).isEmpty)
    #expect(WindowThinning.dropped(from: []).isEmpty)
    // Also where another one shares them.
    let dropped = WindowThinning.dropped(from: [window(0..<90, still: 45), window(70..<90, still: 80)])
    #expect(!dropped.isEmpty && dropped.allSatisfy { $0.nanoseconds < 70 })
  }

  @Test func thinnedAgainAndAgainAWindowKeepsItsFloor() {
    var times = (0..<90).map { MonotonicTime(nanoseconds: $0) }
    for _ in 0..<10 {
      let dropped = WindowThinning.dropped(from: [(times, times[times.count / 2])])
      times.removeAll { dropped.contains($0) }
    }
    #expect(times.count >= WindowThinning.leastCount / 2 && times.count < WindowThinning.leastCount)
  }
}
