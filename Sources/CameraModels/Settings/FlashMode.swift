// The choice of the screen flash.

import Localization

/// Whether the window lights up white for photos.
public enum FlashMode: String, Codable, CaseIterable, Sendable {
  case off
  /// Where the picture is dark; see `FlashModel`.
  case auto
  case on

  /// The name in menus.
  public var title: String {
    switch self {
    case .off: localized("Off", context: "screen flash")
    case .auto: localized("Auto", context: "screen flash")
    case .on: localized("On", context: "screen flash")
    }
  }
}
