// The mirror room's distortions, each with its formula.

import Foundation

/// A radially symmetric distortion about the middle of the picture.
///
/// Each is an inverse mapping from a pixel at the offset `d` from the middle to its source. With `ρ = |d| / R` the source's
/// offset is `d` rotated by an angle and multiplied by a scale, both functions of `ρ²`; outside `ρ < 1` nothing moves. `i` is the intensity; at 0 every formula is the identity. The formulas are the
/// usual ones of image warping (G. Wolberg, “Digital Image Warping”, 1990, chapters 3 and 7), with the weight `(1 − ρ²)²`,
/// which is smooth both at the rim and in the middle.
public enum Distortion: String, CaseIterable, Sendable, Hashable {
  /// A magnifying lens: scale `1 − 0.6 i (1 − ρ²)²`; the middle is 2.5 times as large. R: 0.62 of the shorter side.
  case bulge
  /// The opposite: scale `1 + i (1 − ρ²)²`; the middle is half as large. R: half the shorter side, so
  /// that no source is outside the picture.
  case pinch
  /// A whirl: turned by `0.9 π i (1 − ρ²)²`. R: 0.62 of the shorter side.
  case twirl
  /// A fisheye lens, which images the angle `θ` at `f θ` instead of `f tan θ`: scale `tan(ρφ) / (ρ tan φ)`, `φ = 1.2 i`.
  /// R: half the diagonal, so that the corners stay and no source is outside the picture.
  case fisheye

  /// The radius beyond which nothing moves, in pixels.
  func radius(width: Double, height: Double) -> Double {
    switch self {
    case .bulge, .twirl: max(0.62 * min(width, height), 1)
    case .pinch: max(min(width, height) / 2, 1)
    case .fisheye: max((width * width + height * height).squareRoot() / 2, 1)
    }
  }

  /// The complex factor of the offset from the middle: its absolute value is the scale, its argument the rotation.
  ///
  /// - Parameters:
  ///   - square: `ρ²`, 0 to 1.
  ///   - intensity: 0 to 1.
  func factor(square: Double, intensity: Double) -> (real: Double, imaginary: Double) {
    let weight = (1 - square) * (1 - square)
    switch self {
    case .bulge: return (1 - 0.6 * intensity * weight, 0)
    case .pinch: return (1 + intensity * weight, 0)
    case .twirl:
      let angle = 0.9 * Double.pi * intensity * weight
      return (cos(angle), sin(angle))
    case .fisheye:
      let widest = 1.2 * intensity
      let rho = square.squareRoot()
      guard widest > 1e-6 else { return (1, 0) }
      return rho < 1e-6 ? (widest / tan(widest), 0) : (tan(rho * widest) / (rho * tan(widest)), 0)
    }
  }
}
