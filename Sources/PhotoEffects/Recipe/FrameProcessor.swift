// Rendering of a recipe, in its one order.

import CameraCore

/// Applies a recipe to pictures.
///
/// The order, independent of the order in which settings were chosen:
///
/// 1. **Geometry**: turn, flip, straighten, crop. First, because cropped pixels need no work, and because an effect's ink
///    lines, dots and the vignette belong to the visible picture: they are not turned, cut or interpolated.
///    Then, in stills alone, **red eyes**, in the places to which the geometry has moved them.
/// 2. **Light, color, sharpness**: the picture is corrected before the effect, so that the sliders control the effect's input
///    (how much of a face Comic puts into shadow), and sharpening works on the photograph and not on ink.
/// 3. **Effect**, by the matte of the person where it needs one, with the corrections of a brush and in the geometry's place.
/// 4. **Vignette**: as on a print. Before an effect it would become rings of posterized tones, or heat in the corners.
///
/// An empty recipe copies the pixels byte for byte. The tables are computed once, here; a processor is an immutable value that
/// any number of threads may use, each with its own scratch memory.
public struct FrameProcessor: FrameProcessing {
  public let recipe: AdjustmentRecipe
  /// Whether the result's width and height are even, as movies need.
  public let isEven: Bool
  private let adjustments: AdjustmentRenderer
  private let mattes: (any MatteProvider)?
  private let backdrops: (any BackdropProvider)?
  /// Of an own backdrop.
  private let backdropSource: (any BackdropSource)?

  /// In seconds: a movie's first frame, which may not be at 0.
  private static let longestStart = 0.1

  /// In pixels: the limit of positions in 1/256 of a pixel in single precision.
  public static let longestSide = 32767

  /// Blocks while an own backdrop is read, the first time.
  ///
  /// - Parameters:
  ///   - mattes: Tells people from the background; `nil` where nobody does, and effects that need it can't be rendered.
  ///   - backdrops: Has the own backdrops; `nil` where there are none.
  /// - Throws: A `RecipeError` for values that can't be rendered, or the reason why an own backdrop can't be read.
  public init(
    _ recipe: AdjustmentRecipe, isEven: Bool = false, mattes: (any MatteProvider)? = nil,
    backdrops: (any BackdropProvider)? = nil
  ) throws {
    try recipe.validate()
    backdropSource = try recipe.effect?.backdropSource(from: backdrops)
    self.backdrops = backdrops
    self.mattes = mattes
    self.recipe = recipe
    self.isEven = isEven
    adjustments = AdjustmentRenderer(recipe.adjustments, isLast: (recipe.effect?.intensity ?? 0) == 0)
  }

  public func outputSize(for source: PixelSize) -> PixelSize { recipe.geometry.outputSize(for: source, isEven: isEven) }

  public var steps: (geometry: any FrameProcessing, colors: any FrameProcessing)? {
    var (geometry, colors) = (AdjustmentRecipe(), recipe)
    (geometry.geometry, geometry.redEye) = (recipe.geometry, recipe.redEye)
    (colors.geometry, colors.redEye) = (Geometry(), [])
    if let effect = recipe.effect, effect.effect.renderer.movesPixels {
      (geometry.effect, colors.effect) = (effect, nil)
    }
    // A recipe that can be rendered has parts that can.
    guard let geometry = try? FrameProcessor(geometry, isEven: isEven),
      let colors = try? FrameProcessor(colors, mattes: mattes, backdrops: backdrops)
    else { return nil }
    return (geometry, colors)
  }

  public var matteKind: MatteKind? { recipe.effect?.matteKind }

  public func makeTracker(_ quality: MatteQuality, from start: Double) throws -> any MatteTracker {
    guard let mattes else { throw RecipeError.noMattes }
    let tracker = try mattes.makeTracker(matteKind ?? .person, quality: quality)
    // Who was there when a movie began may be gone later.
    if recipe.hasPerson, start <= Self.longestStart { tracker.expectPerson() }
    return tracker
  }

  /// The context of a picture, with the output size of the full picture.
  ///
  /// - Parameters:
  ///   - time: As in `FrameContext`.
  ///   - fullSize: Of the original, in pixels, also when a smaller copy is rendered.
  public func context(_ kind: FrameContext.Kind, time: Double, fullSize: PixelSize) -> FrameContext {
    FrameContext(kind: kind, time: time, fullSize: outputSize(for: fullSize))
  }

