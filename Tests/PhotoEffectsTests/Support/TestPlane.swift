// A plane that owns its numbers, and plain implementations of the kernels.

import Foundation
import TestSupport

@testable import PhotoEffects

struct TestPlane {
  var values: [Float]
  let width: Int
  let height: Int

  init(width: Int, height: Int, _ value: (_ x: Int, _ y: Int) -> Double = { _, _ in 0 }) {
    self.width = width
    self.height = height
    values = (0..<width * height).map { Float(value($0 % width, $0 / width)) }
  }

  /// Numbers from 0 to 1 without any order, over a soft hill.
  static func uneven(width: Int, height: Int, seed: UInt64) -> TestPlane {
    var numbers = SeededNumbers(state: seed)
    return TestPlane(width: width, height: height) { x, y in
      0.5 * numbers.fraction() + 0.5 * Double(x + y) / Double(width + height)
    }
  }

  mutating func lend<Result>(_ body: (FloatPlane) -> Result) -> Result {
    let (width, height) = (width, height)
    return values.withUnsafeMutableBufferPointer {
      body(FloatPlane(values: $0.baseAddress!, width: width, height: height))
    }
  }

  /// The number at a place, or at the nearest one inside.
  func at(_ x: Int, _ y: Int) -> Double {
    Double(values[min(max(y, 0), height - 1) * width + min(max(x, 0), width - 1)])
  }

  /// Linear interpolation between four numbers.
  func between(_ x: Double, _ y: Double) -> Double {
    let (left, top) = (Int(floor(x)), Int(floor(y)))
    let (dx, dy) = (x - floor(x), y - floor(y))
    return at(left, top) * (1 - dx) * (1 - dy) + at(left + 1, top) * dx * (1 - dy) + at(left, top + 1) * (1 - dx) * dy
      + at(left + 1, top + 1) * dx * dy
  }

  func map(_ change: (_ x: Int, _ y: Int) -> Double) -> TestPlane { TestPlane(width: width, height: height, change) }

  /// The largest difference to another plane.
  func largestDifference(to other: TestPlane) -> Float {
    zip(values, other.values).map { abs($0 - $1) }.max() ?? .infinity
  }

  /// Smoothed with a bell curve by its formula: a sum along the rows of sums down the columns.
  func blurred(sigma: Double, radius: Int) -> TestPlane {
    guard radius > 0 else { return self }
    let weights = (-radius...radius).map { exp(-Double($0 * $0) / (2 * sigma * sigma)) }
    let total = weights.reduce(0, +)
    let columns = map { x, y in
      (-radius...radius).reduce(0.0) { $0 + weights[$1 + radius] * at(x, y + $1) } / total
    }
    return columns.map { x, y in
      (-radius...radius).reduce(0.0) { $0 + weights[$1 + radius] * columns.at(x + $1, y) } / total
    }
  }
}
