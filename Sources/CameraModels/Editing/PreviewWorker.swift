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

  private let mattes: (any MatteProvider)?
  /// The matte of the picture that was rendered last, if one was needed.
  private var matte: Matte?
  private weak var mattePicture: FrameBlock?

  /// - Parameters:
  ///   - threadCount: The most threads that work on one picture.
  ///   - mattes: Tells people from the background; `nil` where nobody does.
  init(threadCount: Int, mattes: (any MatteProvider)? = nil) {
    scratch = EffectScratch(threadCount: threadCount)
    self.mattes = mattes
  }

  /// The picture as it will look.
  ///
  /// - Throws: `CancellationError` when the task was canceled before its turn, or what the processor throws.
  func render(_ recipe: AdjustmentRecipe, of picture: EditingImage, time: Double) throws -> DecodedImage {
    try render(recipe, of: picture) { $0.context(.still, time: time, fullSize: picture.fullSize) }
  }

  /// The picture as it is shown beside others with other effects: see `FrameProcessor.thumbnailContext`.
  ///
  /// - Throws: `CancellationError` when the task was canceled before its turn, or what the processor throws.
  func thumbnail(_ recipe: AdjustmentRecipe, of picture: EditingImage) throws -> DecodedImage {
    try render(recipe, of: picture) { $0.thumbnailContext(of: picture.image.size, fullSize: picture.fullSize) }
  }

  private func render(
    _ recipe: AdjustmentRecipe, of picture: EditingImage, _ context: (FrameProcessor) -> FrameContext
  ) throws -> DecodedImage {
    try Task.checkCancellation()
    let processor = try FrameProcessor(recipe, mattes: mattes)
    var context = context(processor)
    context.matte = try matte(of: picture.image, for: processor)
    return picture.onScreen(
      try processor.render(picture.image, picture.alpha, context: context, scratch: scratch))
  }

  /// The matte of a picture, which is found once.
  private func matte(of image: DecodedImage, for processor: FrameProcessor) throws -> Matte? {
    guard processor.needsMatte else { return nil }
    if let matte, mattePicture === image.block { return matte }
    let found = try processor.matte(of: image)
    (matte, mattePicture) = (found, image.block)
    return found
  }
}
