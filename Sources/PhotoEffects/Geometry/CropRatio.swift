// Common aspect ratios for cropping.

import CameraCore
import Localization

/// An aspect ratio of a crop.
public enum CropRatio: String, CaseIterable, Sendable, Hashable {
  case original
  case square = "1:1"
  case fourToThree = "4:3"
  case threeToFour = "3:4"
  case sixteenToNine = "16:9"
  case nineToSixteen = "9:16"
  case threeToTwo = "3:2"

  /// The title for people.
  public var title: String {
    switch self {
    case .original: localized("Original", context: "crop ratio")
    case .square: localized("Square", context: "crop ratio")
    case .fourToThree, .threeToFour, .sixteenToNine, .nineToSixteen, .threeToTwo: rawValue
    }
  }

  /// Width divided by height; `nil` for the picture's own.
  public var aspect: Double? {
    switch self {
    case .original: nil
    case .square: 1
    case .fourToThree: 4.0 / 3
    case .threeToFour: 3.0 / 4
    case .sixteenToNine: 16.0 / 9
    case .nineToSixteen: 9.0 / 16
    case .threeToTwo: 3.0 / 2
    }
  }

  /// The largest centered crop of this ratio.
  ///
  /// - Parameter size: Of the picture after turning and straightening, in pixels: `Geometry.straightenedSize(for:)`.
  public func largestCrop(in size: PixelSize) -> Geometry.Crop {
    guard let aspect else { return .full }
    let own = Double(size.width) / Double(size.height)
    let width = min(1, aspect / own)
    let height = min(1, own / aspect)
    return Geometry.Crop(x: (1 - width) / 2, y: (1 - height) / 2, width: width, height: height)
  }
}
