// Presets in the editor: applied, saved, imported, exported and deleted. Failures are in `problem`.

import Foundation
import Localization
import PhotoEffects

extension EditModel {
  /// Whether the present settings have a look that can be saved as a preset.
  public var canSavePreset: Bool {
    state == .editing && !recipe.pasted(onto: AdjustmentRecipe()).isNeutral
  }

  /// Sets the effect and the adjustments of a preset, as one step.
  public func apply(preset name: String) {
    guard let preset = presets.presets.first(where: { $0.name == name }) else { return }
    paste(preset.recipe)
  }

  /// Saves the present look; a preset that has the name is replaced.
  public func savePreset(_ name: String) {
    guard state == .editing else { return }
    attempt { () throws(PresetError) in try presets.save(name, lookOf: recipe) }
  }

  /// Imports a preset's file, and sets its look.
  public func importPreset(_ url: URL) {
    guard state == .editing else { return }
    attempt { () throws(PresetError) in apply(preset: try presets.importFile(url)) }
  }

  public func exportPreset(_ name: String, to url: URL) {
    attempt { () throws(PresetError) in try presets.export(name, to: url) }
  }

  /// The confirmation before a preset is deleted.
  public func deletionQuestion(preset name: String) -> Question {
    Question(
      title: localized("Delete “\(name)”?"),
      text: localized("Pictures that were edited with this preset stay as they are."), answer: localized("_Delete"))
  }

  public func deletePreset(_ name: String) {
    attempt { () throws(PresetError) in try presets.delete(name) }
  }

  private func attempt(_ body: () throws(PresetError) -> Void) {
    do throws(PresetError) {
      try body()
      problem = nil
    } catch { problem = error.description }
  }
}
