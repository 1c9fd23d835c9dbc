// Photo booth layouts.

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
    case .off: "Off"
    case .grid: "Grid"
    case .strip: "Strip"
    }
  }

  /// The arrangement of the sheet; `nil` for none.
  public var layout: SheetLayout? { SheetLayout(rawValue: rawValue) }
}
