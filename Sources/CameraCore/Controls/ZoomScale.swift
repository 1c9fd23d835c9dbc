// The factor of a camera's zoom.

import Foundation
import Localization

/// Translates between the values of a zoom control and factors of enlargement.
///
/// UVC (4.2.2.1.12) and V4L2 leave the unit of the zoom to the device. Where the range begins above zero, values are taken
/// as focal lengths, as devices have them whose range begins at 100; else as even steps from 1× to `assumedMaximum`.
public struct ZoomScale: Hashable, Sendable {
  /// The factor at the upper end of a range that begins at zero or below.
  public static let assumedMaximum = 4.0

  private let control: CameraControl

  public init(_ control: CameraControl) { self.control = control }

  private var isRatio: Bool { control.range.lowerBound > 0 }

  /// The largest factor; 1 where there is nothing to zoom.
  public var maximum: Double { factor(of: control.range.upperBound) }

  /// The enlargement of a value; 1 is the whole picture.
  public func factor(of value: Int) -> Double {
    let (low, high) = (Double(control.range.lowerBound), Double(control.range.upperBound))
    guard high > low else { return 1 }
    if isRatio { return Double(value) / low }
    return 1 + (Self.assumedMaximum - 1) * (Double(value) - low) / (high - low)
  }

  /// The value nearest to a factor.
  public func value(of factor: Double) -> Int {
    let (low, high) = (Double(control.range.lowerBound), Double(control.range.upperBound))
    guard high > low, factor.isFinite else { return control.range.lowerBound }
    let value = isRatio ? factor * low : low + (factor - 1) / (Self.assumedMaximum - 1) * (high - low)
    return control.clamped(Int(min(max(value, low), high).rounded()))
  }

  /// As “1.5×”, in the digits of the locale.
  public func text(of value: Int) -> String {
    localized("\(factor(of: value), decimals: 1...1)×", comment: "A factor of zoom")
  }
}
