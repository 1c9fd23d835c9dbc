// The rules for a picture's color: its cast, and how colorful it is.

import Foundation

/// Warmth, tint and saturation of an enhancement.
///
/// The color of the light is estimated by shades of gray: the Minkowski norm with p = 6 of each channel's linear light (Finlayson and
/// Trezzi, “Shades of Gray and Colour Constancy”, 2004). Only pixels that may be gray under a cast take part, so that a sunset, a
/// face or a meadow isn't taken for the light: neither clipped nor dark, and of little saturation (skin is above, mostly). They are
/// chosen again around the gray that was found, as by Huo et al., “Robust Automatic White Balance Algorithm Using Gray Color
/// Points in Images”, 2006: the first choice is one-sided under a cast. Where there are few of them nothing is known, and nothing
/// is changed.
struct ColorCast {
  private(set) var warmth = 0.0
  private(set) var tint = 0.0
  private(set) var saturation = 0.0

  /// The largest (max − min) / max of a pixel that may be gray, in linear light, for each choice: an overcast sky makes 0.35 of
  /// gray, skin of any color has 0.6 and more.
  private static let mostSaturated: [Float] = [0.55, 0.35, 0.35]
  /// The least part of the picture that they are.
  private static let leastShare = 0.1
  /// What is left of a cast. More where it is warm: that is how evenings, candles and skin look.
  private static let (coldRest, warmRest, tintRest) = (0.1, 0.3, 0.1)
  /// The limits of the correction.
  private static let (mostWarmth, leastWarmth, mostTint) = (0.6, -0.25, 0.3)
  /// Below, a picture is gray on purpose; above, it is colorful enough. The mean of (max − min) / max, linear.
  private static let paleRange = 0.06...0.2
  private static let mostSaturation = 0.25

  init(_ sample: PictureSample) {
    let floor = Float(max(0.03, 0.25 * sample.percentile(0.995)))
    let light = (0...255).map { Float(ToneCurve.linear(Double($0) / 255)) }
    func linear(_ color: SIMD3<Float>) -> SIMD3<Float> {
      SIMD3(light[Int(color.x * 255 + 0.5)], light[Int(color.y * 255 + 0.5)], light[Int(color.z * 255 + 0.5)])
    }
    let lit = zip(sample.colors, sample.brightness).filter { $1 >= floor }.map(\.0)
    guard !lit.isEmpty else { return }
    let grays = lit.filter { $0.max() < 0.98 }.map(linear)
    let least = Self.leastShare * Double(sample.colors.count)
    var gains = SIMD3<Double>(repeating: 1)
    var count = 0
    for mostSaturated in Self.mostSaturated {
      let scale = SIMD3<Float>(gains)
      var sums = SIMD3<Double>()
      count = 0
      for color in grays {
        let balanced = color * scale
        let highest = balanced.max()
        guard highest - balanced.min() <= mostSaturated * highest else { continue }
        count += 1
        let cube = color * color * color
        sums += SIMD3<Double>(cube * cube)
      }
      guard Double(count) >= least, sums.min() > 0 else { break }
      let logarithms = SIMD3(log2(sums.x), log2(sums.y), log2(sums.z)) / -6
      let centered = logarithms - logarithms.sum() / 3
      gains = SIMD3(exp2(centered.x), exp2(centered.y), exp2(centered.z))
    }
    if Double(count) >= least {
      let stops = SIMD3(log2(gains.x), log2(gains.y), log2(gains.z))
      // The inverse of the balance in `ToneFormulas`.
      warmth = Self.correction(
        (stops.x - stops.z) / 0.7, rest: (Self.warmRest, Self.coldRest), limits: Self.leastWarmth...Self.mostWarmth)
      tint = Self.correction(
        stops.y / -0.4, rest: (Self.tintRest, Self.tintRest), limits: -Self.mostTint...Self.mostTint)
    }
    saturate(lit.map(linear))
  }

  /// - Parameter rest: What is left of negative and of positive casts.
  private static func correction(
    _ whole: Double, rest: (negative: Double, positive: Double), limits: ClosedRange<Double>
  ) -> Double {
    let part = whole < 0 ? min(0, whole + rest.negative) : max(0, whole - rest.positive)
    return min(max(part, limits.lowerBound), limits.upperBound)
  }

  /// Pale pictures, measured without their cast, become somewhat more colorful.
  ///
  /// - Parameter colors: Linear.
  private mutating func saturate(_ colors: [SIMD3<Float>]) {
    var balance = Adjustments()
    (balance.warmth, balance.tint) = (warmth, tint)
    let gains = SIMD3(ToneFormulas(balance).gains.map { Float($0) })
    var sum = 0.0
    for color in colors {
      let balanced = color * gains
      let highest = balanced.max()
      if highest > 0 { sum += Double((highest - balanced.min()) / highest) }
    }
    let mean = sum / Double(colors.count)
    guard Self.paleRange.contains(mean) else { return }
    saturation = min(Self.mostSaturation, Self.paleRange.upperBound / mean - 1)
  }
}
