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
  private let backdrops: (any BackdropProvider)?
  /// The matte of the picture that was rendered last, if one was needed.
  private var matte: Matte?
  private weak var mattePicture: FrameBlock?
  private var matteKind: MatteKind?
  /// That matte with the strokes of a brush that were drawn last; one of them is perhaps growing.
  private var corrected: (before: Matte, strokes: [MatteStroke], matte: Matte)?

  /// - Parameters:
  ///   - threadCount: The most threads that work on one picture.
  ///   - mattes: Tells people from the background; `nil` where nobody does.
  ///   - backdrops: Has the own backdrops; `nil` where there are none.
  init(threadCount: Int, mattes: (any MatteProvider)? = nil, backdrops: (any BackdropProvider)? = nil) {
    scratch = EffectScratch(threadCount: threadCount)
    (self.mattes, self.backdrops) = (mattes, backdrops)
  }

  /// The picture as it will look.
  ///
  /// - Parameter kept: The matte that was kept of the picture, at any size; `nil` where it has to be found.
  /// - Throws: `CancellationError` when the task was canceled before its turn, or what the processor throws.
  func render(
    _ recipe: AdjustmentRecipe, of picture: EditingImage, time: Double, kept: Matte? = nil
  ) throws -> DecodedImage {
    try render(recipe, of: picture, kept) { $0.context(.still, time: time, fullSize: picture.fullSize) }
  }

  /// The picture without its effect, with the person in it tinted as the effect takes it.
  ///
  /// - Parameter kept: As above.
  /// - Throws: As above.
  func renderMatte(_ recipe: AdjustmentRecipe, of picture: EditingImage, kept: Matte?) throws -> DecodedImage {
    var plain = recipe
    plain.effect = nil
    let image = try render(plain, of: picture, time: 0)
    let processor = try processor(recipe, kept)
    guard let matte = try matte(of: picture.image, for: processor) else { return image }
    return image.tinted(by: try processor.placed(matte, of: picture.image.size, scratch: scratch))
  }

  /// The picture as it is shown beside others with other effects: see `FrameProcessor.thumbnailContext`.
  ///
  /// - Throws: `CancellationError` when the task was canceled before its turn, or what the processor throws.
  func thumbnail(_ recipe: AdjustmentRecipe, of picture: EditingImage, kept: Matte? = nil) throws -> DecodedImage {
    try render(recipe, of: picture, kept) { $0.thumbnailContext(of: picture.image.size, fullSize: picture.fullSize) }
  }

  private func render(
    _ recipe: AdjustmentRecipe, of picture: EditingImage, _ kept: Matte?, _ context: (FrameProcessor) -> FrameContext
  ) throws -> DecodedImage {
    try Task.checkCancellation()
    let processor = try processor(recipe, kept)
    var context = context(processor)
    context.matte = try matte(of: picture.image, for: processor)
    return picture.onScreen(
      try processor.render(picture.image, picture.alpha, context: context, scratch: scratch))
  }

  private func processor(_ recipe: AdjustmentRecipe, _ kept: Matte?) throws -> FrameProcessor {
    try FrameProcessor(
      recipe, mattes: kept.map { KeptMatteProvider($0, others: mattes) } ?? mattes, backdrops: backdrops)
  }

  /// The matte of a picture, which is found once, with the recipe's corrections.
  private func matte(of image: DecodedImage, for processor: FrameProcessor) throws -> Matte? {
    guard processor.needsMatte else { return nil }
    if mattePicture !== image.block || matteKind != processor.matteKind || matte == nil {
      (matte, mattePicture, matteKind) = (try processor.matte(of: image), image.block, processor.matteKind)
    }
    guard matteKind == .person else { return matte }
    return matte.map { corrected($0, by: processor.recipe.matteStrokes) }
  }

  private func corrected(_ matte: Matte, by strokes: [MatteStroke]) -> Matte {
    guard !strokes.isEmpty else { return matte }
    var (base, missing) = (matte, strokes)
    if let known = corrected, known.before == matte, let added = strokes.added(to: known.strokes) {
      (base, missing) = (known.matte, added)
    }
    let result = base.corrected(by: missing)
    corrected = (matte, strokes, result)
    return result
  }
}
