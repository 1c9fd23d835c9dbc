// When and where a picture was taken, as values that can be changed.

import Foundation

/// The time, the offset from UTC and the place of one picture.
struct CaptureMetadata: Sendable, Hashable, Codable {
  /// Since 1970, UTC.
  var milliseconds: Int64
  /// Seconds east of Greenwich; a whole number of minutes.
  var utcOffset: Int
  var location: GeoLocation?

  init(milliseconds: Int64, utcOffset: Int, location: GeoLocation?) {
    (self.milliseconds, self.utcOffset, self.location) = (milliseconds, utcOffset, location)
  }

  init(_ asset: Asset) {
    self.init(
      milliseconds: asset.created.millisecondsSince1970, utcOffset: asset.utcOffset, location: asset.location)
  }

  /// Whether it is the same for a reader: coordinates are rounded in different ways.
  func isSame(as other: CaptureMetadata) -> Bool {
    milliseconds == other.milliseconds && utcOffset == other.utcOffset && hasPlace(of: other)
  }

  /// Whether the place is the same.
  func hasPlace(of other: CaptureMetadata) -> Bool {
    switch (location, other.location) {
    case (nil, nil): true
    case (let one?, let other?): one.isSame(as: other)
    default: false
    }
  }

  /// The local time in that offset.
  var time: LocalTime { LocalTime(milliseconds: milliseconds, utcOffset: utcOffset) }

  /// Whether files can hold it: EXIF has years of four digits.
  var isPossible: Bool {
    Self.possible.contains(milliseconds + Int64(utcOffset) * 1000) && abs(utcOffset) <= 14 * 3600
  }

  /// From the year 1 to 9999, in milliseconds since 1970.
  private static let possible: ClosedRange<Int64> = -62_135_596_800_000...253_402_300_799_999
}
