// Options about an effect beside its name.

import ArgumentParser
import Localization
import PhotoEffects

/// The part of the picture that an effect changes, and its backdrop.
struct EffectDetailOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      localized(
        "The part of the picture that the effect changes: \(EffectDetailOptions.names).",
        comment: "{0} is a list of words that are typed"), valueName: "part"))
  var on: String?
  @Option(
    help: ArgumentHelp(
      localized(
        "The backdrop of “--effect backdrop”: \(EffectDetailOptions.scenes), or a color like #1a5fb4.",
        comment: "{0} is a list of words that are typed"), valueName: "name"))
  var backdrop: String?

  private static let scenes = BackdropScene.allCases.map(\.rawValue).joined(separator: ", ")
  private static let names = EffectScope.allCases.map(\.rawValue).joined(separator: ", ")

  var isEmpty: Bool { on == nil && backdrop == nil }

  /// Sets what is named in an effect's setting.
  ///
  /// - Parameter setting: `nil` when there is no effect.
  /// - Throws: A `RecipeError`; a `CommandError` without an effect, unless nothing is named.
  func apply(to setting: inout AdjustmentRecipe.EffectSetting?) throws {
    guard !isEmpty else { return }
    guard setting != nil else {
      throw CommandError(localized("--on and --backdrop need an effect. Choose one with --effect."))
    }
    if let on { setting?.scope = try EffectScope(named: on) }
    if let backdrop { setting?.backdrop = try Backdrop(named: backdrop) }
  }

  /// The effect of a text with what is named; `nil` for “none”, and for no text.
  ///
  /// - Throws: A `RecipeError` or `CommandError`.
  func setting(_ effect: String?) throws -> AdjustmentRecipe.EffectSetting? {
    var setting = try effect.flatMap { try EditOptions.effect($0) }
    try apply(to: &setting)
    return setting
  }
}
