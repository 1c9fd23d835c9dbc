// Lengths of time from any number.

import CameraCore
import Testing

@Suite struct TimeSpanTests {
  @Test(
    arguments: [
      (1.5, 1_500_000_000), (-0.25, -250_000_000), (0, 0), (.nan, 0), (.infinity, .max), (-.infinity, .min),
      (1e12, .max),
      (-1e300, .min), (9_223_372_036.0, 9_223_372_036_000_000_000),
    ] as [(Double, Int64)])
  func secondsOfAnySize(seconds: Double, nanoseconds: Int64) {
    #expect(TimeSpan.seconds(seconds).nanoseconds == nanoseconds)
  }
}
