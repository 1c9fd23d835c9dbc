// The interface between renderers of stills and movies and the processors of their frames.

import CameraCore

/// A processor of the still of a live photo and of each frame of its movie.
///
/// It is called from several threads at once, each with its own scratch memory, and in no particular order. An error ends
/// the whole edit, with nothing changed.
public protocol FrameProcessing: Sendable {
  /// The size of the result for a picture of a size, in pixels; the same for every frame.
  func outputSize(for source: PixelSize) -> PixelSize

  /// Renders one picture.
  ///
  /// - Parameters:
  ///   - source: Not modified.
  ///   - target: Of the size `outputSize(for:)` of the source's, not overlapping it.
  ///   - context: The picture, and the size at which the result is saved.
  ///   - scratch: Memory for this thread.
  /// - Throws: Any error, which is shown as the reason why the edit failed.
  func render(_ source: PixelView, into target: PixelView, context: FrameContext, scratch: EffectScratch) throws

  /// Renders a picture with 16 bits a channel.
  ///
  /// - Returns: `nil` when it can't be done with more than 8 bits.
  /// - Throws: As above.
  func render(_ source: DeepPixels, context: FrameContext, scratch: EffectScratch) throws -> DeepPixels?

  /// The processor as two, one after the other; `nil` when it can't be divided.
  ///
  /// Pictures with transparent parts are moved over white, and their own colors are changed.
  var steps: (geometry: any FrameProcessing, colors: any FrameProcessing)? { get }

  /// The matte that `render` needs in its context: see `makeTracker`; `nil` for none.
  var matteKind: MatteKind? { get }

  /// Prepares to find the mattes of a sequence of pictures.
  ///
  /// - Parameter start: The time of the first picture in its movie, in seconds; 0 for a still.
  /// - Throws: The reason why there are none.
  func makeTracker(_ quality: MatteQuality, from start: Double) throws -> any MatteTracker

  /// The matte of a still as a person has corrected it.
  func corrected(_ matte: Matte) -> Matte

  /// A matte where the result of `render` has its picture.
  ///
  /// - Parameters:
  ///   - size: Of the source, in pixels.
  ///   - scratch: Memory for this thread.
  /// - Throws: The processor's error.
  func placed(_ matte: Matte, of size: PixelSize, scratch: EffectScratch) throws -> Matte
}

extension FrameProcessing {
  public func render(_ source: DeepPixels, context: FrameContext, scratch: EffectScratch) throws -> DeepPixels? { nil }

  public var steps: (geometry: any FrameProcessing, colors: any FrameProcessing)? { nil }

  public var matteKind: MatteKind? { nil }

  /// Whether `render` needs a matte in its context.
  public var needsMatte: Bool { matteKind != nil }

  public func makeTracker(_ quality: MatteQuality, from start: Double) throws -> any MatteTracker {
    throw RecipeError.noMattes
  }

  /// The same for a still, and from the start of a movie.
  public func makeTracker(_ quality: MatteQuality) throws -> any MatteTracker { try makeTracker(quality, from: 0) }

  public func corrected(_ matte: Matte) -> Matte { matte }

  public func placed(_ matte: Matte, of size: PixelSize, scratch: EffectScratch) throws -> Matte { matte }

  /// The matte of a single picture, without corrections; `nil` when none is needed.
  ///
  /// - Throws: The reason why there is none.
  public func matte(of image: DecodedImage) throws -> Matte? {
    guard needsMatte else { return nil }
    let tracker = try makeTracker(.still)
    return try image.block.withUnsafeBytes { bytes in
      try tracker.matte(of: LentPixels(bytes, size: image.size, stride: image.stride), time: 0)
    }
  }

  /// Renders a decoded picture.
  ///
  /// - Parameters:
  ///   - fullSize: Of the original picture, in pixels, of which `image` may be a smaller copy.
  ///   - time: As in `FrameContext`.
  ///   - matte: As in `FrameContext`.
  /// - Throws: The processor's error.
  public func render(
    _ image: DecodedImage, kind: FrameContext.Kind, time: Double, fullSize: PixelSize, matte: Matte? = nil,
    scratch: EffectScratch
  ) throws -> DecodedImage {
    var context = FrameContext(kind: kind, time: time, fullSize: outputSize(for: fullSize))
    context.matte = matte
    return try render(image, context: context, scratch: scratch)
  }

  /// Renders a decoded picture.
  ///
  /// - Throws: The processor's error.
  public func render(
    _ image: DecodedImage, context: FrameContext, scratch: EffectScratch
  ) throws -> DecodedImage {
    let size = outputSize(for: image.size)
    let block = try FrameBlock(count: size.area * 4) { output in
      try image.block.withUnsafeBytes { input in
        let source = PixelView(reading: input, size: image.size, stride: image.stride)
        let target = PixelView(writing: output, size: size, stride: size.width * 4)
        try render(source, into: target, context: context, scratch: scratch)
      }
    }
    return DecodedImage(size: size, stride: size.width * 4, block: block)
  }

  /// Renders a decoded picture as it is shown, over white.
  ///
  /// - Parameters:
  ///   - image: Over white.
  ///   - alpha: `nil` for a picture that is opaque everywhere.
  /// - Throws: The processor's error.
  public func render(
    _ image: DecodedImage, _ alpha: AlphaPlane?, context: FrameContext, scratch: EffectScratch
  ) throws -> DecodedImage {
    guard let alpha, let (geometry, colors) = steps else {
      return try render(image, context: context, scratch: scratch)
    }
    let placed = try geometry.render(image, context: context, scratch: scratch)
    var context = context
    context.matte = try context.matte?.fitted(to: image.size).changed { image in
      try geometry.render(image, context: context, scratch: scratch)
    }
    let moved = try alpha.changed { image in try geometry.render(image, context: context, scratch: scratch) }
    guard let moved else { return try colors.render(placed, context: context, scratch: scratch) }
    return moved.overWhite(try colors.render(moved.straight(placed), context: context, scratch: scratch))
  }
}
