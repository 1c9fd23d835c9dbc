// Polynomial approximation of smooth functions, for vectorized loops.

import Foundation

/// A polynomial on 0…1 that approximates a smooth function, fitted at Chebyshev points (L. N. Trefethen, “Approximation
/// Theory and Approximation Practice”, chapters 3 and 8).
struct Polynomial: Sendable {
  /// Of the powers of `t = 2x − 1`, the highest first.
  private(set) var coefficients: [Float]

  /// - Parameters:
  ///   - smallest: Chebyshev coefficients below this at the end of the series are dropped.
  ///   - function: Sampled at 32 points of 0…1.
  init(smallest: Double = 2e-6, of function: (Double) -> Double) {
    let count = 32
    let angles = (0..<count).map { .pi * (Double($0) + 0.5) / Double(count) }
    let values = angles.map { function((cos($0) + 1) / 2) }
    var series = (0..<count).map { order -> Double in
      let sum = zip(angles, values).reduce(0) { $0 + $1.1 * cos(Double(order) * $1.0) }
      return sum * (order == 0 ? 1 : 2) / Double(count)
    }
    while series.count > 1, abs(series[series.count - 1]) < smallest { series.removeLast() }
    // Chebyshev polynomials in powers of t: T₀ = 1, T₁ = t, Tₙ₊₁ = 2t Tₙ − Tₙ₋₁.
    var powers = [Double](repeating: 0, count: series.count)
    var before = [1.0]
    var now = [0.0, 1.0]
    powers[0] = series[0]
    for order in 1..<max(1, series.count) {
      for (power, factor) in now.enumerated() { powers[power] += series[order] * factor }
      var next = [0.0] + now.map { 2 * $0 }
      for (power, factor) in before.enumerated() { next[power] -= factor }
      (before, now) = (now, next)
    }
    coefficients = powers.reversed().map { Float($0) }
  }

  /// Eight values at once, by Horner's rule.
  @inline(__always)
  static func evaluate(_ coefficients: UnsafeBufferPointer<Float>, at x: SIMD8<Float>) -> SIMD8<Float> {
    let t = x * 2 - 1
    var sum = SIMD8<Float>(repeating: coefficients[0])
    for index in 1..<max(1, coefficients.count) { sum = sum * t + coefficients[index] }
    return sum
  }
}
