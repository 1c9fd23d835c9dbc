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

  @Test("Thinned to a spacing, frames are that far apart, but for stills and ends; slower cameras lose nothing")
  func spacing() {
    let milliseconds = Int64(1_000_000)
    func window(_ range: StrideTo<Int64>, still: Int64) -> (times: [MonotonicTime], still: MonotonicTime) {
      (range.map { MonotonicTime(nanoseconds: $0 * milliseconds) }, MonotonicTime(nanoseconds: still * milliseconds))
    }
    let fast = window(stride(from: 0, to: 3000, by: 16), still: 1504)
    let rest = fast.times.filter {
      !WindowThinning.dropped(from: [fast], spacing: .milliseconds(125)).contains($0)
    }
    #expect((22...30).contains(rest.count))
    #expect(rest.contains(fast.still) && rest.first == fast.times.first && rest.last == fast.times.last)
    #expect(zip(rest, rest.dropFirst()).allSatisfy { $1 - $0 <= .milliseconds(144) })
    let slow = window(stride(from: 0, to: 3000, by: 120), still: 1440)
    #expect(WindowThinning.dropped(from: [slow], spacing: .milliseconds(125)).isEmpty)
    #expect(WindowThinning.dropped(from: [], spacing: .seconds(1)).isEmpty)
  }
}
