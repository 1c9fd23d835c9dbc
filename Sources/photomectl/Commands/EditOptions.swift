// The options of `photomectl edit` and the changes that they mean.

import ArgumentParser
import CameraCore
import Foundation
import Localization
import PhotoEffects
import PhotoLibrary

/// The changes of one edit.
struct EditOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      localized("An effect and its intensity, 0 to 1; “none” removes it."), valueName: "name[:intensity]"))
  var effect: String?
  @OptionGroup var details: EffectDetailOptions
  @Option(
    help: ArgumentHelp(
      localized(
        "An adjustment: \(Adjustments.fields.map(\.name).joined(separator: ", ")). Can be repeated.",
        comment: "{0} is a list of words that are typed"),
      valueName: "name=value"))
  var adjust: [String] = []
  @Option(
    help: ArgumentHelp(
      localized(
        """
        The part to keep: in pixels of the rotated picture, or as fractions, 0 to 1; “none” keeps all, and “auto” crops by \
        the faces.
        """),
      valueName: "x,y,width,height"))
  var crop: String?
  @Option(help: ArgumentHelp(localized("Clockwise rotation: 0, 90, 180, or 270."), valueName: "degrees"))
  var turn: Int?
  @Option(help: ArgumentHelp(localized("Clockwise leveling, -45 to 45."), valueName: "degrees"))
  var straighten: Double?
  @Flag(inversion: .prefixedNo, help: ArgumentHelp(localized("Whether left and right are swapped."))) var flip: Bool?
  @Flag(
    inversion: .prefixedNo,
    help: ArgumentHelp(
      localized("Whether pupils that a flash has made red are darkened; they are looked for in faces.")))
  var redEye: Bool?
  @Option(
    help: ArgumentHelp(
      localized("The part of the video to keep, in seconds, as 0.5..2; either end can be omitted. “none” keeps all."),
      valueName: "start..end"))
  var trim: String?
  @Option(
    help: ArgumentHelp(
      localized("The moment of the video that becomes the still, in seconds; “none” restores the still as taken."),
      valueName: "time"))
  var keyPhoto: String?
  @Flag(inversion: .prefixedNo, help: ArgumentHelp(localized("Whether the video is muted."))) var mute: Bool?
  @Option(
    help: ArgumentHelp(
      localized(
        "The playback style of a live photo: \(EditOptions.styles.joined(separator: ", ")).",
        comment: "{0} is a list of words that are typed")))
  var style: String?
  @Option(
    name: [.customLong("like"), .customLong("copy-from")],
    help: ArgumentHelp(
      localized("A picture whose effect and adjustments are copied first; crop, trim, and key photo aren’t."),
      valueName: "id"))
  var like: String?
  @Option(
    help: ArgumentHelp(
      localized("A preset whose effect and adjustments are set first; “photomectl presets” lists them."),
      valueName: "name|file"))
  var preset: String?
  @Flag(
    help: ArgumentHelp(
      localized(
        "Set light, color, and straightening by what is measured in the original. Other options come after it.")))
  var auto = false

  private static let styles = AdjustmentRecipe.PlaybackStyle.allCases.map(\.rawValue)

  /// Whether the crop is chosen by the faces in the picture, which takes more than these options.
  var cropsByFaces: Bool { crop == "auto" }

  var changesSomething: Bool {
    effect != nil || !details.isEmpty || !adjust.isEmpty || crop != nil || turn != nil || straighten != nil
      || flip != nil || redEye != nil || trim != nil
      || keyPhoto != nil || mute != nil || style != nil || like != nil || preset != nil || auto
  }

  /// - Throws: A `RecipeError` or `CommandError`.
  func apply(to recipe: inout AdjustmentRecipe, of input: ContentEditingInput) throws {
    if let effect { recipe.effect = try Self.effect(effect) }
    try details.apply(to: &recipe.effect)
    for text in adjust {
      let parts = text.split(separator: "=", maxSplits: 1)
      guard parts.count == 2, let value = Double(parts[1]) else {
        throw CommandError(localized("“\(text)” isn’t an adjustment. Write it as exposure=0.5."))
      }
      recipe.adjustments[keyPath: try Adjustments.field(named: String(parts[0])).keyPath] = value
    }
    if let turn { try Self.turn(&recipe.geometry, to: turn) }
    if let straighten { recipe.geometry.straighten = straighten }
    if let flip, flip != recipe.geometry.isFlipped { recipe.geometry.flip() }
    if let crop, !cropsByFaces { recipe.geometry.crop = try Self.crop(crop, recipe.geometry, input.size) }
    if redEye == false { recipe.redEye = [] }
    if let mute { recipe.isMuted = mute }
    if let style {
      guard let known = AdjustmentRecipe.PlaybackStyle(rawValue: style) else {
        throw RecipeError.unknownPlaybackStyle(style, known: Self.styles)
      }
      recipe.setPlaybackStyle(known)
    }
    if let trim { recipe.trim = try Self.trim(trim, input.duration) }
    if let keyPhoto {
      recipe.setKeyPhoto(try keyPhoto == "none" ? nil : Self.time(keyPhoto))
    }
  }

  /// A number as it is typed in every language.
  ///
  /// - Parameter fault: What is said of a text that isn't one.
  private static func number(_ text: some StringProtocol, _ fault: (String) -> String) throws -> Double {
    guard let value = Double(text), value.isFinite else { throw CommandError(fault(String(text))) }
    return value
  }

  private static func intensity(_ text: some StringProtocol) throws -> Double {
    try number(text) { localized("“\($0)” isn’t an intensity from 0 to 1.") }
  }

  private static func time(_ text: some StringProtocol) throws -> Double {
    try number(text) { localized("“\($0)” isn’t a time in seconds.") }
  }

  /// - Throws: A `RecipeError` or `CommandError` when the text isn't an effect.
  static func effect(_ text: String) throws -> AdjustmentRecipe.EffectSetting? {
    if text == "none" { return nil }
    let parts = text.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
    let intensity = try parts.count == 2 ? Self.intensity(parts[1]) : 1
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
      try number($0.trimmingCharacters(in: .whitespaces)) {
        localized("“\($0)” isn’t a number. Write a crop as 100,50,800,600.")
      }
    }
    guard numbers.count == 4 else {
      throw CommandError(localized("A crop has four numbers: left, top, width, height."))
    }
    guard numbers.contains(where: { $0 > 1 }) else {
      return .init(x: numbers[0], y: numbers[1], width: numbers[2], height: numbers[3])
    }
    var uncropped = geometry
    uncropped.crop = .full
    let whole = uncropped.outputSize(for: size)
    let (width, height) = (Double(whole.width), Double(whole.height))
    guard numbers.allSatisfy({ $0 >= 0 }), numbers[0] + numbers[2] <= width, numbers[1] + numbers[3] <= height else {
      throw CommandError(
        localized(
          "The crop \(text) reaches beyond the picture, which is \(whole.description) pixels as it is rotated.",
          comment: "{1} is like 1280x720"))
    }
    return .init(x: numbers[0] / width, y: numbers[1] / height, width: numbers[2] / width, height: numbers[3] / height)
  }

  private static func trim(_ text: String, _ duration: Double?) throws -> AdjustmentRecipe.Trim? {
    if text == "none" { return nil }
    guard let dots = text.range(of: "..") else {
      throw CommandError(localized("“\(text)” isn’t a trim. Write it as 0.5..2."))
    }
    let (start, end) = (text[..<dots.lowerBound], text[dots.upperBound...])
    let last = duration ?? AdjustmentRecipe.timeRange.upperBound
    return .init(
      start: try start.isEmpty ? 0 : time(start), end: min(last, try end.isEmpty ? last : time(end)))
  }
}
