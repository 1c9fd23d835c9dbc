// The time from one photo to the next of a series.

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
    case .none: "Off"
    case .fiveSeconds, .halfMinute: "\(rawValue) s"
    case .minute, .tenMinutes: "\(rawValue / 60) min"
    case .hour: "1 h"
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
  public var title: String { self == .unlimited ? "No Limit" : "\(rawValue)" }
}
