// Faces of a picture where its geometry puts them.

import CameraCore

extension Geometry {
  /// A face of the untouched picture in parts of the result, its crop included; its box is the smallest upright one around
  /// the turned one. What was cut off lies outside of 0…1.
  ///
  /// - Parameter source: The picture's size, in pixels.
  public func placed(_ face: FoundFace, of source: PixelSize) -> FoundFace {
    let map = destination(of: source)
    func place(_ x: Double, _ y: Double) -> SIMD2<Double> { map.origin + x * map.right + y * map.down }
    func point(_ point: FoundFace.Point) -> FoundFace.Point {
      let placed = place(point.x, point.y)
      return FoundFace.Point(x: placed.x, y: placed.y)
    }
    let corners = [
      place(face.x, face.y), place(face.x + face.width, face.y), place(face.x, face.y + face.height),
      place(face.x + face.width, face.y + face.height),
    ]
    let low = corners.dropFirst().reduce(corners[0]) { SIMD2(min($0.x, $1.x), min($0.y, $1.y)) }
    let high = corners.dropFirst().reduce(corners[0]) { SIMD2(max($0.x, $1.x), max($0.y, $1.y)) }
    return FoundFace(
      x: low.x, y: low.y, width: high.x - low.x, height: high.y - low.y, rightEye: point(face.rightEye),
      leftEye: point(face.leftEye), nose: point(face.nose), mouth: point(face.mouth), rightEar: point(face.rightEar),
      leftEar: point(face.leftEar), score: face.score)
  }
}