  /// The context of a still that is shown small beside others with other effects.
  ///
  /// The lines and dots of a drawing would be smaller than a pixel there, and all drawings the same gray: they are drawn
  /// coarser than they will be, by as much as the picture is smaller, up to `largestPatternScale`.
  ///
  /// - Parameters:
  ///   - size: Of the small picture before it is rendered, in pixels.
  ///   - fullSize: Of the original, in pixels.
  public func thumbnailContext(of size: PixelSize, fullSize: PixelSize) -> FrameContext {
    var context = context(.still, time: 0, fullSize: fullSize)
    guard recipe.effect?.effect.hasFinePattern == true else { return context }
    let reduction = Double(context.fullSize.width) / Double(max(1, outputSize(for: size).width))
    context.patternScale = min(max(1, reduction), Self.largestPatternScale)
    return context
  }

  /// By eye, in pictures of a sixth of the camera's size.
  static let largestPatternScale = 2.5

  /// - Throws: `RecipeError.wrongTargetSize` or `.tooLarge`, or `.noMattes` for a context without the matte that is needed;
  ///   then nothing is written.
  public func render(
    _ source: PixelView, into target: PixelView, context: FrameContext, scratch: EffectScratch
  ) throws {
    guard max(source.width, source.height) <= Self.longestSide else {
      throw RecipeError.tooLarge(size: source.size.description, longestSide: Self.longestSide)
    }
    var context = context
    if needsMatte {
      guard let matte = context.matte else { throw RecipeError.noMattes }
      context.matte = try placed(matte, of: source.size, scratch: scratch)
    } else {
      context.matte = nil
    }
    try recipe.geometry.render(source, into: target, isEven: isEven, scratch: scratch)
    if context.kind == .still { redEyeRemoval(for: source.size).apply(to: target) }
    adjustments.apply(to: target, context: context, scratch: scratch)
    if let effect = recipe.effect, effect.intensity > 0 {
      effect.apply(to: target, context: context, scratch: scratch, source: backdropSource)
    }
    adjustments.applyVignette(to: target, scratch: scratch)
  }

  /// What takes the red out of eyes in a still.
  ///
  /// - Parameter source: The size of the picture before its geometry, in pixels.
  func redEyeRemoval(for source: PixelSize) -> RedEyeRemoval {
    RedEyeRemoval(recipe.redEye, recipe.geometry, source: source, isEven: isEven)
  }

  /// The strokes are of the person: what they add, hair or a hat, isn't skin.
  public func corrected(_ matte: Matte) -> Matte {
    matteKind == .person ? matte.corrected(by: recipe.matteStrokes) : matte
  }

  public func placed(_ matte: Matte, of size: PixelSize, scratch: EffectScratch) throws -> Matte {
    let matte = matte.fitted(to: size)
    guard !recipe.geometry.isNeutral || outputSize(for: size) != size else { return matte }
    guard matte.presence > 0 else { return .nobody(outputSize(for: size)) }
    return try matte.changed { image in
      let size = outputSize(for: image.size)
      let block = try FrameBlock(count: size.area * 4) { output in
        try image.block.withUnsafeBytes { input in
          try recipe.geometry.render(
            PixelView(reading: input, size: image.size, stride: image.stride),
            into: PixelView(writing: output, size: size, stride: size.width * 4), isEven: isEven, scratch: scratch)
        }
      }
      return DecodedImage(size: size, stride: size.width * 4, block: block)
    }
  }

  /// Renders a picture that owns its pixels.
  ///
  /// - Throws: `RecipeError.tooLarge`.
  public func render(_ source: PixelBuffer, context: FrameContext, scratch: EffectScratch) throws -> PixelBuffer {
    var target = PixelBuffer(size: outputSize(for: source.size))
    try source.pixels.withUnsafeBufferPointer { pixels in
      // A source is only read.
      let view = PixelView(
        pixels: UnsafeMutablePointer(mutating: pixels.baseAddress!), width: source.size.width,
        height: source.size.height, stride: source.size.width)
      try target.withView { try render(view, into: $0, context: context, scratch: scratch) }
    }
    return target
  }
}
