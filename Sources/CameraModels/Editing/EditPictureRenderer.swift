// Renders the editor's small pictures away from the main thread, one after the other.

import CameraCore
import Foundation
import PhotoEffects
import PhotoLibrary

/// One thread's worth of rendering, with the memory that it uses again.
actor EditPictureRenderer {
  private let scratch: EffectScratch

  /// - Parameter threadCount: How many threads may work on one picture.
  init(threadCount: Int) { scratch = EffectScratch(threadCount: threadCount) }

  /// - Throws: `CancellationError` when the task was cancelled before its turn, or a `RecipeError`.
  func render(_ recipe: AdjustmentRecipe, of picture: EditingImage, time: Double) throws -> DecodedImage {
    try Task.checkCancellation()
    return try FrameProcessor(recipe).render(
      picture.image, kind: .still, time: time, fullSize: picture.fullSize, scratch: scratch)
  }
}
