// Rendering of the editor's small pictures away from the main thread.

import CameraCore
import Foundation
import PhotoEffects
import PhotoLibrary

/// Applies recipes to small pictures, one after the other, reusing its memory.
actor PreviewWorker {
  private let scratch: EffectScratch
  private let executor = QueueExecutor(label: "photome.previews")

  nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

  /// - Parameter threadCount: The most threads that work on one picture.
  init(threadCount: Int) { scratch = EffectScratch(threadCount: threadCount) }

  /// The picture as it will look.
  ///
  /// - Throws: `CancellationError` when the task was canceled before its turn, or a `RecipeError`.
  func render(_ recipe: AdjustmentRecipe, of picture: EditingImage, time: Double) throws -> DecodedImage {
    try Task.checkCancellation()
    let processor = try FrameProcessor(recipe)
    let context = processor.context(.still, time: time, fullSize: picture.fullSize)
    return picture.onScreen(
      try processor.render(picture.image, picture.alpha, context: context, scratch: scratch))
  }

  /// The picture as it is shown beside others with other effects: see `FrameProcessor.thumbnailContext`.
  ///
  /// - Throws: `CancellationError` when the task was canceled before its turn, or a `RecipeError`.
  func thumbnail(_ recipe: AdjustmentRecipe, of picture: EditingImage) throws -> DecodedImage {
    try Task.checkCancellation()
    let processor = try FrameProcessor(recipe)
    let context = processor.thumbnailContext(of: picture.image.size, fullSize: picture.fullSize)
    return picture.onScreen(
      try processor.render(picture.image, picture.alpha, context: context, scratch: scratch))
  }
}
