// Renders decoded pictures with a frame processor.

import CameraCore

extension FrameProcessing {
  /// Renders a decoded picture.
  ///
  /// - Parameters:
  ///   - fullSize: Of the original picture, in pixels, of which `image` may be a smaller copy.
  ///   - time: As in `FrameContext`.
  public func render(
    _ image: DecodedImage, kind: FrameContext.Kind, time: Double, fullSize: PixelSize, scratch: EffectScratch
  ) throws -> DecodedImage {
    let context = FrameContext(kind: kind, time: time, fullSize: outputSize(for: fullSize))
    return try render(image, context: context, scratch: scratch)
  }

  /// Renders a decoded picture.
  ///
  /// - Throws: What the processor throws.
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
}
