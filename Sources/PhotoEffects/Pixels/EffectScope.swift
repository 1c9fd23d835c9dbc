// The part of a picture that an effect changes.

import CameraCore
import Localization

/// Everything, the people in the picture, their skin, or what is behind them. The raw values are names in recipes and on the
/// command line. The names are permanent once released.
public enum EffectScope: String, CaseIterable, Sendable, Hashable {
  case everywhere
  case person
  case skin
  case background

  /// - Parameter name: The raw value.
  /// - Throws: `RecipeError.unknownScope`.
  public init(named name: String) throws {
    guard let scope = Self(rawValue: name) else { throw RecipeError.unknownScope(name) }
    self = scope
  }

  /// The matte that tells it; `nil` for everywhere.
  public var matteKind: MatteKind? {
    switch self {
    case .everywhere: nil
    case .person, .background: .person
    case .skin: .skin
    }
  }

  /// The title for people.
  public var title: String {
    switch self {
    case .everywhere: localized("Everywhere", context: "scope of an effect")
    case .person: localized("Person", context: "scope of an effect")
    case .skin: localized("Skin", context: "scope of an effect")
    case .background: localized("Background", context: "scope of an effect")
    }
  }

  /// The weights of an effect's pixels, 0…256, by a byte of the matte. Both fade with presence: with nobody there, nothing is
  /// person or background.
  func weights(presence: Double) -> [UInt16] {
    (0..<256).map { byte in
      let share = Double(self == .background ? 255 - byte : byte) / 255
      return self == .everywhere ? 256 : UInt16((share * min(1, max(0, presence)) * 256).rounded())
    }
  }
}
