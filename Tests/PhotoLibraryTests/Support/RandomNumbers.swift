// Random numbers that differ from run to run and can be repeated.

import Foundation
import Testing

/// SplitMix64. The seed is printed with the test's name; the environment variable `PHOTOME_SEED` repeats a run.
struct RandomNumbers: RandomNumberGenerator {
  private var state: UInt64

  init() {
    let given = ProcessInfo.processInfo.environment["PHOTOME_SEED"].flatMap { UInt64($0) }
    state = given ?? .random(in: .min ... .max)
    print("\(Test.current?.name ?? "a test"): PHOTOME_SEED=\(state)")
  }

  mutating func next() -> UInt64 {
    state &+= 0x9e37_79b9_7f4a_7c15
    var mixed = state
    mixed = (mixed ^ (mixed >> 30)) &* 0xbf58_476d_1ce4_e5b9
    mixed = (mixed ^ (mixed >> 27)) &* 0x94d0_49bb_1331_11eb
    return mixed ^ (mixed >> 31)
  }
}
