// The time from one photo to the next of a series.

import Localization

/// The choices of the time between the photos of a series.
public enum ShotInterval: Int, CaseIterable, Codable, Sendable {
  case none = 0
  case fiveSeconds = 5
  case halfMinute = 30
  case minute = 60
  case tenMinutes = 600
  case hour = 3600

  /// In seconds; 0 for none.
  public var seconds: Int { rawValue }

  /// “5 s”, “10 min”, “1 h”; “Off” for none.
  public var title: String {
    switch self {
    case .none: localized("Off", context: "interval")
    case .fiveSeconds, .halfMinute: localized("\(rawValue) s", comment: "Seconds")
    case .minute, .tenMinutes: localized("\(rawValue / 60) min", comment: "Minutes")
    case .hour: localized("\(rawValue / 3600) h", comment: "Hours")
    }
  }
}

/// The choices of the number of photos of a series.
public enum ShotCount: Int, CaseIterable, Codable, Sendable {
  /// Until it is stopped.
  case unlimited = 0
  case ten = 10
  case fifty = 50
  case hundred = 100

  /// “10”; “No Limit” for the series that is stopped by hand.
  public var title: String {
    self == .unlimited ? localized("No Limit", context: "number of photos") : rawValue.localized
  }
}
