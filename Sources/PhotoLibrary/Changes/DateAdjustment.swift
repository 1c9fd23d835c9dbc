// A new date for one or many pictures, as change requests.

import Foundation

/// Another date, a difference, or another time zone, for the pictures of a selection.
public struct DateAdjustment: Sendable, Hashable {
  /// The change of the time.
  public enum Time: Sendable, Hashable {
    /// The instants stay.
    case kept
    /// The earliest picture gets this local date; the others are moved by the same amount.
    case first(WrittenDate)
    /// All are moved, in seconds.
    case moved(by: Int)
  }

  public var time: Time
  /// The time zone of all of them; `nil` leaves each one's own.
  public var zone: TimeZone?

  public init(time: Time = .kept, zone: TimeZone? = nil) { (self.time, self.zone) = (time, zone) }

  /// The earliest of several pictures, whose date is set.
  public static func first(of assets: [Asset]) -> Asset? {
    assets.min { ($0.created, $0.url.path) < ($1.created, $1.url.path) }
  }

  /// The difference that all dates get, in seconds.
  public func difference(for assets: [Asset]) -> TimeInterval {
    switch time {
    case .kept: return 0
    case .moved(let seconds): return TimeInterval(seconds)
    case .first(let date):
      guard let first = Self.first(of: assets) else { return 0 }
      guard let zone else { return date.date(utcOffset: first.utcOffset).timeIntervalSince(first.created) }
      // The offset of the instant that is looked for: once more with the one that was found.
      let guess = date.date(utcOffset: zone.wholeMinutes(for: first.created))
      return date.date(utcOffset: zone.wholeMinutes(for: guess)).timeIntervalSince(first.created)
    }
  }

  /// The requests that make the change.
  public func requests(for assets: [Asset]) -> [AssetChangeRequest] {
    let difference = difference(for: assets)
    return assets.map { asset in
      AssetChangeRequest(
        for: asset.id, creationDate: difference == 0 ? nil : asset.created.addingTimeInterval(difference),
        timeZone: zone)
    }
  }
}

extension TimeZone {
  /// The offset from UTC in seconds at an instant, rounded to minutes, as files have it.
  func wholeMinutes(for date: Date) -> Int { LocalTime.wholeMinutes(secondsFromGMT(for: date)) }
}
