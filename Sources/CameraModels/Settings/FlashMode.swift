// The choice of the screen flash.

/// Whether the window lights up white for photos.
public enum FlashMode: String, Codable, CaseIterable, Sendable {
  case off
  /// Where the picture is dark; see `FlashModel`.
  case auto
  case on

  /// The name in menus.
  public var title: String {
    switch self {
    case .off: "Off"
    case .auto: "Auto"
    case .on: "On"
    }
  }
}
