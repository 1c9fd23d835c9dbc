// The recipe's JSON: round trips, and refusal of unknown input.

import Foundation
import TestSupport
import Testing

@testable import PhotoEffects

@Suite struct AdjustmentRecipeTests {
  static func random(_ numbers: inout SeededNumbers) -> AdjustmentRecipe {
    var recipe = AdjustmentRecipe()
    if Bool.random(using: &numbers), let effect = Effect.all.randomElement(using: &numbers) {
      let scope = effect.hasScope ? EffectScope.allCases.randomElement(using: &numbers) ?? .everywhere : .everywhere
      recipe.effect = AdjustmentRecipe.EffectSetting(
        effect, intensity: .random(in: 0...1, using: &numbers), scope: scope,
        backdrop: effect.hasBackdrop ? Backdrop.suggestions.randomElement(using: &numbers) : nil)
    }
    recipe.adjustments = AdjustmentTests.random(&numbers, sharpness: true)
    if Bool.random(using: &numbers) {
      recipe.geometry = GeometryTests.random(&numbers)
      if Bool.random(using: &numbers) { recipe.geometry.straighten = .random(in: -45...45, using: &numbers) }
    }
    if Bool.random(using: &numbers) {
      recipe.matteStrokes = (0..<3).map { _ in MatteStrokeTests.random(&numbers) }
    }
    if Bool.random(using: &numbers) {
      let start = Double.random(in: 0...2, using: &numbers)
      recipe.trim = AdjustmentRecipe.Trim(start: start, end: start + .random(in: 0.1...3, using: &numbers))
    }
    if Bool.random(using: &numbers) {
      recipe.keyPhotoTime = recipe.trim.map { .random(in: $0.start...$0.end, using: &numbers) } ?? 1 / 3
    }
    recipe.isMuted = Bool.random(using: &numbers)
    recipe.playbackStyle = AdjustmentRecipe.PlaybackStyle.allCases.randomElement(using: &numbers) ?? .live
    recipe.redEye = (0..<Int.random(in: 0...3, using: &numbers)).map { _ in
      RedEyeSpot(
        x: .random(in: 0...1, using: &numbers), y: .random(in: 0...1, using: &numbers),
        radius: .random(in: RedEyeSpot.radiusRange, using: &numbers))
    }
    recipe.hasPerson = Bool.random(using: &numbers)
    return recipe
  }

  static func read(_ text: String, version: String = "1.0") throws -> AdjustmentRecipe {
    try AdjustmentRecipe(
      formatIdentifier: AdjustmentRecipe.formatIdentifier, formatVersion: version, data: Data(text.utf8))
  }

  @Test(arguments: 0..<200) func whatIsWrittenIsReadBack(seed: UInt64) throws {
    var numbers = SeededNumbers(state: seed)
    let recipe = Self.random(&numbers)
    let data = try recipe.data()
    let again = try AdjustmentRecipe(
      formatIdentifier: AdjustmentRecipe.formatIdentifier, formatVersion: AdjustmentRecipe.formatVersion, data: data)
    // Every number to the last bit.
    #expect(again == recipe)
    #expect(try again.data() == data)
    #expect(data.count <= AdjustmentRecipe.longestData)
    // Also through any other encoder, as part of something else.
    let list = try PropertyListEncoder().encode([recipe])
    #expect(try PropertyListDecoder().decode([AdjustmentRecipe].self, from: list) == [recipe])
  }

  @Test func theTextIsStable() throws {
    #expect(String(decoding: try AdjustmentRecipe().data(), as: UTF8.self) == "{}")
    var recipe = AdjustmentRecipe()
    recipe.effect = AdjustmentRecipe.EffectSetting(try Effect.named("noir"), intensity: 0.8, scope: .background)
    recipe.adjustments.exposure = 0.1
    recipe.adjustments.contrast = -1
    recipe.geometry.turn = .right
    recipe.geometry.isFlipped = true
    recipe.geometry.straighten = -2.5
    recipe.geometry.crop = Geometry.Crop(x: 0.25, y: 0, width: 0.5, height: 1)
    recipe.redEye = [RedEyeSpot(x: 0.5, y: 0.25, radius: 0.01)]
    recipe.keyPhotoTime = 1.5
    recipe.trim = AdjustmentRecipe.Trim(start: 0.5, end: 2.5)
    recipe.isMuted = true
    recipe.hasPerson = true
    recipe.playbackStyle = .longExposure
    let text = """
      {"adjustments":{"contrast":-1,"exposure":0.1},"effect":{"intensity":0.8,"name":"noir","on":"background"},\
      "geometry":{"crop":{"height":1,"width":0.5,"x":0.25,"y":0},"flip":true,"straighten":-2.5,"turn":90},\
      "keyPhotoTime":1.5,"mute":true,"person":true,"playbackStyle":"long-exposure","redEye":[{"radius":0.01,"x":0.5,"y":0.25}],\
      "trim":{"end":2.5,"start":0.5}}
      """
    #expect(String(decoding: try recipe.data(), as: UTF8.self) == text)
    #expect(try Self.read(text) == recipe)
    #expect(AdjustmentRecipe.formatIdentifier == "io.github.photome.recipe")
    #expect(AdjustmentRecipe.formatVersion == "1.3")
  }

