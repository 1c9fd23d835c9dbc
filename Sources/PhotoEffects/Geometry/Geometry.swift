// The geometry of an edit: turn, flip, straighten, crop.

import CameraCore
import Foundation

/// The geometry of an edit, applied in the order turn, flip, straighten, crop. The neutral one changes nothing.
public struct Geometry: Sendable, Hashable {
  /// A clockwise turn; the raw value is in degrees.
  public enum Turn: Int, CaseIterable, Sendable, Hashable {
    case none = 0
    case right = 90
    case upsideDown = 180
    case left = 270

    /// - Throws: `RecipeError.badTurn` unless it is 0, 90, 180 or 270.
    public init(degrees: Int) throws {
      guard let turn = Self(rawValue: degrees) else { throw RecipeError.badTurn(degrees) }
      self = turn
    }

    /// The sum of two turns.
    public static func + (first: Turn, second: Turn) -> Turn {
      Turn(rawValue: (first.rawValue + second.rawValue) % 360) ?? .none
    }
  }

  /// A part of the picture after turning, flipping and straightening: 0 is its left or top edge, 1 its right or bottom.
  public struct Crop: Sendable, Hashable {
    public var x: Double
    public var y: Double
    public var width: Double
    public var height: Double

    public init(x: Double, y: Double, width: Double, height: Double) {
      self.x = x
      self.y = y
      self.width = width
      self.height = height
    }

    /// All of it.
    public static let full = Crop(x: 0, y: 0, width: 1, height: 1)

    /// - Throws: `RecipeError.badCrop` when it has no area, leaves the picture, or has a value that is not a number.
    public func validate() throws {
      // Adding two decimal fractions may exceed 1 by a rounding error.
      let end = 1 + 1e-9
      guard x >= 0, y >= 0, width > 0, height > 0, x + width <= end, y + height <= end else {
        throw RecipeError.badCrop
      }
    }
  }

  public var turn = Turn.none
  /// Whether left and right are swapped, after the turn.
  public var isFlipped = false
  /// Degrees, −45…45, clockwise. The result is the largest upright rectangle of the picture's aspect ratio without empty
  /// corners.
  public var straighten = 0.0
  public var crop = Crop.full

  public init() {}

  public var isNeutral: Bool { self == Geometry() }

  /// The range of `straighten`.
  public static let straightenRange = -45.0...45.0

  /// - Throws: `RecipeError.outOfRange` or `.badCrop`.
  public func validate() throws {
    try RecipeError.check(straighten, in: Self.straightenRange, name: "straighten")
    try crop.validate()
  }

  /// Turns the displayed picture by 90 degrees clockwise, its crop included.
  public mutating func turnRight() {
    // The flip comes after the turn, and reverses it.
    turn = turn + (isFlipped ? .left : .right)
    crop = Crop(x: 1 - crop.y - crop.height, y: crop.x, width: crop.height, height: crop.width).tidied
  }

  /// Turns the displayed picture by 90 degrees counterclockwise, its crop included.
  public mutating func turnLeft() {
    turn = turn + (isFlipped ? .right : .left)
    crop = Crop(x: crop.y, y: 1 - crop.x - crop.width, width: crop.height, height: crop.width).tidied
  }

  /// Flips the displayed picture, its crop included.
  public mutating func flip() {
    isFlipped.toggle()
    straighten = straighten == 0 ? 0 : -straighten
    crop = Crop(x: 1 - crop.x - crop.width, y: crop.y, width: crop.width, height: crop.height).tidied
  }
}

extension Geometry.Crop {
  /// The crop without negative rounding errors.
  fileprivate var tidied: Self {
    var crop = self
    crop.x = max(0, crop.x)
    crop.y = max(0, crop.y)
    return crop
  }
}
