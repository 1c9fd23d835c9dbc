// Cropping, straightening, rotating and flipping.

import CameraCore
import Foundation
import PhotoEffects

extension EditModel {
  /// The size that crop fractions refer to, in pixels.
  public var uncroppedSize: PixelSize? { fullSize.map { recipe.geometry.straightenedSize(for: $0) } }

  /// The size of the resulting picture, in pixels.
  public var croppedSize: PixelSize? { fullSize.map { recipe.geometry.outputSize(for: $0) } }

  /// The ratio's width divided by its height, both as fractions of the picture; `nil` for a free crop.
  private var cropAspect: Double? {
    guard let cropRatio, let size = uncroppedSize else { return nil }
    return cropRatio.aspect.map { $0 * Double(size.height) / Double(size.width) } ?? 1
  }

  /// Applies a drag of the crop.
  ///
  /// - Parameters:
  ///   - start: The crop when the drag began.
  ///   - x: The distance of the drag, as a fraction of the picture's width; `y` of its height.
  public func drag(_ handle: CropHandle, from start: Geometry.Crop, x: Double, y: Double) {
    guard x.isFinite, y.isFinite else { return }
    change(step: "crop") { $0.geometry.crop = start.dragged(handle, x: x, y: y, aspect: cropAspect) }
  }

  /// Gives the crop an aspect ratio at the largest size that fits; `nil` keeps the crop and frees its ratio.
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

  /// Resets crop, straightening, rotation and flipping.
  public func resetGeometry() {
    guard state == .editing else { return }
    cropRatio = nil
    change { $0.geometry = Geometry() }
  }
}

extension CropRatio {
  /// The ratio after a quarter turn of the picture; `nil` when there is none with that shape.
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
