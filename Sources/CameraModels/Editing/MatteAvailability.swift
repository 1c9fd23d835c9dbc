// Whether effects that need to know where people are can be used.

import CameraCore
import PhotoEffects

/// Asks a provider whether it has mattes: until it has, with each question, because models can be installed while the program
/// runs.
@MainActor final class MatteAvailability {
  private let mattes: (any MatteProvider)?
  private var isSure = false

  /// - Parameter mattes: `nil` where nobody tells people from the background.
  init(_ mattes: (any MatteProvider)?) { self.mattes = mattes }

  /// The reason why there are no mattes, a sentence for people; `nil` when there are.
  var reason: String? {
    if isSure { return nil }
    guard let mattes else { return RecipeError.noMattes.description }
    let reason = mattes.reasonForAbsence()
    isSure = reason == nil
    return reason?.localizedDescription
  }

  /// The parts of pictures that an effect can be limited to.
  var scopes: [EffectScope] {
    reason == nil ? EffectScope.allCases.filter { scope in scope.matteKind.map { gives($0) } ?? true } : [.everywhere]
  }

  private func gives(_ kind: MatteKind) -> Bool { mattes?.kinds.contains(kind) == true }

  /// The reason why an effect can't be used, whatever its strength; `nil` when it can.
  func refusal(of setting: AdjustmentRecipe.EffectSetting?) -> String? {
    guard var setting else { return nil }
    setting.intensity = 1
    guard let kind = setting.matteKind else { return nil }
    return reason ?? (gives(kind) ? nil : RecipeError.noMattes.description)
  }
}
