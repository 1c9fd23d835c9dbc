// Changes to the recipe as steps that can be undone.

import CameraCore
import Foundation
import PhotoEffects
import PhotoLibrary

extension EditModel {
  // MARK: Steps

  /// Changes the recipe. Consecutive changes of the same step are undone together.
  func change(step: String? = nil, _ body: (inout AdjustmentRecipe) -> Void) {
    guard state == .editing else { return }
    var new = recipe
    body(&new)
    guard new != recipe else { return }
    history.change(to: new, step: step)
    changed()
  }

  /// A slider, a handle or a key was released.
  public func endStep() { history.endStep() }

  public func undo() {
    endStroke()
    guard canUndo else { return }
    history.undo()
    stepped()
  }

  public func redo() {
    endStroke()
    guard canRedo else { return }
    history.redo()
    stepped()
  }

  private func stepped() {
    cropRatio = nil
    changed()
  }

  private func changed() {
    // Its page may have gone with the effect.
    if !tabs.contains(tab) { tab = .effects }
    updatePreview()
  }

  public func select(tab new: Tab) {
    guard tabs.contains(new), new != tab else { return }
    endStroke()
    endStep()
    tab = new
    // The page offers a crop where there are faces.
    if new == .crop { Task { await lookForFaces() } }
    if preview.startsMovies { preview.setHeld(false) }
    updatePreview()
  }

  // MARK: Effects

  /// Chooses an effect with its last strength for this picture, on the same part of it; `nil` removes it. One that can't be
  /// used is refused, with the reason in `problem`.
  public func select(effect: Effect?) {
    let setting = effect.map { self.setting(of: $0) }
    if let reason = refusal(of: setting) {
      problem = reason
      return
    }
    change { $0.effect = setting }
  }

  private func setting(of effect: Effect) -> AdjustmentRecipe.EffectSetting {
    AdjustmentRecipe.EffectSetting(
      effect, intensity: intensities[effect] ?? 1,
      scope: effect.hasScope && scopes.contains(scope) ? scope : .everywhere,
      backdrop: effect.hasBackdrop ? backdrop : nil)
  }

  /// Sets the part of the picture that the effect changes. Effects that change all of it stay as they are.
  public func setScope(_ new: EffectScope) {
    guard var setting = recipe.effect, setting.effect.hasScope, setting.scope != new else { return }
    setting.scope = new
    if let reason = refusal(of: setting) {
      problem = reason
      return
    }
    scope = new
    change { $0.effect = setting }
  }

  /// Sets what is put behind the person. Effects without a backdrop stay as they are.
  public func setBackdrop(_ new: Backdrop) {
    guard let effect = recipe.effect, effect.effect.hasBackdrop, effect.backdrop != new else { return }
    backdrop = new
    change { $0.effect?.backdrop = new }
  }

  /// The reason why people in this picture can't be told from the background, for people; `nil` when they can.
  public var reasonAgainstMattes: String? { start?.hasAllMattes == true ? nil : mattes.reason }

  /// The parts of this picture that an effect can be limited to. Where the person is may have been kept; skin is found anew.
  public var scopes: [EffectScope] {
    guard start?.hasAllMattes == true else { return mattes.scopes }
    return EffectScope.allCases.filter { $0.matteKind != .skin || mattes.scopes.contains($0) }
  }

  /// The reason why an effect can't be used on this picture; `nil` when it can.
  private func refusal(of setting: AdjustmentRecipe.EffectSetting?) -> String? {
    start?.hasAllMattes == true && setting?.scope.matteKind != .skin ? nil : mattes.refusal(of: setting)
  }

  /// Moves the choice by a number of positions in the strip, which starts with no effect. Effects that can't be used are
  /// passed over.
  public func moveEffect(by step: Int) {
    let hasMattes = reasonAgainstMattes == nil
    let all: [Effect?] =
      [nil] + Effect.all.filter { hasMattes || !$0.renderer.needsMatte || $0 == recipe.effect?.effect }
    let index = all.firstIndex { $0 == recipe.effect?.effect } ?? 0
    select(effect: all[min(max(0, index + step), all.count - 1)])
  }

  /// - Parameter intensity: 0…1.
  public func setIntensity(_ intensity: Double) {
    guard let effect = recipe.effect?.effect, intensity.isFinite else { return }
    let held = min(max(0, intensity), 1)
    intensities[effect] = held
    change(step: "intensity") { $0.effect?.intensity = held }
  }

  /// Changes the effect's strength by a number of steps of 5 %, for keys. The result is a whole percentage.
  public func changeIntensity(by steps: Int) {
    guard let effect = recipe.effect else { return }
    setIntensity(((effect.intensity + 0.05 * Double(steps)) * 100).rounded() / 100)
  }

  // MARK: Adjustments

  /// Sets an adjustment, clamped to its range.
  public func set(_ field: Adjustments.Field, to value: Double) {
    guard value.isFinite else { return }
    let held = min(max(field.range.lowerBound, value), field.range.upperBound)
    change(step: field.name) { $0.adjustments[keyPath: field.keyPath] = held }
  }

  /// Resets an adjustment to its neutral value.
  public func reset(_ field: Adjustments.Field) {
    change { $0.adjustments[keyPath: field.keyPath] = 0 }
  }

  // MARK: Copy and paste

  public func copyEdits() {
    guard state == .editing else { return }
    copied = recipe
  }

  /// Applies the copied look to the picture. Crop and playback stay its own.
  public func pasteEdits() {
    guard let copied else { return }
    paste(copied)
  }

  /// Sets the look of another edit. An effect that can't be used is left out, with the reason in `problem`.
  func paste(_ look: AdjustmentRecipe) {
    let isBackdropThere = look.ownBackdrop.map { library.backdrops.isKept($0.id) } ?? true
    let refusal = self.refusal(of: look.effect) ?? (isBackdropThere ? nil : RecipeError.missingBackdrop.description)
    change { recipe in
      let effect = recipe.effect
      recipe = look.pasted(onto: recipe)
      if refusal != nil { recipe.effect = effect }
    }
    if let refusal { problem = refusal }
    if let effect = recipe.effect { (backdrop, scope) = (effect.backdrop ?? backdrop, effect.chosenScope ?? scope) }
  }

  public var canPaste: Bool { state == .editing && copied != nil }

  /// Copies the edit of a picture that isn't open.
  ///
  /// - Returns: `false` for a picture without an edit.
  /// - Throws: As `AssetEditing.open`.
  func copyEdits(of asset: Asset) async throws -> Bool {
    await queue.finished(asset.id)
    let recipe = try await editing.open(asset).recipe
    guard !recipe.isNeutral else { return false }
    copied = recipe
    return true
  }
}
