// What the editor and the command line need of whoever saves edits.

import CameraCore
import PhotoEffects
import PhotoLibrary

/// Opens, saves and takes back the edits of assets. `AssetEditor` is the real one.
public protocol AssetEditing: Sendable {
  /// What an editor starts from: the untouched original and the present recipe.
  ///
  /// - Throws: A `PhotoLibraryError`; a `RecipeError` for an edit of another program or of a newer PhotoMe, which has to be
  ///   reverted before another one can be made.
  func open(_ asset: Asset) async throws -> EditStart

  /// Renders the still and each frame of the movie at full size, and makes the result the asset's visible file. A neutral
  /// recipe brings the original back.
  ///
  /// When it throws, and when the task is cancelled, the asset is as it was.
  ///
  /// - Parameters:
  ///   - start: From `open`.
  ///   - progress: The part that is done, 0…1; called on any thread.
  /// - Throws: `CancellationError`, or an error in words for a person.
  func save(
    _ recipe: AdjustmentRecipe, of start: EditStart, progress: @escaping @Sendable (Double) -> Void
  ) async throws

  /// Brings the original back, byte for byte.
  func revert(_ asset: Asset) async throws

  /// The outside programs that can edit an asset, by their names.
  func extensions(for asset: Asset) async -> [EditingExtension]

  /// Has an outside program edit the original, in place of all other edits.
  ///
  /// When it throws, and when the task is cancelled, the asset is as it was.
  func edit(
    _ asset: Asset, with extension: EditingExtension, progress: @escaping @Sendable (Double) -> Void
  ) async throws
}

/// What an editor starts from.
public struct EditStart: Sendable, Hashable {
  /// The files to work on.
  public var input: ContentEditingInput
  /// The settings as they are now.
  public var recipe: AdjustmentRecipe

  public init(input: ContentEditingInput, recipe: AdjustmentRecipe) {
    self.input = input
    self.recipe = recipe
  }
}
