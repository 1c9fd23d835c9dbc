// The part of a picture that an effect changes, as an option.

import ArgumentParser
import Localization
import PhotoEffects

struct ScopeOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      localized(
        "The part of the picture that the effect changes: \(ScopeOptions.names).",
        comment: "{0} is a list of words that are typed"), valueName: "part"))
  var on: String?

  private static let names = EffectScope.allCases.map(\.rawValue).joined(separator: ", ")

  /// - Throws: `RecipeError.unknownScope`.
  func scope() throws -> EffectScope? {
    try on.map { name in
      guard let scope = EffectScope(rawValue: name) else { throw RecipeError.unknownScope(name) }
      return scope
    }
  }

  /// The effect of a text on the part that is named, everywhere by default; `nil` for “none”, and for no text.
  ///
  /// - Throws: A `RecipeError` or `CommandError`.
  func setting(_ effect: String?) throws -> AdjustmentRecipe.EffectSetting? {
    let scope = try scope()
    var setting = try effect.flatMap { try EditOptions.effect($0) }
    if let scope { setting?.scope = scope }
    guard setting != nil || scope == nil else { throw Self.noEffect }
    return setting
  }

  /// A part was named, and no effect.
  static var noEffect: CommandError {
    CommandError(localized("There is no effect to set on a part of the picture. Name one with --effect."))
  }
}
