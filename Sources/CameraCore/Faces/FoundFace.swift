// Faces in pictures.

import Foundation

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

  public init(
    x: Double, y: Double, width: Double, height: Double, rightEye: Point, leftEye: Point, nose: Point, mouth: Point,
    rightEar: Point, leftEar: Point, score: Double
  ) {
    (self.x, self.y, self.width, self.height) = (x, y, width, height)
    (self.rightEye, self.leftEye, self.nose, self.mouth) = (rightEye, leftEye, nose, mouth)
    (self.rightEar, self.leftEar, self.score) = (rightEar, leftEar, score)
  }

  /// In the middle of its box.
  public var center: Point { Point(x: x + width / 2, y: y + height / 2) }

  /// In the middle between the eyes.
  public var betweenEyes: Point { Point(x: (rightEye.x + leftEye.x) / 2, y: (rightEye.y + leftEye.y) / 2) }

  /// How much the face is turned to the camera, from 0, seen from the side, to 1, from the front.
  ///
  /// Along the line from one eye to the other: the nose is in the middle of a face from the front, and both ears are equally
  /// far outside of their eyes. It is the smaller of two shares: of the nose, 1 in the middle and 0 at an eye or beyond; of
  /// the ears, the nearer one's distance in parts of the farther one's, 0 for an ear that is not outside of its eye. A head
  /// that is tilted counts like an upright one.
  ///
  /// - Parameter size: Of the picture, in pixels.
  public func facing(in size: PixelSize) -> Double {
    let (width, height) = (Double(size.width), Double(size.height))
    let (across, down) = ((leftEye.x - rightEye.x) * width, (leftEye.y - rightEye.y) * height)
    let length = across * across + down * down
    guard length > 0, length.isFinite else { return 0 }
    /// Along the line: 0 at the right eye, 1 at the left one.
    func place(_ point: Point) -> Double {
      ((point.x - rightEye.x) * width * across + (point.y - rightEye.y) * height * down) / length
    }
    let ofNose = 1 - abs(place(nose) - 0.5) / 0.5
    let (right, left) = (max(0, -place(rightEar)), max(0, place(leftEar) - 1))
    let ofEars = max(right, left) > 0 ? min(right, left) / max(right, left) : 0
    let facing = min(ofNose, ofEars)
    return facing.isFinite ? max(0, facing) : 0
  }
}

extension [FoundFace] {
  /// A face that is lower than this part of the highest one is somebody who passes by in the background.
  public static var leastHeight: Double { 1.0 / 3 }

  /// The faces that the picture is of.
  public var foremost: [FoundFace] {
    let highest = map(\.height).max() ?? 0
    return filter { $0.height >= highest * Self.leastHeight }
  }
}
