// The file of a preset: round trips, and refusals in words.

import Foundation
import TestSupport
import Testing

@testable import PhotoEffects

@Suite struct EditPresetTests {
  private static func recipe() -> AdjustmentRecipe {
    var recipe = AdjustmentRecipe(.init(Effect.all[0], intensity: 0.5))
    recipe.adjustments.warmth = 0.25
    return recipe
  }

  /// What a file is refused with; `nil` when it is read.
  private static func refusal(_ text: String) -> PresetError? {
    do throws(PresetError) {
      _ = try EditPreset(data: Data(text.utf8))
      return nil
    } catch { return error }
  }

  @Test(arguments: 0..<100) func whatIsWrittenIsReadBack(seed: UInt64) throws {
    var numbers = SeededNumbers(state: seed)
    let recipe = AdjustmentRecipeTests.random(&numbers)
    let preset = try EditPreset(name: "  Abend, “schön” _1 ", lookOf: recipe)
    #expect(preset.name == "Abend, “schön” _1" && preset.fileName == "Abend, “schön” _1.photome-preset")
    #expect(preset.recipe.geometry.isNeutral && !preset.recipe.changesMovie)
    let data = try preset.data()
    let again = try EditPreset(data: data)
    #expect(again == preset)
    #expect(try again.data() == data)
  }

  @Test(arguments: ["", "  ", ".hidden", "a/b", "a\u{0}b", "a\nb", String(repeating: "é", count: 101)])
  func namesThatCannotBeFilesAreRefused(name: String) {
    #expect(throws: PresetError.self) { try EditPreset(name: name, lookOf: Self.recipe()) }
  }

  @Test func aPresetWithoutALookIsRefused() {
    var recipe = AdjustmentRecipe()
    recipe.geometry.turn = .left
    #expect(throws: PresetError.empty) { try EditPreset(name: "a", lookOf: recipe) }
  }

  @Test func foreignAndDamagedFilesAreRefused() throws {
    let good =
      #"{"format":"io.github.photome.preset","name":"a","recipe":{"adjustments":{"warmth":0.5}},"version":"1.0"}"#
    #expect(Self.refusal(good) == nil)
    let changes = [
      ("preset\"", "other\""), ("\"1.0\"", "\"2.0\""), ("\"1.0\"", "1"), ("0.5", "7"), ("warmth", "heat"), ("}}", "}"),
      ("\"name\":\"a\"", "\"name\":\"../a\""), ("\"name\"", "\"title\""),
      ("{\"adjustments\"", "{\"geometry\":{\"turn\":90},\"adjustments\""),
      ("{\"adjustments\"", "{\"mute\":true,\"adjustments\""),
      ("{\"warmth\":0.5}", "{}"), ("\"version\"", "\"new\":1,\"version\""),
    ]
    for (old, new) in changes {
      let text = good.replacing(old, with: new, maxReplacements: 1)
      #expect(text != good)
      let refusal = Self.refusal(text)
      #expect(refusal?.description.isEmpty == false, "\(text)")
    }
    for text in ["", "null", "[]", "{}", "\u{ff}", String(repeating: "[", count: 100)] {
      #expect(Self.refusal(text) != nil, "\(text)")
    }
    #expect(Self.refusal(good + String(repeating: " ", count: EditPreset.longestData)) != nil)
  }
}
