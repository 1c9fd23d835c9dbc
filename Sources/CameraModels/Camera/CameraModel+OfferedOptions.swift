// The options that the popover at the viewfinder offers.

import CameraCore
import Localization

/// An option of the next photo or movie.
public enum CaptureOption: String, CaseIterable, Sendable {
  case countdown, interval
  case intervalCount = "interval-count"
  case booth, flash, mirror, guides
  case photoQuality = "photo-quality"
  case photoFormat = "photo-format"
  case raw
  case movieQuality = "movie-quality"
  case stabilization
}

extension CameraModel {
  /// The options that count for what the shutter does now, in the order of their rows. The number of photos is asked for where
  /// there is an interval, and RAW where the camera has it.
  public var offeredOptions: [CaptureOption] {
    guard movies?.mode != .movie else { return [.countdown, .mirror, .guides, .movieQuality, .stabilization] }
    return CaptureOption.allCases.filter { option in
      switch option {
      case .movieQuality, .stabilization: false
      case .intervalCount: interval != .none
      case .raw: camera != nil && rawRefusal == nil
      default: true
      }
    }
  }

  /// Whether photos can be saved in a format, or that one is chosen.
  public func offers(_ format: PhotoFormat) -> Bool { photoFormats.contains(format) }

  /// The sizes of the camera that can be chosen instead of what PhotoMe chooses; none where there is no choice.
  public var offeredSizes: [PixelSize] { modes.largest == nil ? [] : modes.sizes }

  /// The name of a size in menus; `nil` is PhotoMe's choice.
  public func title(of size: PixelSize?) -> String {
    guard let size else { return localized("Automatic", context: "resolution") }
    return modes.isDeep(size) ? localized("\(size.localized) (10-bit)") : size.localized
  }
}
