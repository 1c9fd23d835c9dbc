// The pace of blinks in a burst.

import CameraCore
import Testing

@testable import CameraModels

@Suite("Blinks")
struct BlinkPacingTests {
  @Test("A burst of twelve shots a second leaves the picture in sight, and shots one by one all blink")
  func burst() {
    var pacing = BlinkPacing()
    let start = MonotonicTime(nanoseconds: 5_000_000_000)
    let blinks = (0..<24).filter { pacing.exposed(at: start + .milliseconds(Int64($0) * 83)) }
    #expect(blinks == [0, 7, 14, 21], "twice a second, however fast the shots come")
    let single = (4..<8).filter { pacing.exposed(at: start + .seconds(Double($0))) }
    #expect(single == [4, 5, 6, 7])
    let isOtherClockShown = pacing.exposed(at: MonotonicTime(nanoseconds: 0))
    #expect(isOtherClockShown)
  }
}
