// The file of edits that aren't saved yet, from which a later start gives them back.

import CameraCore
import Foundation
import PhotoEffects
import PhotoLibrary

/// One JSON file for each library, in the user's state folder, beside that of the history.
///
/// The editor is closed while an edit is being saved: when the program is killed then, its settings are only here.
public struct UnsavedEditsFile: Sendable {
  /// The contents of a file.
  private struct Content: Codable {
    var version = 1
    /// The path of the library's folder.
    var library: String
    var edits: [Tolerant]
  }

  /// An edit that may be one of another version.
  private struct Tolerant: Codable {
    var asset: Asset.ID
    var recipe: AdjustmentRecipe?

    init(asset: Asset.ID, recipe: AdjustmentRecipe) { (self.asset, self.recipe) = (asset, recipe) }

    init(from decoder: any Decoder) throws {
      let values = try decoder.container(keyedBy: CodingKeys.self)
      asset = try values.decode(Asset.ID.self, forKey: .asset)
      recipe = try? values.decode(AdjustmentRecipe.self, forKey: .recipe)
    }
  }

  /// In bytes; a recipe has a few hundred.
  private static let largestFile = 4 << 20

  public let url: URL

  public init(url: URL) { self.url = url }

  /// `photome/unsaved-edits/<digest>.json` in the XDG base directory for state.
  ///
  /// - Parameter digest: `PhotoLibrary.folderDigest`.
  public static func standard(digest: String) -> UnsavedEditsFile {
    UnsavedEditsFile(url: UserFolders().state.appendingPathComponent("photome/unsaved-edits/\(digest).json"))
  }

  /// The settings by picture. None where there is no file, or none that this version can read.
  func load(for library: String) async -> [Asset.ID: AdjustmentRecipe] {
    guard let size = try? FileManager.default.attributesOfItem(atPath: url.path)[.size] as? Int,
      size <= Self.largestFile, let data = try? Data(contentsOf: url),
      let content = try? JSONDecoder().decode(Content.self, from: data), content.version == 1,
      content.library == library
    else { return [:] }
    let edits = content.edits.compactMap { edit in edit.recipe.map { (edit.asset, $0) } }
    return Dictionary(edits, uniquingKeysWith: { $1 })
  }

  /// Replaces the file atomically; only the user can read it. Without edits there is none.
  ///
  /// - Throws: A `CocoaError` when it can't be written, or a `RecipeError`.
  func save(_ edits: [Asset.ID: AdjustmentRecipe], for library: String) async throws {
    guard !edits.isEmpty else {
      if FileManager.default.fileExists(atPath: url.path) { try FileManager.default.removeItem(at: url) }
      return
    }
    try FileManager.default.createDirectory(
      at: url.deletingLastPathComponent(), withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys]
    let sorted = edits.sorted { $0.key < $1.key }.map { Tolerant(asset: $0.key, recipe: $0.value) }
    try encoder.encode(Content(library: library, edits: sorted)).write(to: url, options: .atomic)
    try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: url.path)
  }
}
