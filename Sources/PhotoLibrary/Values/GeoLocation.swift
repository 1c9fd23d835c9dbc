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

  /// In the form of ISO 6709, annex H, in which QuickTime movies have it: `+46.948000+007.447400/`.
  var iso6709: String {
    func text(_ degrees: Double, digits: Int) -> String {
      let millionths = Int((abs(degrees) * 1_000_000).rounded())
      let whole = String(millionths / 1_000_000)
      let zeros = String(repeating: "0", count: max(0, digits - whole.count))
      return (degrees < 0 ? "-" : "+") + zeros + whole + "." + String(1_000_000 + millionths % 1_000_000).dropFirst()
    }
    return text(latitude, digits: 2) + text(longitude, digits: 3) + "/"
  }
}
