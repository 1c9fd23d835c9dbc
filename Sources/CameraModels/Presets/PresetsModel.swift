// The user's presets, for the editor.

import Foundation
import Localization
import Observation
import PhotoEffects

/// The list of presets, and what can be done with it.
@MainActor @Observable
public final class PresetsModel {
  /// By name.
  public private(set) var presets: [EditPreset] = []

  @ObservationIgnored private let store: PresetStore

  public init(store: PresetStore = .standard) { self.store = store }

  /// Reads the folder again, which the command line and file managers change as well.
  ///
  /// - Throws: `PresetError` when it can't be read, or for the first file that is no preset; the others are there.
  public func reload() throws(PresetError) {
    let (found, problems) = try store.list()
    if found != presets { presets = found }
    if let problem = problems.first { throw problem }
  }

  /// Saves the look of an edit; a preset that has the name is replaced.
  ///
  /// - Throws: `PresetError`.
  public func save(_ name: String, lookOf recipe: AdjustmentRecipe) throws(PresetError) {
    try store.save(EditPreset(name: name, lookOf: recipe))
    try reload()
  }

  /// - Returns: The preset's name here.
  /// - Throws: `PresetError`.
  @discardableResult
  public func importFile(_ url: URL) throws(PresetError) -> String {
    let name = try store.importPreset(from: url).name
    try reload()
    return name
  }

  /// Writes a preset's file for others; a file that is there is replaced, for which the file dialog has asked.
  ///
  /// - Throws: `PresetError`.
  public func export(_ name: String, to url: URL) throws(PresetError) {
    try store.export(name, to: url, replaces: true)
  }

  /// - Throws: `PresetError`.
  public func delete(_ name: String) throws(PresetError) {
    try store.delete(name)
    try reload()
  }
}
