// The formulas of the adjustments, one value at a time.

import Foundation

/// The effect of each adjustment on light and color. Values are sRGB, 0 to 1, and may exceed 1 on the way: `highlights`
/// recovers what exposure pushed past white.
///
/// In this order: exposure, warmth and tint are factors in linear light; brightness and contrast are curves of each
/// channel; saturation is a matrix; shadows and highlights multiply all three channels by a factor that depends on the pixel's
/// brightness, so that hues stay.
struct ToneFormulas: Sendable {
  let adjustments: Adjustments
  /// Factors of red, green and blue in linear light.
  let gains: [Double]

  init(_ adjustments: Adjustments) {
    self.adjustments = adjustments
    // White balance: full warmth moves red and blue apart by 0.7 stops, full tint green from the two by 0.6; then scaled so
    // that gray keeps its brightness.
    let balance = [
      0.35 * adjustments.warmth + 0.2 * adjustments.tint, -0.4 * adjustments.tint,
      -0.35 * adjustments.warmth + 0.2 * adjustments.tint,
    ].map { exp2($0) }
    let brightness = zip(balance, ColorTransform.luma709).reduce(0) { $0 + $1.0 * $1.1 }
    gains = balance.map { $0 / brightness * exp2(adjustments.exposure) }
  }

  /// Exposure, warmth, tint, brightness and contrast.
  ///
  /// Brightness `b` is the power `2^(−0.8 b)`. More contrast `c` is `ColorTransform.contrast` with the amount `0.8 c`; less
  /// contrast moves toward middle gray: `½ + (1 − 0.5 |c|)(x − ½)`.
  ///
  /// - Parameter channel: 0 is red.
  func curve(_ value: Double, channel: Int) -> Double {
    let gain = gains[channel]
    // Without a change the value stays the same to the last bit.
    let exposed = gain == 1 ? value : ToneCurve.encoded(ToneCurve.linear(value) * gain)
    let bright = adjustments.brightness == 0 ? exposed : pow(exposed, exp2(-0.8 * adjustments.brightness))
    let contrast = adjustments.contrast
    if contrast == 0 { return bright }
    return contrast > 0 ? ColorTransform.contrast(bright, 0.8 * contrast) : 0.5 + (1 + 0.5 * contrast) * (bright - 0.5)
  }

  var saturation: [[Double]] { ColorTransform.saturation(1 + adjustments.saturation) }

  /// The factor of shadows and highlights for a pixel's brightness.
  ///
  /// - Shadows `s`: `1 + 1.3 s (1 − y/0.6)²` below 0.6 (0.8 instead of 1.3 for darker shadows).
  /// - Highlights `h`: `1 + 0.28 h · smoothstep(t)`, where `t` goes from 0 to 1 while `y` goes from 0.45 to 1.
  ///
  /// The factors are chosen so that the order of brightness is kept.
  func gain(brightness y: Double) -> Double {
    let shadows = adjustments.shadows * (adjustments.shadows > 0 ? 1.3 : 0.8)
    let dark = max(0, 1 - max(0, y) / 0.6)
    let t = min(max((y - 0.45) / 0.55, 0), 1)
    return (1 + shadows * dark * dark) * (1 + 0.28 * adjustments.highlights * t * t * (3 - 2 * t))
  }

  /// The factor of the vignette for a pixel: `1 − 0.75 v · smoothstep(d²)` for darker corners, `1 + 0.5 |v| · …` for lighter
  /// ones, with `smoothstep(u) = u² (3 − 2u)`; `d` is the distance from the middle, 1 in the corners.
  ///
  /// - Parameter square: `d²`.
  static func vignette(_ amount: Double, square: Double) -> Double {
    1 - vignetteDepth(amount) * square * square * (3 - 2 * square)
  }

  /// The share of light that the vignette takes from the corners.
  static func vignetteDepth(_ amount: Double) -> Double { (amount > 0 ? 0.75 : 0.5) * amount }

  /// Everything up to the vignette for one color, red first, clamped to 0…1.
  func callAsFunction(_ color: [Double], square: Double) -> [Double] {
    let curved = (0..<3).map { curve(color[$0], channel: $0) }
    let saturated = saturation.map { row in zip(row, curved).reduce(0) { $0 + $1.0 * $1.1 } }
    let y = zip(ColorTransform.luma709, curved).reduce(0) { $0 + $1.0 * $1.1 }
    let factor = gain(brightness: y) * Self.vignette(adjustments.vignette, square: square)
    return saturated.map { min(max($0 * factor, 0), 1) }
  }
}
