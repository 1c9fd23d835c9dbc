// Color changes of single pixels, as formulas.

import Foundation

/// Curves, a matrix, and curves: enough for tinted monochromes, palettes, white balance, saturation and contrast.
///
/// For the sRGB values `r`, `g`, `b`, 0 to 1, the result is
///
///     out[o] = after[o]( Σ matrix[o][i] · before[i](in[i]) )     clamped to 0…1
///
/// with the channels in the order red, green, blue.
struct ColorTransform: Sendable {
  typealias Curve = @Sendable (Double) -> Double

  var before: [Curve] = [{ $0 }, { $0 }, { $0 }]
  var matrix: [[Double]] = [[1, 0, 0], [0, 1, 0], [0, 0, 1]]
  var after: [Curve] = [{ $0 }, { $0 }, { $0 }]

  /// The same curve for every channel.
  static func same(_ curve: @escaping Curve) -> [Curve] { [curve, curve, curve] }

  /// The luma weights of ITU-R BT.709, applied to encoded values as in video.
  static let luma709 = [0.2126, 0.7152, 0.0722]

  /// Moves colors away from gray or toward it: `luma + amount · (color − luma)`; 1 changes nothing, 0 is gray.
  static func saturation(_ amount: Double) -> [[Double]] {
    (0..<3).map { out in
      (0..<3).map { input in luma709[input] * (1 - amount) + (out == input ? amount : 0) }
    }
  }

  /// One weighted sum for all three channels, tinted by the curves after it.
  static func monochrome(_ weights: [Double]) -> [[Double]] { [weights, weights, weights] }

  /// A contrast curve with fixed ends: `x − amount · sin(2πx) / 2π`. The slope is `1 + amount` in the middle and
  /// `1 − amount` at the ends, so the curve is monotonic for amounts from −1 to 1. Linear outside 0…1.
  static func contrast(_ x: Double, _ amount: Double) -> Double {
    if x < 0 { return x * (1 - amount) }
    if x > 1 { return 1 + (x - 1) * (1 - amount) }
    return x - amount * sin(2 * .pi * x) / (2 * .pi)
  }

  /// A color gradient as three curves.
  ///
  /// - Parameter stops: Ascending positions from 0 to 1, with `0xRRGGBB` colors; linear in between.
  static func gradient(_ stops: [(at: Double, color: UInt32)]) -> [Curve] {
    [16, 8, 0].map { shift in
      let points = stops.map { (at: $0.at, value: Double($0.color >> UInt32(shift) & 255) / 255) }
      return { x in
        guard x > points[0].at else { return points[0].value }
        for (left, right) in zip(points, points.dropFirst()) where x <= right.at {
          return left.value + (right.value - left.value) * (x - left.at) / (right.at - left.at)
        }
        return points[points.count - 1].value
      }
    }
  }

  /// The formula itself for one color; `ColorTables` is its fast form.
  func callAsFunction(_ color: [Double]) -> [Double] {
    let curved = (0..<3).map { before[$0](color[$0]) }
    return (0..<3).map { out in
      let sum = (0..<3).reduce(0) { $0 + matrix[out][$1] * curved[$1] }
      return min(max(after[out](sum), 0), 1)
    }
  }
}
