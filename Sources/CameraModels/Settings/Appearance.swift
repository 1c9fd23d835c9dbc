// Light or dark.

import Localization

/// Whether the windows are light or dark. Pictures stand on black in both.
public enum Appearance: String, Codable, CaseIterable, Sendable {
  /// As the desktop's other programs.
  case system
  case light
  case dark

  /// The name in the preferences.
  public var title: String {
    switch self {
    case .system: localized("Follow System", context: "appearance")
    case .light: localized("Light", context: "appearance")
    case .dark: localized("Dark", context: "appearance")
    }
  }
}
