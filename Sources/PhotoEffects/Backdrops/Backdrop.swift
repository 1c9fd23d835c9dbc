// Backdrops: drawn scenes, plain colors, and pictures and movies of the person’s own.

import Localization

/// The picture behind a person.
public enum Backdrop: Sendable, Hashable {
  /// A scene that is drawn.
  case scene(BackdropScene)
  /// sRGB.
  case color(red: UInt8, green: UInt8, blue: UInt8)
  /// A picture or movie that the person has chosen.
  case own(OwnBackdrop)

  /// The one that is there before another is chosen.
  public static let standard = Backdrop.scene(.sunset)

  /// In place of one that isn't there yet.
  public static let placeholder = Backdrop.color(red: 0x77, green: 0x76, blue: 0x7b)

  /// The scenes, and colors that go with most people.
  public static let suggestions: [Backdrop] =
    BackdropScene.allCases.map { .scene($0) } + [
      .color(red: 0xff, green: 0xff, blue: 0xff), .color(red: 0x77, green: 0x76, blue: 0x7b),
      .color(red: 0x1a, green: 0x5f, blue: 0xb4), .color(red: 0x00, green: 0xb1, blue: 0x40),
      .color(red: 0xf8, green: 0xe4, blue: 0x5c), .color(red: 0xe0, green: 0x1b, blue: 0x24),
    ]

  /// The name in recipes and on the command line: a scene's, a color as `#1a5fb4`, or that of an `OwnBackdrop`.
  public var name: String {
    switch self {
    case .scene(let scene): return scene.rawValue
    case .own(let own): return own.name
    case .color(let red, let green, let blue):
      let number = Int(red) << 16 | Int(green) << 8 | Int(blue)
      let digits = String(number, radix: 16)
      return "#" + String(repeating: "0", count: 6 - digits.count) + digits
    }
  }

  /// - Parameter name: As `name` has it.
  /// - Throws: `RecipeError.unknownBackdrop`, which lists the scenes; `.missingBackdrop` for an own one that can't be any.
  public init(named name: String) throws {
    if let scene = BackdropScene(rawValue: name) {
      self = .scene(scene)
      return
    }
    if let own = OwnBackdrop(named: name) {
      self = .own(own)
      return
    }
    guard !OwnBackdrop.isNamed(name) else { throw RecipeError.missingBackdrop }
    guard name.first == "#", name.utf8.count == 7, name.dropFirst().allSatisfy({ $0.isHexDigit && $0.isASCII }),
      let number = Int(name.dropFirst(), radix: 16)
    else { throw RecipeError.unknownBackdrop(name, known: BackdropScene.allCases.map(\.rawValue)) }
    self = .color(
      red: UInt8(number >> 16), green: UInt8(number >> 8 & 0xff), blue: UInt8(number & 0xff))
  }

  /// The title for people.
  public var title: String {
    switch self {
    case .scene(let scene): scene.title
    case .own: localized("Own Picture or Video", context: "backdrop")
    case .color: Self.colorTitle(name) ?? localized("Custom Color", context: "backdrop")
    }
  }
}

extension Backdrop {
  /// The title of a suggested color.
  private static func colorTitle(_ name: String) -> String? {
    switch name {
    case "#ffffff": localized("White", context: "backdrop")
    case "#77767b": localized("Gray", context: "backdrop")
    case "#1a5fb4": localized("Blue", context: "backdrop")
    case "#00b140": localized("Green", context: "backdrop")
    case "#f8e45c": localized("Yellow", context: "backdrop")
    case "#e01b24": localized("Red", context: "backdrop")
    default: nil
    }
  }
}

/// A scene behind a person, drawn by a formula, at any size. The names are permanent once released.
public enum BackdropScene: String, CaseIterable, Sendable, Hashable {
  case sunset
  case mountains
  case sky
  case lights
  case leaves
  case aurora
  case curtain
  case paper

  /// The title for people.
  public var title: String {
    switch self {
    case .sunset: localized("Sunset", context: "backdrop")
    case .mountains: localized("Mountains", context: "backdrop")
    case .sky: localized("Sky", context: "backdrop")
    case .lights: localized("City Lights", context: "backdrop")
    case .leaves: localized("Leaves", context: "backdrop")
    case .aurora: localized("Northern Lights", context: "backdrop")
    case .curtain: localized("Curtain", context: "backdrop")
    case .paper: localized("Paper", context: "backdrop")
    }
  }
}
