// Random numbers for tests, the same in every run, so that a failure can be repeated.

/// SplitMix64: the same numbers in every run.
public struct SeededNumbers: RandomNumberGenerator {
  public var state: UInt64

  public init(state: UInt64) { self.state = state }

  public mutating func next() -> UInt64 {
    state &+= 0x9e37_79b9_7f4a_7c15
    var mixed = state
    mixed = (mixed ^ (mixed >> 30)) &* 0xbf58_476d_1ce4_e5b9
    mixed = (mixed ^ (mixed >> 27)) &* 0x94d0_49bb_1331_11eb
    return mixed ^ (mixed >> 31)
  }

  /// From 0 to 1, without 1.
  public mutating func fraction() -> Double { Double(next() >> 11) / 9_007_199_254_740_992 }

  /// Near 0, as the noise of a camera is: the sum of twelve even numbers has a standard deviation of 1.
  public mutating func bell() -> Double {
    let bits = (next(), next(), next())
    var sum = -6.0
    for word in [bits.0, bits.1, bits.2] {
      for shift in [UInt64(0), 16, 32, 48] { sum += (Double(word >> shift & 0xffff) + 0.5) / 65536 }
    }
    return sum
  }
}
