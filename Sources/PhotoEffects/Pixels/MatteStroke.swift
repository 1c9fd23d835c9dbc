// Strokes of a brush by which a person corrects a matte.

/// One stroke of a brush with a soft edge, over the matte of a picture.
public struct MatteStroke: Sendable, Hashable {
  /// The change of what is under the brush. The raw values are names in recipes; they are permanent once released.
  public enum Mode: String, CaseIterable, Sendable, Hashable {
    /// It belongs to the person.
    case add
    /// It belongs to the background.
    case remove
  }

  /// A place in the picture before its geometry, in parts of its width and height from the upper left corner. Strokes may
  /// leave the picture.
  public struct Point: Sendable, Hashable {
    /// Whole numbers, in units of `unit`.
    let column: Int32
    let row: Int32

    /// The smallest distance between two places: an eighth of a pixel in a preview, half a pixel in the picture of a phone.
    static let unit = 1.0 / Double(most)
    /// The right or lower border.
    static let most: Int32 = 10_000
    /// From half a picture before its left or upper border to half a picture behind the other one.
    static let range: ClosedRange<Int32> = -5_000...15_000

    public var x: Double { Double(column) * Self.unit }
    public var y: Double { Double(row) * Self.unit }

    /// - Parameters:
    ///   - x: Rounded to a ten-thousandth, and held in −0.5…1.5.
    ///   - y: As `x`.
    public init(x: Double, y: Double) {
      func number(_ value: Double) -> Int32 {
        value.isFinite ? Int32((min(max(-0.5, value), 1.5) / Self.unit).rounded()) : 0
      }
      (column, row) = (number(x), number(y))
    }

    init(column: Int32, row: Int32) { (self.column, self.row) = (column, row) }
  }

  public var mode: Mode
  /// Of the brush, in parts of the picture's longer side.
  public var radius: Double
  /// The way of the brush; a single point is a dab.
  public var points: [Point]

  /// The range of radii: from a few pixels to half of the picture.
  public static let radiusRange = 0.002...0.5
  /// The most strokes of a picture, and the most points of all of them: hours of work.
  public static let (mostStrokes, mostPoints) = (500, 20_000)

  public init(_ mode: Mode, radius: Double, points: [Point]) {
    (self.mode, self.radius, self.points) = (mode, radius, points)
  }

  /// Checks that strokes can be rendered, and aren't too many.
  ///
  /// - Throws: A `RecipeError`.
  static func validate(_ strokes: [MatteStroke]) throws {
    guard strokes.count <= mostStrokes, strokes.reduce(0, { $0 + $1.points.count }) <= mostPoints else {
      throw RecipeError.tooManyStrokes
    }
    for stroke in strokes {
      try RecipeError.check(stroke.radius, in: radiusRange, name: "matte.radius")
    }
  }
}

extension [MatteStroke] {
  /// What was added to earlier strokes: the way by which the last of them has grown, and further ones.
  ///
  /// - Returns: `nil` when anything else has changed.
  public func added(to earlier: [MatteStroke]) -> [MatteStroke]? {
    guard let last = earlier.last else { return self }
    guard count >= earlier.count, prefix(earlier.count - 1) == earlier.dropLast() else { return nil }
    let grown = self[earlier.count - 1]
    guard grown.mode == last.mode, grown.radius == last.radius, grown.points.starts(with: last.points) else {
      return nil
    }
    let rest = dropFirst(earlier.count)
    guard grown.points.count > last.points.count else { return Array(rest) }
    let points = grown.points[Swift.max(0, last.points.count - 1)...]
    let way = MatteStroke(grown.mode, radius: grown.radius, points: [MatteStroke.Point](points))
    return [way] + rest
  }
}
