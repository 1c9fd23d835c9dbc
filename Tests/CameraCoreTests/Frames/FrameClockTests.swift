// Times of frames, whatever the driver's timestamps are.

import CameraCore
import TestSupport
import Testing

@Suite struct FrameClockTests {
  private static let start: Int64 = 5_000_000

  /// The times of buffers that arrive every 33 ms, in milliseconds since the first one's arrival.
  ///
  /// - Parameter stamps: The milliseconds from a buffer's arrival to its stamp; `nil` for none.
  private func times(_ stamps: [Int64?]) -> [Int64] {
    var clock = FrameClock()
    return stamps.enumerated().map { index, offset in
      let arrival = MonotonicTime(nanoseconds: (Self.start + Int64(index) * 33) * 1_000_000)
      let time = clock.time(stamp: offset.map { arrival + .milliseconds($0) }, arrival: arrival)
      return time.nanoseconds / 1_000_000 - Self.start
    }
  }

  @Test(
    arguments: [
      ("good", [-10, -12, -8], [-10, 21, 58]),
      ("none", [nil, nil, nil], [0, 33, 66]),
      ("from a clock that counts from zero", [-4_990_000, -4_990_000, -4_990_000], [0, 33, 66]),
      ("always a second ahead", [1000, 1000, 1000], [0, 33, 66]),
      ("one from the future: it keeps its place among its neighbors", [-10, 900, -10], [-10, 23, 56]),
      ("one without a stamp", [-20, nil, -20], [-20, 13, 46]),
      ("a jump back that stays", [-10, -500, -500, -500], [-10, 23, 56, 89]),
      ("a jump ahead that stays", [-600, -100, -100], [-600, -67, -34]),
      ("all the same", [-10, -43, -76, -109], [-10, 23, 56, 89]),
      ("too old", [-1001, -999], [0, 33]),
      ("none at first", [nil, -50, -50, -50], [0, 0, 16, 49]),
      ("one a little too late", [-80, -80, -5, -80, -80, -80, -80], [-80, -47, 61, 94, 94, 94, 118]),
    ] as [(String, [Int64?], [Int64])])
  func stamps(name: String, stamps: [Int64?], expected: [Int64]) {
    #expect(times(stamps) == expected, "\(name)")
  }

  @Test(
    "Sound, in milliseconds: chunks of 10 arrive every 10, each when its last sample has been heard",
    arguments: [
      ("good", [-12, -11, -13], [-12, -1, 7]),
      ("none", [nil, nil, nil], [-10, 0, 10]),
      ("from a clock that counts from zero", [-4_990_000, -4_990_000, -4_990_000], [-10, 0, 10]),
      ("from the future", [-12, 500, 500, -12], [-12, 0, 10, 18]),
    ] as [(String, [Int64?], [Int64])])
  func sound(name: String, stamps: [Int64?], expected: [Int64]) {
    var clock = FrameClock()
    let times = stamps.enumerated().map { index, offset in
      let arrival = MonotonicTime(nanoseconds: (Self.start + Int64(index) * 10) * 1_000_000)
      let stamp = offset.map { arrival + .milliseconds($0) }
      let time = clock.time(ofSound: stamp, lasting: .milliseconds(10), arrival: arrival)
      return time.nanoseconds / 1_000_000 - Self.start
    }
    #expect(times == expected, "\(name)")
  }

  @Test func aBurstThatWaitedTogetherGetsDistinctTimes() {
    var clock = FrameClock()
    let arrival = MonotonicTime(nanoseconds: Self.start * 1_000_000)
    let times = (0..<32).map { _ in clock.time(stamp: nil, arrival: arrival) }
    #expect(zip(times, times.dropFirst()).allSatisfy { $1 - $0 == FrameClock.step })
    #expect(times.first == arrival)
  }

  @Test(arguments: 0..<100) func whateverTheStampsAreTimesIncreaseAndStayNearTheArrival(seed: UInt64) {
    var random = SeededNumbers(state: seed)
    var clock = FrameClock()
    var arrival = MonotonicTime(nanoseconds: Self.start * 1_000_000)
    var before: MonotonicTime?
    for _ in 0..<500 {
      arrival = arrival + .milliseconds(Int64.random(in: 1...500, using: &random))
      let stamp: MonotonicTime? =
        switch Int.random(in: 0..<5, using: &random) {
        case 0: nil
        case 1: MonotonicTime(nanoseconds: .random(in: 0...Int64.max / 2, using: &random))
        case 2: before
        default: arrival + .milliseconds(.random(in: -1500...1500, using: &random))
        }
      let time = clock.time(stamp: stamp, arrival: arrival)
      if let before { #expect(time > before, "seed \(seed)") }
      #expect(time >= arrival - FrameClock.oldest && time <= arrival, "seed \(seed)")
      before = time
    }
  }
}
