// Rendering of the editor's still previews and thumbnails, off the main thread.

import CameraCore
import Foundation
import PhotoEffects
import PhotoLibrary

/// Renders one picture after another, reusing its buffers.
actor EditPictureRenderer {
  private let scratch: EffectScratch

  /// - Parameter threadCount: How many threads may work on one picture.
  init(threadCount: Int) { scratch = EffectScratch(threadCount: threadCount) }

  /// - Throws: `CancellationError` when the task was canceled before its turn; `RecipeError`.
  func render(_ recipe: AdjustmentRecipe, of picture: EditingImage, time: Double) throws -> DecodedImage {
    try Task.checkCancellation()
    return try FrameProcessor(recipe).render(
      picture.image, kind: .still, time: time, fullSize: picture.fullSize, scratch: scratch)
  }
}
