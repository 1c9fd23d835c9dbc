// A preview whose pictures can be changed on their way to the screen.

import CameraCore

/// A preview that renders an effect into each frame, at the size that is shown.
///
/// A movie's player and the viewfinder are such previews. The work is done on the preview's own thread, on its newest frame
/// only; a frame that comes meanwhile waits, and is replaced by one that is newer still.
public protocol EffectPreview: PreviewSource {
  /// Has frames rendered by a processor from now on; `nil` shows them as they are. Any thread.
  ///
  /// The frame that is on the screen comes again, rendered anew, so that what is held changes at once. Frames have the
  /// size that the processor makes of them, as large as it fits. The processor sees the frame upright, before it is
  /// mirrored. A frame for which it throws is not shown.
  func setProcessor(_ processor: (any FrameProcessing)?)
}

extension FrameProcessing {
  /// Renders a decoded picture.
  ///
  /// - Parameters:
  ///   - fullSize: Of the original picture, in pixels, of which `image` may be a smaller copy.
  ///   - time: As in `FrameContext`.
  public func render(
    _ image: DecodedImage, kind: FrameContext.Kind, time: Double, fullSize: PixelSize, scratch: EffectScratch
  ) throws -> DecodedImage {
    let size = outputSize(for: image.size)
    let context = FrameContext(kind: kind, time: time, fullSize: outputSize(for: fullSize))
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

extension PixelView {
  /// Pixels that are only read; whoever gets this view must not write to it.
  ///
  /// - Parameters:
  ///   - bytes: At least `stride * size.height`, and not empty.
  ///   - stride: Bytes from one row to the next; a multiple of 4.
  public init(reading bytes: UnsafeRawBufferPointer, size: PixelSize, stride: Int) {
    self.init(writing: UnsafeMutableRawBufferPointer(mutating: bytes), size: size, stride: stride)
  }

  /// Pixels in memory that nobody else uses meanwhile; see `init(reading:size:stride:)`.
  public init(writing bytes: UnsafeMutableRawBufferPointer, size: PixelSize, stride: Int) {
    precondition(bytes.count >= stride * (size.height - 1) + size.width * 4 && stride % 4 == 0)
    self.init(
      pixels: bytes.baseAddress!.assumingMemoryBound(to: UInt32.self), width: size.width, height: size.height,
      stride: stride / 4)
  }
}
