// The file of edits that aren't saved yet, from which a later start gives them back.

import CameraCore
import Foundation
import Localization
import PhotoEffects
import PhotoLibrary

/// Edits that aren't saved yet, as their file has them.
struct UnsavedEdits: Equatable, Sendable {
  /// The settings by picture.
  var recipes: [Asset.ID: AdjustmentRecipe] = [:]
  /// Entries with settings that this version doesn't know, as they are in the file. They stay in it.
  var others: [JSONValue] = []

  var isEmpty: Bool { recipes.isEmpty && others.isEmpty }
}

/// One JSON file for each library, in the user's state folder, beside that of the history.
///
/// The editor is closed while an edit is being saved: when the program is killed then, its settings are only here.
///
///     {"version": 1, "library": "…/PhotoMe", "edits": [{"asset": "…", "recipe": {…}}, …]}
///
/// A file that can't be read at all is set aside before the first change, as that of the settings is.
public struct UnsavedEditsFile: Sendable {
  /// A file that is there and can't be read.
  struct Damage: LocalizedError {
    var file: String
    /// A clause, or the system's sentence.
    var reason: String
    /// The name that it is going to have.
    var newName: String

    var errorDescription: String? {
      localized(
        """
        Edits that weren’t saved can’t be read from “\(file)”: \(reason.asClause). The file will be kept as \
        “\(newName)” when you save an edit.
        """,
        comment: "{1} is the reason")
    }
  }

  private static let version: Int64 = 1
  /// In bytes; a recipe has a few hundred, and with many strokes of a brush a quarter of a million.
  private static let largestFile = 16 << 20

  public let url: URL

  public init(url: URL) { self.url = url }

  /// `photome/unsaved-edits/<digest>.json` in the XDG base directory for state.
  ///
  /// - Parameter digest: `PhotoLibrary.folderDigest`.
  public static func standard(digest: String) -> UnsavedEditsFile {
    UnsavedEditsFile(url: UserFolders().state.appendingPathComponent("photome/unsaved-edits/\(digest).json"))
  }

  /// The edits of a library; none where there is no file.
  ///
  /// - Parameter library: The path of its folder.
  /// - Throws: `Damage` when there is a file, and it can't be read.
  func load(for library: String) async throws(Damage) -> UnsavedEdits {
    guard let data = try read() else { return UnsavedEdits() }
    guard let values = JSONValue(parsing: data)?.object, case .integer(let version) = values["version"],
      case .text(let folder) = values["library"]
    else { throw damage(localized("the file is damaged")) }
    guard version == Self.version else {
      throw damage(
        version > Self.version
          ? localized("a newer version of PhotoMe created it; update PhotoMe") : localized("the file is damaged"))
    }
    guard folder == library else { throw damage(localized("it belongs to another library")) }
    guard case .array(let entries) = values["edits"] else { throw damage(localized("the file is damaged")) }
    var edits = UnsavedEdits()
    for entry in entries {
      if let (asset, recipe) = Self.edit(entry) { edits.recipes[asset] = recipe } else { edits.others.append(entry) }
    }
    return edits
  }

  /// - Returns: `nil` for an entry of another version.
  private static func edit(_ entry: JSONValue) -> (Asset.ID, AdjustmentRecipe)? {
    guard case .text(let asset) = entry.object?["asset"], let json = entry.object?["recipe"] else { return nil }
    do { return (asset, try JSONDecoder().decode(AdjustmentRecipe.self, from: json.data)) } catch { return nil }
  }

  /// - Returns: `nil` where there is no file.
  private func read() throws(Damage) -> Data? {
    do {
      let size = try FileManager.default.attributesOfItem(atPath: url.path)[.size] as? Int ?? 0
      guard size <= Self.largestFile else {
        let text = ByteCountFormatStyle(style: .file, locale: .forNumbers).format(Int64(size))
        throw damage(localized("the file is too large (\(text))"))
      }
      return try Data(contentsOf: url)
    } catch let error as Damage {
      throw error
    } catch {
      // A link to a disk that isn't mounted is no missing file.
      var status = stat()
      if (error as? CocoaError)?.code == .fileReadNoSuchFile, lstat(url.path, &status) != 0 { return nil }
      throw damage(error.localizedDescription)
    }
  }

  private func damage(_ reason: String) -> Damage {
    Damage(file: url.path, reason: reason, newName: url.spareForUnreadable.lastPathComponent)
  }

  /// Gives a file that can't be read another name, if it is still there.
  ///
  /// - Throws: A `CocoaError` when it can't be renamed.
  func setAside() async throws {
    do { try FileManager.default.moveItem(at: url, to: url.spareForUnreadable) } catch let error as CocoaError {
      guard error.code == .fileNoSuchFile || error.code == .fileReadNoSuchFile else { throw error }
    }
  }

  /// Replaces the file atomically; only the user can read it. Without edits there is none.
  ///
  /// - Throws: A `CocoaError` when it can't be written, or a `RecipeError`.
  func save(_ edits: UnsavedEdits, for library: String) async throws {
    guard !edits.isEmpty else {
      if FileManager.default.fileExists(atPath: url.path) { try FileManager.default.removeItem(at: url) }
      return
    }
    try FileManager.default.createDirectory(
      at: url.deletingLastPathComponent(), withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
    let known = try edits.recipes.sorted { $0.key < $1.key }.map { asset, recipe in
      guard let json = JSONValue(parsing: try recipe.data()) else { preconditionFailure("a recipe that isn’t JSON") }
      return JSONValue.object(["asset": .text(asset), "recipe": json])
    }
    let content = JSONValue.object([
      "version": .integer(Self.version), "library": .text(library), "edits": .array(known + edits.others),
    ])
    try content.data.write(to: url, options: .atomic)
    try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: url.path)
  }
}
