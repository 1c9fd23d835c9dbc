// Random numbers that differ from run to run and can be repeated.

import Foundation
import TestSupport
import Testing

/// Numbers from a random seed, which is printed with the test's name; the environment variable `PHOTOME_SEED` repeats a
/// run.
struct RandomNumbers: RandomNumberGenerator {
  private var numbers: SeededNumbers

  init() {
    let given = ProcessInfo.processInfo.environment["PHOTOME_SEED"].flatMap { UInt64($0) }
    let seed = given ?? .random(in: .min ... .max)
    print("\(Test.current?.name ?? "a test"): PHOTOME_SEED=\(seed)")
    numbers = SeededNumbers(state: seed)
  }

  mutating func next() -> UInt64 { numbers.next() }
}
