// A preset: the look of an edit under a name, and its file.

import Foundation
import Localization

/// An effect and adjustments under a name, to be used again, and given to others as a file.
///
/// The file, version 1.1, is a JSON object; unknown keys are refused, and so are settings that belong to one picture: geometry, red
/// eyes, key photo, trim, sound and playback style.
///
///     { "format" : "io.github.photome.preset", "name" : "Evening", "recipe" : { "adjustments" : { "warmth" : 0.2 } },
///       "version" : "1.1" }
public struct EditPreset: Sendable, Hashable {
  public static let formatIdentifier = "io.github.photome.preset"
  public static let formatVersion = "1.1"
  /// The ending of the files' names, without the dot.
  public static let fileExtension = "photome-preset"
  public static let mimeType = "application/x-photome-preset"

  /// The limit of a file's length, in bytes.
  public static let longestData = 1 << 17
  /// The limit of a name's length, in bytes of UTF-8: file systems have 255 for it and the ending.
  static let longestName = 200

  public let name: String
  /// The effect and the adjustments; everything else is neutral.
  public let recipe: AdjustmentRecipe

  /// The name of its file.
  public var fileName: String { "\(name).\(Self.fileExtension)" }

  /// A preset with the look of an edit.
  ///
  /// - Throws: `PresetError.badName`, or `.empty` for an edit without an effect and adjustments.
  public init(name: String, lookOf recipe: AdjustmentRecipe) throws(PresetError) {
    let trimmed = name.trimmingCharacters(in: .whitespacesAndNewlines)
    let isPlain = trimmed.unicodeScalars.allSatisfy { !CharacterSet.controlCharacters.contains($0) && $0 != "/" }
    guard !trimmed.isEmpty, !trimmed.hasPrefix("."), trimmed.utf8.count <= Self.longestName, isPlain else {
      throw .badName(trimmed)
    }
    self.name = trimmed
    self.recipe = recipe.pasted(onto: AdjustmentRecipe())
    guard !self.recipe.isNeutral else { throw .empty }
  }

  /// Reads a file's contents.
  ///
  /// - Throws: `PresetError.unreadable`, `.badName` or `.empty`.
  public init(data: Data) throws(PresetError) {
    let content: Content
    do {
      try AdjustmentRecipe.checkShape(data, longest: Self.longestData)
      content = try JSONDecoder().decode(Content.self, from: data)
    } catch let error as RecipeError {
      throw .unreadable(reason: Self.reason(error))
    } catch {
      throw .unreadable(reason: localized("it isn’t a preset of PhotoMe"))
    }
    let settings = content.recipe
    guard settings.geometry.isNeutral, settings.matteStrokes.isEmpty, settings.redEye.isEmpty, !settings.changesMovie,
      !settings.hasPerson
    else {
      throw .unreadable(reason: localized("it has settings that belong to a single picture, such as a crop"))
    }
    try self.init(name: content.name, lookOf: content.recipe)
  }

  /// The error of a recipe, of which nothing can be reverted here.
  private static func reason(_ error: RecipeError) -> String {
    switch error {
    case .newerVersion: localized("it was made by a newer version of PhotoMe")
    case .unknownKeys(let keys):
      localized("it has settings that this version of PhotoMe doesn’t know: \(keys.localizedList)")
    case .malformed, .malformedVersion, .unknownFormat: localized("it isn’t a preset of PhotoMe")
    default: error.description
    }
  }

  /// The file's contents: the same bytes for the same preset.
  ///
  /// - Throws: A `RecipeError` for values that can't be rendered.
  public func data() throws -> Data {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes, .prettyPrinted]
    return try encoder.encode(Content(name: name, recipe: recipe))
  }

  /// A file's JSON object.
  private struct Content: Codable {
    let name: String
    let recipe: AdjustmentRecipe

    private enum Key: String, CaseIterable { case format, name, recipe, version }

    init(name: String, recipe: AdjustmentRecipe) { (self.name, self.recipe) = (name, recipe) }

    init(from decoder: any Decoder) throws {
      let all = try decoder.container(keyedBy: AnyKey.self)
      // What it is comes first: another program's file has other keys.
      let format = try all.decode(String.self, forKey: AnyKey(Key.format))
      guard format == EditPreset.formatIdentifier else {
        throw DecodingError.dataCorruptedError(
          forKey: AnyKey(Key.format), in: all, debugDescription: "another program’s file")
      }
      try AdjustmentRecipe.checkFormat(
        identifier: AdjustmentRecipe.formatIdentifier, version: try all.decode(String.self, forKey: AnyKey(Key.version))
      )
      let values = try StrictValues<Key>(all)
      name = try values.required(.name, String.self)
      recipe = try values.required(.recipe, AdjustmentRecipe.self)
    }

    func encode(to encoder: any Encoder) throws {
      var values = encoder.container(keyedBy: AnyKey.self)
      try values.encode(EditPreset.formatIdentifier, forKey: AnyKey(Key.format))
      try values.encode(name, forKey: AnyKey(Key.name))
      try values.encode(recipe, forKey: AnyKey(Key.recipe))
      try values.encode(EditPreset.formatVersion, forKey: AnyKey(Key.version))
    }
  }
}

/// A preset that can't be made, read, found or written. The description says what is wrong and what can be done.
public enum PresetError: Error, Equatable, Sendable, LocalizedError, CustomStringConvertible {
  /// A name that can't be a file's.
  case badName(String)
  /// There is no effect and no adjustment in it.
  case empty
  /// - reason: A clause or a sentence.
  case unreadable(reason: String)
  /// The same of a file.
  case unreadableFile(name: String, reason: String)
  case unknown(name: String, known: [String])
  /// Another file is in the place of a new one.
  case exists(path: String)
  case unwritable(path: String, reason: String)

  public var errorDescription: String? { description }

  public var description: String {
    switch self {
    case .badName(let name):
      localized(
        "“\(name)” can’t be the name of a preset. Choose a shorter one without slashes and without a leading dot.")
    case .empty:
      localized("A preset needs an effect or an adjustment. Crop and rotation aren’t part of presets.")
    case .unreadable(let reason): localized("The preset can’t be used: \(Self.clause(reason)).")
    case .unreadableFile(let name, let reason):
      localized("The preset “\(name)” can’t be used: \(Self.clause(reason)).", comment: "{1} is the reason")
    case .unknown(let name, let known):
      known.isEmpty
        ? localized("There is no preset “\(name)”. There are no presets yet.")
        : localized("There is no preset “\(name)”. Available presets: \(known.localizedList).")
    case .exists(let path): localized("There is a file at “\(path)” already. Choose another name.")
    case .unwritable(let path, let reason): localized("“\(path)” can’t be written: \(Self.clause(reason)).")
    }
  }

  /// A reason without its period.
  private static func clause(_ reason: String) -> String { reason.hasSuffix(".") ? String(reason.dropLast()) : reason }
}
