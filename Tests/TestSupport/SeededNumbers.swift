// Random numbers for tests, repeatable by their seed.

import Foundation

/// SplitMix64 (Steele, Lea, Flood: “Fast Splittable Pseudorandom Number Generators”, 2014).
///
///     var numbers = SeededNumbers(state: 7)    // the same in every run
///     var others = SeededNumbers.fresh()       // others in every run; prints the seed
public struct SeededNumbers: RandomNumberGenerator, Sendable {
  /// The environment variable that repeats a run of `fresh()`.
  public static let variable = "PHOTOME_TEST_SEED"

  private var state: UInt64

  /// - Parameter state: The seed.
  public init(state: UInt64) { self.state = state }

  /// Numbers that differ from run to run. Their seed is printed, with how to repeat them.
  public static func fresh(_ test: String = #function) -> SeededNumbers {
    let given = ProcessInfo.processInfo.environment[variable].flatMap(UInt64.init)
    let seed = given ?? .random(in: 0 ... .max)
    print("\(test): \(variable)=\(seed) repeats its numbers")
    return SeededNumbers(state: seed)
  }

  public mutating func next() -> UInt64 {
    state &+= 0x9e37_79b9_7f4a_7c15
    var mixed = state
    mixed = (mixed ^ (mixed >> 30)) &* 0xbf58_476d_1ce4_e5b9
    mixed = (mixed ^ (mixed >> 27)) &* 0x94d0_49bb_1331_11eb
    return mixed ^ (mixed >> 31)
  }

  /// From 0 up to 1, without 1.
  public mutating func fraction() -> Double { Double(next() >> 11) / 9_007_199_254_740_992 }

  /// Around 0 with a standard deviation of 1, as a camera's noise: the sum of twelve uniform numbers.
  public mutating func bell() -> Double {
    let bits = (next(), next(), next())
    var sum = -6.0
    for word in [bits.0, bits.1, bits.2] {
      for shift in [UInt64(0), 16, 32, 48] { sum += (Double(word >> shift & 0xffff) + 0.5) / 65536 }
    }
    return sum
  }
}
