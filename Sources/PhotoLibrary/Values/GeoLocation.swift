// Geographic coordinates in degrees.

import Foundation

/// Coordinates in degrees of WGS 84, as in EXIF's GPS tags.
public struct GeoLocation: Sendable, Hashable, Codable {
  /// North of the equator, from -90 to 90.
  public var latitude: Double
  /// East of Greenwich, from -180 to 180.
  public var longitude: Double

  /// - Returns: `nil` when a number is out of range.
  public init?(latitude: Double, longitude: Double) {
    guard (-90...90).contains(latitude), (-180...180).contains(longitude) else { return nil }
    self.latitude = latitude
    self.longitude = longitude
  }

  /// Reads the form of ISO 6709, annex H: signs, degrees as two and three digits with decimals, perhaps a height, and a
  /// slash. Forms with minutes and seconds have more digits.
  ///
  /// - Returns: `nil` for anything else.
  public init?(iso6709 text: String) {
    guard let match = text.wholeMatch(of: /([+-])(\d{2,7})((?:\.\d+)?)([+-])(\d{3,8})((?:\.\d+)?)(?:[+-][\d.]+)?.*/)
    else {
      return nil
    }
    /// Degrees of digits that end in minutes, and in seconds, if there are more than the degrees need.
    func degrees(_ whole: Substring, _ fraction: Substring, digits: Int) -> Double? {
      let (first, rest) = (whole.prefix(digits), whole.dropFirst(digits))
      guard let value = Double(first), let last = Double("0" + fraction) else { return nil }
      switch rest.count {
      case 0: return value + last
      case 2: return Double(rest).map { value + ($0 + last) / 60 }
      case 4:
        guard let minutes = Double(rest.prefix(2)), let seconds = Double(rest.suffix(2)) else { return nil }
        return value + minutes / 60 + (seconds + last) / 3600
      default: return nil
      }
    }
    guard let latitude = degrees(match.2, match.3, digits: 2), let longitude = degrees(match.5, match.6, digits: 3)
    else {
      return nil
    }
    self.init(
      latitude: match.1 == "-" ? -latitude : latitude, longitude: match.4 == "-" ? -longitude : longitude)
  }

  /// Whether it is the same place for a reader: files round coordinates in different ways, by some 3 m.
  public func isSame(as other: GeoLocation) -> Bool {
    abs(latitude - other.latitude) <= Self.tolerance && abs(longitude - other.longitude) <= Self.tolerance
  }

  /// Whether it is the zero that many cameras write for an unknown place, as readers take it. EXIF has thousandths of a
  /// second.
  var isUnknown: Bool {
    let limit = 0.5 / 3_600_000
    return abs(latitude) < limit && abs(longitude) < limit
  }

  /// In degrees.
  private static let tolerance = 0.000_03

  /// In the form of ISO 6709, annex H, in which QuickTime movies have it: `+46.948000+007.447400/`.
  public var iso6709: String {
    func text(_ degrees: Double, digits: Int) -> String {
      let millionths = Int((abs(degrees) * 1_000_000).rounded())
      let whole = String(millionths / 1_000_000)
      let zeros = String(repeating: "0", count: max(0, digits - whole.count))
      return (degrees < 0 ? "-" : "+") + zeros + whole + "." + String(1_000_000 + millionths % 1_000_000).dropFirst()
    }
    return text(latitude, digits: 2) + text(longitude, digits: 3) + "/"
  }
}
