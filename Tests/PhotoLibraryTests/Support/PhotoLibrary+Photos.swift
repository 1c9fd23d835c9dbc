// Photos in a library, and edits of them, for tests of what becomes of them.

import CameraCore
import Foundation
import PhotoEffects

@testable import PhotoLibrary

extension PhotoLibrary {
  /// Adds a photo.
  ///
  /// - Parameter second: After the samples' date.
  func addPhoto(shade: UInt8 = 128, second: Double = 0) async throws -> Asset {
    try await createAsset(
      AssetCreationRequest(
        photo: Samples.jpeg(shade: shade),
        metadata: Samples.metadata(date: Samples.date.addingTimeInterval(second))))
  }

  /// Edits a photo, so that it gets another shade.
  func editPhoto(_ id: Asset.ID, shade: UInt8, mattes: StillMattes? = nil) async throws {
    var request = AssetChangeRequest(for: id)
    var output = ContentEditingOutput(
      photo: try Samples.jpeg(shade: shade),
      adjustmentData: AdjustmentData(formatIdentifier: "test", formatVersion: "1", data: Data("\(shade)".utf8)))
    output.mattes = mattes
    request.contentEditingOutput = output
    let change = request
    try await performChanges { $0.change(change) }
  }

  /// Edits a photo by a recipe of PhotoMe's, which isn't rendered.
  func editPhoto(_ id: Asset.ID, shade: UInt8, recipe: AdjustmentRecipe) async throws {
    var request = AssetChangeRequest(for: id)
    request.contentEditingOutput = ContentEditingOutput(
      photo: try Samples.jpeg(shade: shade),
      adjustmentData: AdjustmentData(
        formatIdentifier: AdjustmentRecipe.formatIdentifier, formatVersion: AdjustmentRecipe.formatVersion,
        data: try recipe.data()))
    let change = request
    try await performChanges { $0.change(change) }
  }
}
