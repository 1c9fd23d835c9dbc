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
    let format = "%+010.6f%+011.6f/"
    return String(format: format, locale: Locale(identifier: "en_US_POSIX"), latitude, longitude)
  }
}
