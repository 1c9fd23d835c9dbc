// The size of a turned, straightened and cropped picture, and the source of each of its pixels.

import CameraCore
import Foundation

extension Geometry {
  /// A picture's size after the turn, in pixels.
  func turnedSize(for source: PixelSize) -> PixelSize {
    turn == .right || turn == .left ? PixelSize(width: source.height, height: source.width) : source
  }

  /// A picture's size after turning and straightening, before the crop, in pixels.
  ///
  /// The largest rectangle of proportions `w : h` that, turned by the angle `α`, fits into `w × h`, has
  /// `k = min(w / (w cos α + h sin α), h / (w sin α + h cos α))` of its size: the turned rectangle's bounds are the
  /// denominators. Rounded down to whole pixels.
  public func straightenedSize(for source: PixelSize) -> PixelSize {
    let size = turnedSize(for: source)
    guard straighten != 0 else { return size }
    let angle = abs(straighten) * .pi / 180
    let width = Double(size.width)
    let height = Double(size.height)
    let part = min(
      width / (width * cos(angle) + height * sin(angle)), height / (width * sin(angle) + height * cos(angle)))
    return PixelSize(width: max(1, Int(width * part + 1e-9)), height: max(1, Int(height * part + 1e-9)))
  }

  /// The picture's final size, in pixels.
  ///
  /// - Parameter isEven: Whether width and height must be even, as movies need; an odd one loses its last pixel, unless it is
  ///   the only one.
  public func outputSize(for source: PixelSize, isEven: Bool = false) -> PixelSize {
    let crop = pixelCrop(for: source, isEven: isEven)
    return PixelSize(width: crop.x.count, height: crop.y.count)
  }

  /// The crop in whole pixels, at least one each way.
  func pixelCrop(for source: PixelSize, isEven: Bool) -> (x: Range<Int>, y: Range<Int>) {
    let size = straightenedSize(for: source)
    func part(_ start: Double, _ length: Double, of total: Int) -> Range<Int> {
      var from = min(max(Int((start * Double(total)).rounded()), 0), total - 1)
      var to = min(max(Int(((start + length) * Double(total)).rounded()), from + 1), total)
      if isEven && total > 1 {
        to -= (to - from) % 2
        if to == from {
          from = min(from, total - 2)
          to = from + 2
        }
      }
      return from..<to
    }
    return (part(crop.x, crop.width, of: size.width), part(crop.y, crop.height, of: size.height))
  }

  /// The mapping from the result's pixels to the source's: `x = origin.x + column · right.x + row · down.x`, and so for `y`.
  struct Placement {
    var origin: SIMD2<Double>
    var right: SIMD2<Double>
    var down: SIMD2<Double>

    func callAsFunction(_ column: Double, _ row: Double) -> SIMD2<Double> { origin + column * right + row * down }
  }

  /// The placement in pixels, whole numbers being pixel centers. Without straightening, all numbers are whole.
  func placement(for source: PixelSize, isEven: Bool) -> Placement {
    let turned = turnedSize(for: source)
    let crop = pixelCrop(for: source, isEven: isEven)
    // From the result to the picture before the crop and the straightening.
    var origin = SIMD2(Double(crop.x.lowerBound), Double(crop.y.lowerBound))
    var right = SIMD2(1.0, 0.0)
    var down = SIMD2(0.0, 1.0)
    if straighten != 0 {
      let size = straightenedSize(for: source)
      let angle = straighten * .pi / 180
      right = SIMD2(cos(angle), -sin(angle))
      down = SIMD2(sin(angle), cos(angle))
      let middle = SIMD2(Double(size.width - 1), Double(size.height - 1)) / 2
      let offset = origin - middle
      origin = SIMD2(Double(turned.width - 1), Double(turned.height - 1)) / 2 + offset.x * right + offset.y * down
    }
    // To the picture before the flip, and before the turn.
    let lastX = Double(turned.width - 1)
    let lastY = Double(turned.height - 1)
    func map(_ step: (SIMD2<Double>) -> SIMD2<Double>) {
      let start = step(origin)
      (right, down) = (step(origin + right) - start, step(origin + down) - start)
      origin = start
    }
    if isFlipped { map { SIMD2(lastX - $0.x, $0.y) } }
    switch turn {
    case .none: break
    case .right: map { SIMD2($0.y, lastX - $0.x) }
    case .upsideDown: map { SIMD2(lastX - $0.x, lastY - $0.y) }
    case .left: map { SIMD2(lastY - $0.y, $0.x) }
    }
    return Placement(origin: origin, right: right, down: down)
  }

  /// The map from points of a picture to points of the result, both in parts of the pictures: 0 is the left or top
  /// edge, 1 the right or bottom one. What was cut off lies outside of 0…1.
  ///
  /// - Parameter source: The picture's size, in pixels.
  /// - Returns: The place of the picture's left top corner, and the ways from there along its upper and its left edge.
  public func destination(
    of source: PixelSize
  ) -> (origin: SIMD2<Double>, right: SIMD2<Double>, down: SIMD2<Double>) {
    let placement = placement(for: source, isEven: false)
    let result = outputSize(for: source)
    let size = SIMD2(Double(result.width), Double(result.height))
    // Its directions are of length 1 and at right angles: the way back is the transposed one. Whole numbers are pixel
    // centers there.
    func way(_ vector: SIMD2<Double>) -> SIMD2<Double> {
      SIMD2((vector * placement.right).sum(), (vector * placement.down).sum()) / size
    }
    let corner = SIMD2(-0.5, -0.5) - placement.origin
    return (
      way(corner) + 0.5 / size, way(SIMD2(Double(source.width), 0)), way(SIMD2(0, Double(source.height)))
    )
  }

  /// The point of a picture that is at a point of the result: the inverse of `destination`.
  ///
  /// - Parameters:
  ///   - point: In parts of the result's width and height.
  ///   - source: The picture's size, in pixels.
  /// - Returns: In parts of the picture's width and height.
  public func source(of point: SIMD2<Double>, in source: PixelSize) -> SIMD2<Double> {
    let (origin, right, down) = destination(of: source)
    let (way, area) = (point - origin, right.x * down.y - right.y * down.x)
    guard area != 0 else { return SIMD2(0, 0) }
    return SIMD2(way.x * down.y - way.y * down.x, way.y * right.x - way.x * right.y) / area
  }
}
