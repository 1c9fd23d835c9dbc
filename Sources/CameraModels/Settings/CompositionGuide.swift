// Lines over the viewfinder that help to compose a picture.

import Localization

/// Lines over the viewfinder. Files never have them.
public enum CompositionGuide: String, Codable, CaseIterable, Sendable {
  case off
  /// Two lines each way, at a third and two thirds of the picture (the rule of thirds).
  case thirds
  /// The largest square in the middle of the picture, as profile pictures are cropped.
  case square
  /// The middle, both ways.
  case cross

  /// A straight line between two points of a picture.
  public struct Line: Hashable, Sendable {
    public var (startX, startY, endX, endY): (Double, Double, Double, Double)
  }

  /// The name in menus.
  public var title: String {
    switch self {
    case .off: localized("Off", context: "guides")
    case .thirds: localized("Thirds", context: "guides")
    case .square: localized("Square", context: "guides")
    case .cross: localized("Cross", context: "guides")
    }
  }

  /// The lines in a picture of this size, in the same unit.
  public func lines(width: Double, height: Double) -> [Line] {
    func column(_ x: Double) -> Line { Line(startX: x, startY: 0, endX: x, endY: height) }
    func row(_ y: Double) -> Line { Line(startX: 0, startY: y, endX: width, endY: y) }
    switch self {
    case .off: return []
    case .thirds: return [1, 2].flatMap { [column(width * $0 / 3), row(height * $0 / 3)] }
    case .cross: return [column(width / 2), row(height / 2)]
    case .square:
      let side = min(width, height)
      return width >= height
        ? [column((width - side) / 2), column((width + side) / 2)]
        : [row((height - side) / 2), row((height + side) / 2)]
    }
  }
}
