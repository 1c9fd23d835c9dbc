// The interface between the editor, or the command line, and the code that saves edits.

import CameraCore
import PhotoEffects
import PhotoLibrary

/// Opens, saves and reverts the edits of assets. `AssetEditor` is the implementation.
public protocol AssetEditing: Sendable {
  /// Prepares an asset for editing: its untouched original and its current recipe.
  ///
  /// - Throws: `PhotoLibraryError`; `RecipeError` for an edit by another program or a newer version, which has to be
  ///   reverted before another one can be made.
  func open(_ asset: Asset) async throws -> EditStart

  /// Renders the still and every frame of the movie at full size, and makes the result the asset's visible file. A
  /// neutral recipe brings back the original.
  ///
  /// When it throws, and when the task is canceled, the asset is unchanged.
  ///
  /// - Parameters:
  ///   - start: From `open`.
  ///   - progress: The completed fraction, 0…1; called on any thread.
  /// - Throws: `CancellationError`, or an error whose description can be shown to the user.
  func save(
    _ recipe: AdjustmentRecipe, of start: EditStart, progress: @escaping @Sendable (Double) -> Void
  ) async throws

  /// Brings back the original, byte for byte.
  ///
  /// - Throws: `PhotoLibraryError`.
  func revert(_ asset: Asset) async throws

  /// The outside programs that can edit an asset, by name.
  func extensions(for asset: Asset) async -> [EditingExtension]

  /// Has an outside program edit the original, replacing all other edits.
  ///
  /// When it throws, and when the task is canceled, the asset is unchanged.
  ///
  /// - Throws: `CancellationError`, or `PhotoLibraryError`.
  func edit(
    _ asset: Asset, with extension: EditingExtension, progress: @escaping @Sendable (Double) -> Void
  ) async throws
}

/// The starting point of an editing session.
public struct EditStart: Sendable, Hashable {
  /// The original's files.
  public var input: ContentEditingInput
  /// The current settings.
  public var recipe: AdjustmentRecipe
  /// The matte that was kept with them; `nil` where it has to be found.
  public var matte: Matte?

  /// Whether the matte of all that an edit changes was kept: that of a still without a movie.
  public var hasAllMattes: Bool { matte != nil && input.movieRange == nil }

  public init(input: ContentEditingInput, recipe: AdjustmentRecipe, matte: Matte? = nil) {
    self.input = input
    self.recipe = recipe
    self.matte = matte
  }
}
