// The user's presets: saved, shared as files, and used in the editor.

import Foundation
import PhotoEffects
import Testing

@testable import CameraModels

@MainActor
@Suite(.timeLimit(.minutes(30))) struct PresetStoreTests {
  private let folder = FileManager.default.temporaryDirectory.appendingPathComponent(
    "photome-presets-\(UUID().uuidString)")
  private var store: PresetStore { PresetStore(folder: folder.appendingPathComponent("presets")) }

  private func preset(_ name: String, warmth: Double = 0.5) throws -> EditPreset {
    var recipe = AdjustmentRecipe()
    recipe.adjustments.warmth = warmth
    return try EditPreset(name: name, lookOf: recipe)
  }

  private func names() throws -> [String] { try store.list().presets.map(\.name) }

  private func end() throws { try FileManager.default.removeItem(at: folder) }

  @Test func presetsAreSavedReplacedAndDeleted() throws {
    #expect(try names() == [], "there is no folder yet")
    try store.save(preset("Evening"))
    try store.save(preset("a 10"))
    try store.save(preset("a 2"))
    #expect(try names() == ["a 2", "a 10", "Evening"])
    try store.save(preset("Evening", warmth: -0.5))
    #expect(try store.preset(named: "Evening") == preset("Evening", warmth: -0.5))
    try store.delete("a 2")
    #expect(try names() == ["a 10", "Evening"])
    #expect(throws: PresetError.unknown(name: "a 2", known: ["a 10", "Evening"])) { try store.delete("a 2") }
    try end()
  }

  @Test func aFileIsSharedAndImportedWithoutReplacingAnother() throws {
    try store.save(preset("Evening"))
    let file = try store.export("Evening", to: folder)
    #expect(file.lastPathComponent == "Evening.photome-preset")
    #expect(throws: PresetError.exists(path: file.path)) { try store.export("Evening", to: folder) }
    try store.export("Evening", to: file, replaces: true)
    #expect(try store.importPreset(from: file).name == "Evening", "the same one")
    try store.save(preset("Evening", warmth: 0.1))
    #expect(try store.importPreset(from: file).name == "Evening 2")
    #expect(try store.importPreset(from: file).name == "Evening 2", "only once")
    #expect(try names() == ["Evening", "Evening 2"])
    #expect(try store.preset(named: "Evening") == preset("Evening", warmth: 0.1))
    try end()
  }

  @Test func whatIsNoPresetIsNamed() throws {
    try store.save(preset("Evening"))
    let bad = store.folder.appendingPathComponent("bad.photome-preset")
    try Data("{}".utf8).write(to: bad)
    let (presets, problems) = try store.list()
    #expect(presets.map(\.name) == ["Evening"] && problems.count == 1)
    #expect(problems.first?.description.contains("bad.photome-preset") == true)
    #expect(throws: PresetError.self) { try store.importPreset(from: bad) }
    #expect(throws: PresetError.self) {
      try store.importPreset(from: folder.appendingPathComponent("gone.photome-preset"))
    }
    #expect(throws: PresetError.self) { try store.importPreset(from: folder) }
    try end()
  }

  @Test func theEditorSavesAndAppliesThem() async throws {
    let bench = try await EditBench()
    let model = bench.model
    await bench.open()
    #expect(!model.canSavePreset)
    model.turnRight()
    #expect(!model.canSavePreset, "a crop is no look")
    model.select(effect: Effect.all[2])
    #expect(model.canSavePreset)
    model.savePreset("Mine")
    #expect(model.problem == nil && model.presets.presets.map(\.name) == ["Mine"])
    model.savePreset("a/b")
    #expect(model.problem?.contains("a/b") == true)
    model.select(effect: nil)
    model.apply(preset: "Mine")
    #expect(model.recipe.effect?.effect == Effect.all[2] && model.recipe.geometry.turn == .right)
    model.undo()
    #expect(model.recipe.effect == nil, "one step")
    let file = bench.library.folder.appendingPathComponent("Mine.photome-preset")
    model.exportPreset("Mine", to: file)
    model.deletePreset("Mine")
    #expect(model.presets.presets.isEmpty)
    model.importPreset(file)
    #expect(model.problem == nil && model.recipe.effect?.effect == Effect.all[2])
    try await bench.end()
  }
}
