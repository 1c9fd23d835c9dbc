// Faces for tests.

import CameraCore

extension FoundFace {
  /// A face from the front, with its points where they are in most faces.
  ///
  /// - Parameters:
  ///   - x: Of its box, as the others in parts of the picture's width and height.
  ///   - turn: Turned to its own right, from 0 to 1, seen from the side: the nose is at the eye, and the ear behind it.
  public static func frontal(
    x: Double, y: Double, width: Double, height: Double, turn: Double = 0, score: Double = 0.9
  ) -> FoundFace {
    func point(_ across: Double, _ down: Double) -> Point { Point(x: x + across * width, y: y + down * height) }
    return FoundFace(
      x: x, y: y, width: width, height: height, rightEye: point(0.3, 0.3), leftEye: point(0.7, 0.3),
      nose: point(0.5 - 0.2 * turn, 0.55), mouth: point(0.5 - 0.1 * turn, 0.75),
      rightEar: point(0.05 + 0.25 * turn, 0.4), leftEar: point(0.95, 0.4), score: score)
  }
}
