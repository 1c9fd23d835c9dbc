// Values of controls as texts, and back.

import Foundation
import Localization

extension CameraControl {
  /// A value with its unit, for people.
  public func text(of value: Int) -> String {
    switch kind {
    case .button: return ""
    case .boolean:
      return value == 0 ? localized("Off", context: "camera control") : localized("On", context: "camera control")
    case .menu(let items): return items.first { $0.value == value }?.title ?? Self.plain(value)
    case .integer: break
    }
    switch standard {
    case .whiteBalanceTemperature: return localized("\(Self.plain(value)) K", comment: "A color temperature in kelvins")
    // V4L2 counts in units of 100 µs.
    case .exposure: return localized("\(Double(value) / 10, decimals: 0...1) ms", comment: "Milliseconds")
    // V4L2 counts in seconds of arc.
    case .pan, .tilt:
      guard max(range.upperBound, 0 &- range.lowerBound) >= 3600 else { return Self.plain(value) }
      return localized("\(Double(value) / 3600, decimals: 0...1)°", comment: "An angle in degrees")
    case .zoom: return ZoomScale(self).text(of: value)
    default: return Self.plain(value)
    }
  }

  /// A number in the digits of the locale, without separators: scales like that of color temperature are read so.
  private static func plain(_ value: Int) -> String {
    value.formatted(.number.grouping(.never).locale(.forNumbers))
  }

  /// The values that it can have, in words.
  public var validValues: String {
    switch kind {
    case .button: return localized("\(Self.plain(Self.pressed)) to run it", comment: "The value of a camera’s control")
    case .boolean: return localized("on or off", comment: "The values of a camera’s control, as they are typed")
    case .menu(let items): return items.map { "\($0.value) (\($0.title))" }.joined(separator: ", ")
    case .integer:
      let (low, high) = (Self.plain(range.lowerBound), Self.plain(range.upperBound))
      return step > 1
        ? localized("\(low) to \(high), in steps of \(Self.plain(step))", comment: "The values of a camera’s control")
        : localized("\(low) to \(high)", comment: "The values of a camera’s control")
    }
  }

  /// Reads a value: a number, `on` or `off`, the title of a menu's item, or `default`.
  ///
  /// - Throws: `CameraControlError.invalidValue`.
  public func value(from text: String) throws(CameraControlError) -> Int {
    let word = text.trimmingCharacters(in: .whitespaces).lowercased()
    if word == "default", !isButton { return defaultValue }
    var value = Int(word)
    switch kind {
    case .boolean:
      if ["on", "true", "yes"].contains(word) { value = 1 }
      if ["off", "false", "no"].contains(word) { value = 0 }
    case .menu(let items):
      // The driver's own words will do as well.
      value =
        value
        ?? items.first { item in
          [item.title, item.driverTitle].contains { $0?.lowercased() == word }
        }?.value
    case .integer, .button: break
    }
    guard let value, accepts(value) else { throw .invalidValue(name: id, value: text, valid: validValues) }
    return value
  }

  /// Whether it is the one that is named: by its id or its title, with hyphens, spaces or low lines.
  public func answers(to name: String) -> Bool {
    Self.name(from: name) == id || Self.name(from: title) == Self.name(from: name)
  }

  /// A name in lowercase letters and digits with single hyphens between its words: “White Balance, Automatic” becomes
  /// `white-balance-automatic`.
  public static func name(from text: String) -> String {
    text.lowercased().split { !($0.isASCII && ($0.isLetter || $0.isNumber)) }.joined(separator: "-")
  }
}
