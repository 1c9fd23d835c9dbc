// Photo booth layouts.

import Localization
import PhotoEffects

/// The choices of the photo booth: four photos on one sheet.
public enum BoothChoice: String, CaseIterable, Codable, Sendable {
  case off
  /// Two photos beside two.
  case grid
  /// One photo below the other.
  case strip

  /// The name in menus.
  public var title: String {
    switch self {
    case .off: localized("Off", context: "photo booth")
    case .grid: localized("Grid", context: "photo booth")
    case .strip: localized("Strip", context: "photo booth")
    }
  }

  /// The arrangement of the sheet; `nil` for none.
  public var layout: SheetLayout? { SheetLayout(rawValue: rawValue) }
}
