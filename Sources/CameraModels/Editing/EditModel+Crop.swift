// How the picture is cut, straightened, turned and flipped.

import CameraCore
import Foundation
import PhotoEffects

extension EditModel {
  /// The size of what the crop is a part of, in pixels.
  public var uncroppedSize: PixelSize? { fullSize.map { recipe.geometry.straightenedSize(for: $0) } }

  /// The size that the picture will have, in pixels.
  public var croppedSize: PixelSize? { fullSize.map { recipe.geometry.outputSize(for: $0) } }

  /// The ratio's width by its height, both as parts of the picture; `nil` where the crop is free.
  private var cropAspect: Double? {
    guard let cropRatio, let size = uncroppedSize else { return nil }
    return cropRatio.aspect.map { $0 * Double(size.height) / Double(size.width) } ?? 1
  }

  /// A crop is being dragged.
  ///
  /// - Parameters:
  ///   - start: As it was when the drag began.
  ///   - x: How far it was dragged, as a part of the picture's width; `y` of its height.
  public func drag(_ handle: CropHandle, from start: Geometry.Crop, x: Double, y: Double) {
    guard x.isFinite, y.isFinite else { return }
    change(step: "crop") { $0.geometry.crop = start.dragged(handle, x: x, y: y, aspect: cropAspect) }
  }

  /// Gives the crop a shape, as large as it fits; `nil` leaves it as it is, and free.
  public func select(ratio: CropRatio?) {
    guard state == .editing else { return }
    cropRatio = ratio
    guard let ratio, let size = uncroppedSize else { return }
    change { $0.geometry.crop = ratio.largestCrop(in: size) }
  }

  /// - Parameter degrees: −45…45.
  public func setStraighten(_ degrees: Double) {
    guard degrees.isFinite else { return }
    let range = Geometry.straightenRange
    change(step: "straighten") { $0.geometry.straighten = min(max(range.lowerBound, degrees), range.upperBound) }
  }

  public func turnRight() { turn { $0.turnRight() } }

  public func turnLeft() { turn { $0.turnLeft() } }

  private func turn(_ body: (inout Geometry) -> Void) {
    guard state == .editing else { return }
    cropRatio = cropRatio?.turned
    change { body(&$0.geometry) }
  }

  public func flip() { change { $0.geometry.flip() } }

  /// The picture as it was taken: whole, upright as the camera had it.
  public func resetGeometry() {
    guard state == .editing else { return }
    cropRatio = nil
    change { $0.geometry = Geometry() }
  }
}

extension CropRatio {
  /// The ratio of the picture when it has been turned; `nil` where there is none of that shape.
  var turned: CropRatio? {
    switch self {
    case .original, .square: self
    case .fourToThree: .threeToFour
    case .threeToFour: .fourToThree
    case .sixteenToNine: .nineToSixteen
    case .nineToSixteen: .sixteenToNine
    case .threeToTwo: nil
    }
  }
}
