// Automatic enhancement: measured light, color and tilt as values of a recipe.

import CameraCore
import Foundation

/// The values that one press of Auto sets.
///
///     let auto = AutoEnhancement(measuring: original)
///     let better = auto.applied(to: recipe)
///     auto.applied(to: better) == better          // it is measured on the original, and sets, but adds nothing
///
/// Each rule is a range that good pictures are in, and moves a picture that is outside just to the edge of it: a good picture
/// stays as it is, and the result of an enhancement is a good picture. Limits keep it a correction: what was taken at night stays
/// a night, and the light of an evening stays warm.
public struct AutoEnhancement: Sendable, Hashable {
  /// The values of `keyPaths`; all others are 0.
  public let adjustments: Adjustments
  /// The clockwise tilt of the picture before it is turned or flipped, in degrees, −8…8; 0 where none was found.
  public let tilt: Double

  /// The adjustments that it sets. Sharpness and vignette are a matter of taste.
  // Proof: key paths to stored properties of a value hold nothing.
  nonisolated(unsafe) static let keyPaths: [WritableKeyPath<Adjustments, Double>] = [
    \.exposure, \.contrast, \.brightness, \.highlights, \.shadows, \.saturation, \.warmth, \.tint,
  ]

  /// The longest side of the picture that is measured, in pixels. More detail makes no difference to light and color, and half a
  /// degree is four pixels there.
  public static let side = 512

  /// Smaller values can't be seen, and are left out.
  private static let leastValue = 0.02

  /// Measures a picture.
  ///
  /// - Parameter picture: The untouched original, upright, of any size; of a live photo its key photo, of a video its first frame.
  public init(measuring picture: DecodedImage) {
    let sample = PictureSample(picture)
    var values = LightRules(sample).adjustments
    let cast = ColorCast(sample)
    (values.warmth, values.tint) = (cast.warmth, cast.tint)
    values.saturation = cast.saturation
    for keyPath in Self.keyPaths {
      let rounded = (values[keyPath: keyPath] * 100).rounded() / 100
      values[keyPath: keyPath] = abs(rounded) < Self.leastValue ? 0 : rounded
    }
    adjustments = values
    tilt = TiltMeasurement(sample).tilt
  }

  /// Whether it changes nothing: the picture is good as it is.
  public var isNeutral: Bool { adjustments.isNeutral && tilt == 0 }

  /// A recipe with the measured values. A picture that somebody has cropped or straightened keeps that.
  public func applied(to recipe: AdjustmentRecipe) -> AdjustmentRecipe {
    var result = recipe
    for keyPath in Self.keyPaths { result.adjustments[keyPath: keyPath] = adjustments[keyPath: keyPath] }
    if tilt != 0, recipe.geometry.straighten == 0, recipe.geometry.crop == .full {
      result.geometry.straighten = straighten(in: recipe.geometry)
    }
    return result
  }

  /// Whether a recipe has the measured values, and they are a change.
  public func isApplied(to recipe: AdjustmentRecipe) -> Bool {
    guard !isNeutral, applied(to: recipe) == recipe else { return false }
    return !adjustments.isNeutral || recipe.geometry.straighten == straighten(in: recipe.geometry)
  }

  /// A recipe without the measured values.
  ///
  /// - Parameter before: The values from before they were applied; those that it sets are taken from there.
  public func removed(from recipe: AdjustmentRecipe, before: AdjustmentRecipe) -> AdjustmentRecipe {
    var result = recipe
    for keyPath in Self.keyPaths { result.adjustments[keyPath: keyPath] = before.adjustments[keyPath: keyPath] }
    if tilt != 0, recipe.geometry.straighten == straighten(in: recipe.geometry) {
      result.geometry.straighten = before.geometry.straighten
    }
    return result
  }

  /// The straightening that takes the tilt back, in degrees. A flip, which comes before it, reverses the tilt; a turn doesn't.
  private func straighten(in geometry: Geometry) -> Double { geometry.isFlipped ? tilt : -tilt }
}
