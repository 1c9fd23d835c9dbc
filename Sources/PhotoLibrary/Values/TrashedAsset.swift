// An asset in the desktop's trash.

import Foundation

/// An asset in the trash, with its original location.
public struct TrashedAsset: Sendable, Hashable, Codable {
  /// The id that it had and will have again.
  public var id: Asset.ID
  /// The original location.
  public var url: URL
  /// The location in the trash.
  public var trashedURL: URL
  /// The trash's info file about it.
  var info: URL
  /// `nil` when the trash doesn't know.
  public var deleted: Date?

  /// Whether two dates of deletion can be the same.
  ///
  /// The trash keeps local time to the second and without a time zone. Whoever has traveled since reads another time,
  /// which is off by quarters of an hour, as all time zones are, and by little more than a day at most.
  func isDeleted(asWith other: TrashedAsset) -> Bool {
    guard let deleted, let date = other.deleted else { return deleted == nil && other.deleted == nil }
    let difference = abs(deleted.timeIntervalSince(date))
    let rest = difference.truncatingRemainder(dividingBy: Self.zoneStep)
    return difference <= Self.largestShift && min(rest, Self.zoneStep - rest) < Self.precision
  }

  /// In seconds.
  private static let (zoneStep, largestShift, precision) = (900.0, 26 * 3600.0, 2.0)
}
