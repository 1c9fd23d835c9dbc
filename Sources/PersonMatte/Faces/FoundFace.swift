// Faces in pictures.

/// A face that was found. Places are in parts of the picture's width and height, from its upper left corner.
public struct FoundFace: Sendable, Hashable {
  public struct Point: Sendable, Hashable {
    public var x: Double
    public var y: Double

    public init(x: Double, y: Double) { (self.x, self.y) = (x, y) }
  }

  /// From the eyebrows to the chin.
  public var x: Double
  public var y: Double
  public var width: Double
  public var height: Double
  /// The person's own right and left.
  public var rightEye: Point
  public var leftEye: Point
  public var nose: Point
  public var mouth: Point
  public var rightEar: Point
  public var leftEar: Point
  /// How sure it is, 0…1.
  public var score: Double
}
