// Sizes of pictures in pixels.

import Foundation

/// The dimensions of a picture in pixels.
public struct PixelSize: Hashable, Sendable, Codable, CustomStringConvertible {
  public var width: Int
  public var height: Int

  public init(width: Int, height: Int) {
    self.width = width
    self.height = height
  }

  /// Reads `WxH`, for example `1280x720`; `nil` unless both are whole numbers above zero.
  public init?(_ text: String) {
    let parts = text.lowercased().split(separator: "x", omittingEmptySubsequences: false)
    guard parts.count == 2, let width = Int(parts[0]), let height = Int(parts[1]), width > 0, height > 0 else {
      return nil
    }
    self.init(width: width, height: height)
  }

  /// Width times height.
  public var area: Int { width * height }

  /// As `init(_:)` reads it, for scripts and settings.
  public var description: String { "\(width)x\(height)" }

  /// As people read it: “1280 × 720”, in the digits of the locale.
  public var localized: String {
    let digits = IntegerFormatStyle<Int>.number.grouping(.never).locale(.forNumbers)
    return "\(width.formatted(digits)) × \(height.formatted(digits))"
  }
}