  static let refused: [(String, RecipeError)] = [
    (#"{"stickers":[]}"#, .unknownKeys(["stickers"])),
    (#"{"effect":{"name":"noir","intensity":1,"grain":2}}"#, .unknownKeys(["effect.grain"])),
    (#"{"adjustments":{"dehaze":0.1,"clarity":0}}"#, .unknownKeys(["adjustments.clarity", "adjustments.dehaze"])),
    (#"{"geometry":{"crop":{"x":0,"y":0,"width":1,"height":1,"angle":2}}}"#, .unknownKeys(["geometry.crop.angle"])),
    (#"{"trim":{"start":0,"end":1,"speed":2}}"#, .unknownKeys(["trim.speed"])),
    (#"{"effect":{"name":"Noir","intensity":1}}"#, .unknownEffect("Noir", known: Effect.all.map(\.identifier))),
    (
      #"{"effect":{"name":"noir","intensity":1.01}}"#,
      .outOfRange(name: "intensity", value: 1.01, lowest: 0, highest: 1)
    ),
    (#"{"effect":{"name":"noir","intensity":1,"on":"cat"}}"#, .unknownScope("cat")),
    (
      #"{"effect":{"name":"backdrop","intensity":1,"backdrop":"beach"}}"#,
      .unknownBackdrop("beach", known: BackdropScene.allCases.map(\.rawValue))
    ),
    (#"{"effect":{"name":"noir","intensity":1,"backdrop":"sky"}}"#, .badBackdrop(effect: "Noir")),
    (#"{"effect":{"name":"mirror","intensity":1,"on":"person"}}"#, .badScope(effect: "Mirror")),
    (#"{"adjustments":{"exposure":-2.5}}"#, .outOfRange(name: "exposure", value: -2.5, lowest: -2, highest: 2)),
    (#"{"adjustments":{"sharpness":-1}}"#, .outOfRange(name: "sharpness", value: -1, lowest: 0, highest: 1)),
    (
      #"{"redEye":[{"x":0.5,"y":1.5,"radius":0.01}]}"#,
      .outOfRange(name: "redEye.y", value: 1.5, lowest: 0, highest: 1)
    ),
    (
      #"{"redEye":[{"x":0.5,"y":0.5,"radius":0.5}]}"#,
      .outOfRange(name: "redEye.radius", value: 0.5, lowest: 0.0001, highest: 0.25)
    ),
    (#"{"geometry":{"turn":45}}"#, .badTurn(45)),
    (#"{"geometry":{"straighten":46}}"#, .outOfRange(name: "straighten", value: 46, lowest: -45, highest: 45)),
    (#"{"geometry":{"crop":{"x":0.5,"y":0,"width":0.6,"height":1}}}"#, .badCrop),
    (#"{"trim":{"start":2,"end":2}}"#, .badTrim(start: 2, end: 2)),
    (#"{"trim":{"start":-1,"end":2}}"#, .outOfRange(name: "trim.start", value: -1, lowest: 0, highest: 86400)),
    (#"{"keyPhotoTime":3,"trim":{"start":0,"end":2}}"#, .keyPhotoOutsideTrim(time: 3, start: 0, end: 2)),
    (#"{"keyPhotoTime":-0.1}"#, .outOfRange(name: "keyPhotoTime", value: -0.1, lowest: 0, highest: 86400)),
    (
      #"{"playbackStyle":"rewind"}"#,
      .unknownPlaybackStyle("rewind", known: ["live", "loop", "bounce", "long-exposure"])
    ),
  ]

  @Test(arguments: refused) func whatCantBeRenderedExactlyIsRefused(text: String, error: RecipeError) {
    #expect(throws: error) { try Self.read(text) }
    #expect(!error.description.isEmpty && error.errorDescription == error.description)
  }

  @Test(arguments: [
    "", "[]", "null", "1", "{", #"{"mute":1}"#, #"{"mute":null}"#, #"{"trim":null}"#, #"{"trim":{"start":1}}"#,
    #"{"effect":{"name":"noir"}}"#, #"{"effect":"noir"}"#, #"{"keyPhotoTime":"1"}"#, #"{"keyPhotoTime":NaN}"#,
    #"{"keyPhotoTime":1e999}"#, #"{"geometry":{"turn":90.5}}"#, #"{"geometry":{"crop":[0,0,1,1]}}"#,
    #"{"redEye":{"x":1}}"#, #"{"redEye":[{"x":1,"y":1}]}"#, #"{"adjustments":{"exposure":null}}"#,
    #"{"adjustments":[]}"#, "{\"mute\":true}\u{0}", "\u{fffd}",
  ]) func whatIsNoRecipeIsRefused(text: String) {
    #expect {
      try Self.read(text)
    } throws: {
      guard case RecipeError.malformed(let message) = $0 else { return false }
      return !message.isEmpty
    }
  }

  @Test func longAndDeepTextsAreRefusedAtOnce() {
    let long = #"{"playbackStyle":"\#(String(repeating: "x", count: 1 << 16))"}"#
    let deep = String(repeating: "[", count: 60000)
    for text in [long, deep] { #expect(throws: RecipeError.self) { try Self.read(text) } }
  }

  @Test(
    arguments: [
      ("1.0", nil), ("1.7", nil), ("1.123456", nil), ("2.0", .newerVersion("2.0", supported: "1.3")),
      ("10.1", .newerVersion("10.1", supported: "1.3")), ("0.9", .malformedVersion("0.9")),
      ("1", .malformedVersion("1")), ("", .malformedVersion("")), ("1.0.0", .malformedVersion("1.0.0")),
      ("1.", .malformedVersion("1.")), ("-1.0", .malformedVersion("-1.0")), ("1.x", .malformedVersion("1.x")),
      ("1.0 ", .malformedVersion("1.0 ")), ("99999999999999999999.0", .malformedVersion("99999999999999999999.0")),
    ] as [(String, RecipeError?)])
  func versions(version: String, error: RecipeError?) {
    if let error {
      #expect(throws: error) { try Self.read("{}", version: version) }
    } else {
      #expect(throws: Never.self) { try Self.read(#"{"mute":true}"#, version: version) }
      // An addition of the newer version is not dropped in silence.
      #expect(throws: RecipeError.unknownKeys(["grain"])) { try Self.read(#"{"grain":1}"#, version: version) }
    }
  }

  @Test func otherProgramsEditsAreRefused() {
    #expect(throws: RecipeError.unknownFormat(identifier: "org.gegl.cartoon")) {
      try AdjustmentRecipe(formatIdentifier: "org.gegl.cartoon", formatVersion: "1.0", data: Data("{}".utf8))
    }
  }

  @Test func badValuesAreNotWritten() {
    for value in [Double.nan, .infinity, -.infinity, 3] {
      var recipe = AdjustmentRecipe()
      recipe.adjustments.contrast = value
      #expect(throws: RecipeError.self) { try recipe.data() }
      recipe = AdjustmentRecipe()
      recipe.keyPhotoTime = value == 3 ? -3 : value
      #expect(throws: RecipeError.self) { try recipe.data() }
      #expect(throws: RecipeError.self) { try FrameProcessor(recipe) }
    }
  }

  @Test func whatARecipeChanges() throws {
    var recipe = AdjustmentRecipe()
    #expect(recipe.isNeutral && !recipe.changesPicture && !recipe.changesMovie && !recipe.isStillOnly)
    recipe.effect = AdjustmentRecipe.EffectSetting(try Effect.named("sepia"), intensity: 0)
    #expect(recipe.isNeutral)
    recipe.effect?.intensity = 0.1
    #expect(recipe.changesPicture && !recipe.changesMovie && !recipe.isNeutral)
    recipe = AdjustmentRecipe()
    recipe.playbackStyle = .longExposure
    #expect(recipe.isStillOnly && recipe.changesMovie && !recipe.changesPicture && !recipe.isNeutral)
    #expect(recipe.withoutMovieChanges == AdjustmentRecipe())
    recipe = AdjustmentRecipe()
    recipe.redEye = [RedEyeSpot(x: 0.5, y: 0.5, radius: 0.01)]
    #expect(recipe.changesPicture && !recipe.changesFrames && !recipe.changesMovie && !recipe.isNeutral)
  }

  @Test(arguments: 0..<20) func aPastedRecipeBringsTheLookAlone(seed: UInt64) {
    var numbers = SeededNumbers(state: 900 + seed)
    let copied = Self.random(&numbers)
    let other = Self.random(&numbers)
    let result = copied.pasted(onto: other)
    #expect(result.effect == copied.effect && result.adjustments == copied.adjustments)
    #expect(result.geometry == other.geometry && result.keyPhotoTime == other.keyPhotoTime)
    #expect(result.trim == other.trim && result.isMuted == other.isMuted && result.redEye == other.redEye)
    #expect(result.playbackStyle == other.playbackStyle)
    #expect(copied.pasted(onto: copied) == copied)
    #expect(copied.pasted(onto: result) == result)
  }
}
