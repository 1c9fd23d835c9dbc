// The times of the countdown.

import Localization

/// The time from the press of the shutter to the shot.
public enum ShutterDelay: Int, Codable, CaseIterable, Sendable {
  case none = 0
  case three = 3
  case five = 5
  case ten = 10

  /// In seconds.
  public var seconds: Int { rawValue }

  /// The name in menus: `Off`, `3 s`.
  public var title: String {
    self == .none ? localized("Off", context: "countdown") : localized("\(seconds) s", comment: "Seconds")
  }

  /// The next longer one; the shortest after the longest.
  public var next: ShutterDelay {
    let all = Self.allCases
    return all.firstIndex(of: self).map { all[($0 + 1) % all.count] } ?? .none
  }
}
