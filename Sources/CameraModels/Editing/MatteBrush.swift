// The brush that corrects the matte of the person in a picture.

import Foundation
import PhotoEffects

/// The kind of strokes that the brush makes.
public struct MatteBrush: Sendable, Equatable {
  public internal(set) var mode = MatteStroke.Mode.add
  /// In parts of the longer side of the picture before its geometry.
  public internal(set) var radius = 0.03

  /// The radii that can be chosen: from hair to heads.
  public static let radii = 0.004...0.15
  /// From one radius to the next with keys: each is a quarter larger.
  static let step = 1.25

  /// The place of the radius among those that can be chosen, 0…1: each step is larger by the same factor.
  public var size: Double {
    get { log(radius / Self.radii.lowerBound) / log(Self.radii.upperBound / Self.radii.lowerBound) }
    set {
      let held = newValue.isFinite ? min(max(0, newValue), 1) : 0
      radius = Self.radii.lowerBound * pow(Self.radii.upperBound / Self.radii.lowerBound, held)
    }
  }

  /// Makes it larger, or smaller for negative steps.
  mutating func resize(by steps: Int) {
    let new = radius * pow(Self.step, Double(steps))
    radius = min(max(Self.radii.lowerBound, new), Self.radii.upperBound)
  }
}
