// Where on Earth a picture was taken.

import Foundation

/// A place in degrees of WGS 84, as EXIF's GPS tags say it.
public struct GeoLocation: Sendable, Hashable, Codable {
  /// North of the equator, from -90 to 90.
  public var latitude: Double
  /// East of Greenwich, from -180 to 180.
  public var longitude: Double

  /// - Returns: `nil` when the numbers are no place on Earth.
  public init?(latitude: Double, longitude: Double) {
    guard (-90...90).contains(latitude), (-180...180).contains(longitude) else { return nil }
    self.latitude = latitude
    self.longitude = longitude
  }
}
