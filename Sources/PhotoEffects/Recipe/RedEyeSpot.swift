// A pupil that a flash has made red, as a value of a recipe.

import Foundation

/// A spot of the untouched, upright picture in which red is taken out.
public struct RedEyeSpot: Sendable, Hashable {
  /// The center, in parts of the picture's width and height.
  public var x: Double
  public var y: Double
  /// In parts of the picture's longer side.
  public var radius: Double

  /// Pupils are smaller.
  public static let radiusRange = 0.0001...0.25
  /// The most spots of a picture: a group of fifty.
  public static let most = 100

  public init(x: Double, y: Double, radius: Double) { (self.x, self.y, self.radius) = (x, y, radius) }

  /// - Throws: `RecipeError.outOfRange`.
  func validate() throws {
    try RecipeError.check(x, in: 0...1, name: "redEye.x")
    try RecipeError.check(y, in: 0...1, name: "redEye.y")
    try RecipeError.check(radius, in: Self.radiusRange, name: "redEye.radius")
  }
}

extension [RedEyeSpot] {
  /// - Throws: `RecipeError.outOfRange`.
  func validate() throws {
    try RecipeError.check(Double(count), in: 0...Double(RedEyeSpot.most), name: "redEye")
    for spot in self { try spot.validate() }
  }
}

/// As `{ "radius" : 0.004, "x" : 0.41, "y" : 0.3 }`, without other keys.
extension RedEyeSpot: Codable {
  private enum Key: String, CaseIterable { case radius, x, y }

  /// - Throws: `RecipeError.unknownKeys`, or a `DecodingError`.
  public init(from decoder: any Decoder) throws {
    let values = try StrictValues<Key>(decoder)
    self.init(
      x: try values.required(.x, Double.self), y: try values.required(.y, Double.self),
      radius: try values.required(.radius, Double.self))
  }

  public func encode(to encoder: any Encoder) throws {
    var values = encoder.container(keyedBy: AnyKey.self)
    try values.encode(x, forKey: AnyKey(Key.x))
    try values.encode(y, forKey: AnyKey(Key.y))
    try values.encode(radius, forKey: AnyKey(Key.radius))
  }
}
