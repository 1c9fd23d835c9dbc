// Position of a test camera frame within the repeating scene.

import CameraCore

/// The content of a frame.
struct TestMoment {
  /// Written into the picture.
  var number: UInt32
  /// The frame's place in the scene's period; frames at the same place look alike but for their number.
  var place: Int
  /// From 0 to 1, through the scene's period.
  var phase: Float
  var isFlash: Bool

  /// The different places at a rate.
  static func placeCount(_ rate: FrameRate) -> Int {
    func divisor(_ a: Int, _ b: Int) -> Int { b == 0 ? a : divisor(b, a % b) }
    let loop = TestScene.period * rate.numerator
    return loop / divisor(loop, rate.denominator)
  }

  init(frame: Int64, rate: FrameRate) {
    precondition(frame >= 0, "Frames are counted from zero.")
    let numerator = Int64(rate.numerator)
    let loop = Int64(TestScene.period) * numerator
    // The time within the period, in 1/numerator seconds.
    let ticks = frame % loop * Int64(rate.denominator) % loop
    number = UInt32(truncatingIfNeeded: frame)
    place = Int(ticks)
    phase = Float(ticks) / Float(loop)
    isFlash = TestCamera.isFlash(frame: frame, rate: rate)
  }
}
