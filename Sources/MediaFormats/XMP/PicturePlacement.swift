// The placement of a picture's pixels in another picture that was made of it.

import CameraCore
import Foundation

/// The map from points of a picture to points of one that was turned, flipped, straightened or cropped from it.
///
/// Points are in parts of the pictures: 0 is the left or top edge, 1 the right or bottom one. A point that comes to lie
/// outside of 0…1 was cut off.
public struct PicturePlacement: Sendable, Hashable {
  /// The place of the old picture's left top corner.
  public var origin: SIMD2<Double>
  /// The way from the old picture's left edge to its right one.
  public var right: SIMD2<Double>
  /// The way from the old picture's top to its bottom.
  public var down: SIMD2<Double>

  public init(origin: SIMD2<Double>, right: SIMD2<Double>, down: SIMD2<Double>) {
    (self.origin, self.right, self.down) = (origin, right, down)
  }

  /// The same picture.
  public static let same = PicturePlacement(origin: SIMD2(0, 0), right: SIMD2(1, 0), down: SIMD2(0, 1))

  /// From the pixels as stored to the upright picture.
  ///
  /// - Parameter orientation: As in EXIF, 1 to 8; another one changes nothing (EXIF 2.32, 4.6.4, Orientation).
  public init(uprightFrom orientation: Int) {
    let (x, y, minusX, minusY) = (SIMD2(1.0, 0), SIMD2(0.0, 1), SIMD2(-1.0, 0), SIMD2(0.0, -1))
    switch orientation {
    case 2: self.init(origin: x, right: minusX, down: y)
    case 3: self.init(origin: x + y, right: minusX, down: minusY)
    case 4: self.init(origin: y, right: x, down: minusY)
    case 5: self.init(origin: SIMD2(0, 0), right: y, down: x)
    case 6: self.init(origin: x, right: y, down: minusX)
    case 7: self.init(origin: x + y, right: minusY, down: minusX)
    case 8: self.init(origin: y, right: minusY, down: x)
    default: self = .same
    }
  }

  public func callAsFunction(_ point: SIMD2<Double>) -> SIMD2<Double> { origin + point.x * right + point.y * down }

  /// This placement and then another one of the result.
  public func then(_ next: PicturePlacement) -> PicturePlacement {
    let start = next(origin)
    return PicturePlacement(
      origin: start, right: next(origin + right) - start, down: next(origin + down) - start)
  }

  /// The way back; `nil` when this placement has no area.
  public var inverse: PicturePlacement? {
    let area = right.x * down.y - right.y * down.x
    guard area.isFinite, abs(area) > 1e-9 else { return nil }
    let back = PicturePlacement(
      origin: SIMD2(0, 0), right: SIMD2(down.y, -right.y) / area, down: SIMD2(-down.x, right.x) / area)
    return PicturePlacement(origin: -back(origin), right: back.right, down: back.down)
  }

  /// The upright rectangle around a rectangle's new place, as far as it lies in the picture.
  ///
  /// - Returns: `nil` when its middle was cut off, and for a size below 0.
  func rectangle(_ old: PictureRectangle) -> PictureRectangle? {
    // Of a foreign file: anything can be there, also no number.
    guard old.size.x >= 0, old.size.y >= 0 else { return nil }
    let middle = self(old.middle)
    guard (0...1).contains(middle.x), (0...1).contains(middle.y) else { return nil }
    let half =
      (SIMD2(abs(right.x), abs(right.y)) * old.size.x + SIMD2(abs(down.x), abs(down.y)) * old.size.y) / 2
    let zero = SIMD2<Double>(0, 0)
    let (from, to) = (pointwiseMax(middle - half, zero), pointwiseMin(middle + half, SIMD2(1, 1)))
    return PictureRectangle(middle: (from + to) / 2, size: to - from)
  }

  /// The numbers of the map, for a record: origin, right and down.
  public var numbers: [Double] { [origin.x, origin.y, right.x, right.y, down.x, down.y] }

  /// - Returns: `nil` unless these are six finite numbers.
  public init?(_ numbers: [Double]) {
    guard numbers.count == 6, numbers.allSatisfy(\.isFinite) else { return nil }
    self.init(
      origin: SIMD2(numbers[0], numbers[1]), right: SIMD2(numbers[2], numbers[3]), down: SIMD2(numbers[4], numbers[5]))
  }
}

/// A rectangle in parts of a picture.
struct PictureRectangle: Hashable {
  var middle: SIMD2<Double>
  var size: SIMD2<Double>
}
