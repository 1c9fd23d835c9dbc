// The colors of skin: those of the faces in a picture, or of anybody.

import CameraCore
import Foundation

/// How much a color is one of skin, learned from one face.
///
/// Colors are u = ln((R + 8) / (G + 8)), v = ln((G + 8) / (B + 8)), which light and shadow leave alone, and l = ln(Y + 8), which
/// tells skin from hair of the same hue (0…255; Y by BT.601). Skin of any color is a normal distribution of each in the light of
/// one picture. 8 keeps the noise of dark colors small.
struct SkinColors: Sendable, Hashable {
  /// The least deviations of u and v, and of l: the rest of a body is lit otherwise than the face.
  static let (leastSpread, leastLightSpread) = (0.045, 0.3)
  /// The most: a face whose colors are spread more is lit in colors, or isn't skin alone.
  static let (mostSpread, mostLightSpread) = (0.15, 0.6)
  /// Deviations up to which a color is skin, and from which on it isn't.
  static let limits = 2.0...3.2
  /// The part of a face's box in which it is skin mostly, in parts of the box from its center.
  static let part = (across: 0.3, down: 0.35)
  /// The least pixels that can be learned from.
  static let leastCount = 12

  private let mean: SIMD3<Double>
  private let spread: SIMD3<Double>

  /// u, v and l of a color of 0…255.
  static func coordinates(_ color: SIMD3<Double>) -> SIMD3<Double> {
    let light = (color * SIMD3(0.299, 0.587, 0.114)).sum()
    return SIMD3(log((color.x + 8) / (color.y + 8)), log((color.y + 8) / (color.z + 8)), log(light + 8))
  }

  /// Learns from colors of a face, of which eyes, brows, lips, a beard and glints may be among: what is far from the median is
  /// left out.
  ///
  /// - Parameter colors: 0…255.
  /// - Returns: `nil` for too few.
  init?(learningFrom colors: [SIMD3<Double>]) {
    guard colors.count >= Self.leastCount else { return nil }
    let points = colors.map(Self.coordinates)
    func middle(_ numbers: [Double]) -> Double { numbers.sorted()[numbers.count / 2] }
    let values = (0..<3).map { axis in
      let numbers = points.map { $0[axis] }
      let center = middle(numbers)
      // The median of the distances is 0.67 deviations of a normal distribution, and outliers don't move it.
      return (center, middle(numbers.map { abs($0 - center) }) / 0.67)
    }
    mean = SIMD3(values[0].0, values[1].0, values[2].0)
    spread = SIMD3(values[0].1, values[1].1, values[2].1)
      .clamped(
        lowerBound: SIMD3(Self.leastSpread, Self.leastSpread, Self.leastLightSpread),
        upperBound: SIMD3(Self.mostSpread, Self.mostSpread, Self.mostLightSpread))
  }

  /// From 0, no skin, to 1.
  ///
  /// - Parameter color: 0…255.
  func likelihood(_ color: SIMD3<Double>) -> Double {
    let way = (Self.coordinates(color) - mean) / spread
    let distance = (way * way).sum().squareRoot()
    return max(0, min(1, (Self.limits.upperBound - distance) / (Self.limits.upperBound - Self.limits.lowerBound)))
  }

  /// The same for skin of anybody: a rectangle of Cb and Cr, the same for dark and for light skin, with soft borders.
  ///
  /// Source: D. Chai, K. N. Ngan, “Face Segmentation Using Skin-Color Map in Videophone Applications”, 1999: Cb 77…127 and Cr
  /// 133…173 (BT.601).
  static func genericLikelihood(_ color: SIMD3<Double>) -> Double {
    let blue = 128 + (color * SIMD3(-0.1687, -0.3313, 0.5)).sum()
    let red = 128 + (color * SIMD3(0.5, -0.4187, -0.0813)).sum()
    func inside(_ value: Double, _ range: ClosedRange<Double>) -> Double {
      max(0, min(1, (value - range.lowerBound) / 4 + 0.5, (range.upperBound - value) / 4 + 0.5))
    }
    return inside(blue, 77...127) * inside(red, 133...173)
  }
}
