// The options of `photomectl edit` and the changes that they mean.

import ArgumentParser
import CameraCore
import Foundation
import PhotoEffects
import PhotoLibrary

/// The changes of one edit.
struct EditOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp("An effect and its intensity, 0 to 1; “none” removes it.", valueName: "name[:intensity]"))
  var effect: String?
  @Option(
    help: ArgumentHelp(
      "An adjustment: \(Adjustments.fields.map(\.name).joined(separator: ", ")). Can be repeated.",
      valueName: "name=value"))
  var adjust: [String] = []
  @Option(
    help: ArgumentHelp(
      "The part to keep: in pixels of the rotated picture, or as fractions, 0 to 1; “none” keeps all.",
      valueName: "x,y,width,height"))
  var crop: String?
  @Option(help: ArgumentHelp("Clockwise rotation: 0, 90, 180 or 270.", valueName: "degrees"))
  var turn: Int?
  @Option(help: ArgumentHelp("Clockwise leveling, -45 to 45.", valueName: "degrees"))
  var straighten: Double?
  @Flag(inversion: .prefixedNo, help: "Whether left and right are swapped.") var flip: Bool?
  @Option(
    help: ArgumentHelp(
      "The part of the video to keep, in seconds, as 0.5..2; either end can be omitted. “none” keeps all.",
      valueName: "start..end"))
  var trim: String?
  @Option(
    help: ArgumentHelp(
      "The moment of the video that becomes the still, in seconds; “none” restores the still as taken.",
      valueName: "time"))
  var keyPhoto: String?
  @Flag(inversion: .prefixedNo, help: "Whether the video is muted.") var mute: Bool?
  @Option(
    help:
      "The playback style of a live photo: \(AdjustmentRecipe.PlaybackStyle.allCases.map(\.rawValue).joined(separator: ", "))."
  )
  var style: String?
  @Option(help: ArgumentHelp("A picture whose effect and adjustments are copied first.", valueName: "id"))
  var copyFrom: String?

  var changesSomething: Bool {
    effect != nil || !adjust.isEmpty || crop != nil || turn != nil || straighten != nil || flip != nil || trim != nil
      || keyPhoto != nil || mute != nil || style != nil || copyFrom != nil
  }

  /// - Throws: A `RecipeError` or `CommandError`.
  func apply(to recipe: inout AdjustmentRecipe, of input: ContentEditingInput) throws {
    if let effect { recipe.effect = try Self.effect(effect) }
    for text in adjust {
      let parts = text.split(separator: "=", maxSplits: 1)
      guard parts.count == 2, let value = Double(parts[1]) else {
        throw CommandError("“\(text)” isn’t an adjustment. Write it as exposure=0.5.")
      }
      recipe.adjustments[keyPath: try Adjustments.field(named: String(parts[0])).keyPath] = value
    }
    if let turn { try Self.turn(&recipe.geometry, to: turn) }
    if let straighten { recipe.geometry.straighten = straighten }
    if let flip, flip != recipe.geometry.isFlipped { recipe.geometry.flip() }
    if let crop { recipe.geometry.crop = try Self.crop(crop, recipe.geometry, input.size) }
    if let mute { recipe.isMuted = mute }
    if let style {
      guard let known = AdjustmentRecipe.PlaybackStyle(rawValue: style) else {
        throw RecipeError.unknownPlaybackStyle(style, known: AdjustmentRecipe.PlaybackStyle.allCases.map(\.rawValue))
      }
      recipe.playbackStyle = known
    }
    if let trim { recipe.trim = try Self.trim(trim, input.duration) }
    if let keyPhoto {
      recipe.keyPhotoTime = try keyPhoto == "none" ? nil : Self.number(keyPhoto, "a time in seconds")
    }
  }

  private static func number(_ text: some StringProtocol, _ what: String) throws -> Double {
    guard let value = Double(text), value.isFinite else { throw CommandError("“\(text)” is not \(what).") }
    return value
  }

  /// - Throws: A `RecipeError` or `CommandError` when the text isn't an effect.
  static func effect(_ text: String) throws -> AdjustmentRecipe.EffectSetting? {
    if text == "none" { return nil }
    let parts = text.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
    let intensity = try parts.count == 2 ? number(parts[1], "an intensity from 0 to 1") : 1
    return .init(try Effect.named(String(parts[0])), intensity: intensity)
  }

  private static func turn(_ geometry: inout Geometry, to degrees: Int) throws {
    let wanted = try Geometry.Turn(degrees: ((degrees % 360) + 360) % 360)
    // The crop turns with the picture.
    while geometry.turn != wanted { geometry.turnRight() }
  }

  private static func crop(_ text: String, _ geometry: Geometry, _ size: PixelSize) throws -> Geometry.Crop {
    if text == "none" { return .full }
    let numbers = try text.split(separator: ",", omittingEmptySubsequences: false).map {
      try number($0.trimmingCharacters(in: .whitespaces), "a number of a crop, as in 100,50,800,600")
    }
    guard numbers.count == 4 else { throw CommandError("A crop has four numbers: left, top, width, height.") }
    guard numbers.contains(where: { $0 > 1 }) else {
      return .init(x: numbers[0], y: numbers[1], width: numbers[2], height: numbers[3])
    }
    var uncropped = geometry
    uncropped.crop = .full
    let whole = uncropped.outputSize(for: size)
    let (width, height) = (Double(whole.width), Double(whole.height))
    guard numbers.allSatisfy({ $0 >= 0 }), numbers[0] + numbers[2] <= width, numbers[1] + numbers[3] <= height else {
      throw CommandError("The crop \(text) leaves the picture, which is \(whole) pixels as it is turned.")
    }
    return .init(x: numbers[0] / width, y: numbers[1] / height, width: numbers[2] / width, height: numbers[3] / height)
  }

  private static func trim(_ text: String, _ duration: Double?) throws -> AdjustmentRecipe.Trim? {
    if text == "none" { return nil }
    guard let dots = text.range(of: "..") else { throw CommandError("“\(text)” isn’t a trim. Write it as 0.5..2.") }
    let (start, end) = (text[..<dots.lowerBound], text[dots.upperBound...])
    let last = duration ?? AdjustmentRecipe.timeRange.upperBound
    return .init(
      start: try start.isEmpty ? 0 : number(start, "a time in seconds"),
      end: min(last, try end.isEmpty ? last : number(end, "a time in seconds")))
  }
}
