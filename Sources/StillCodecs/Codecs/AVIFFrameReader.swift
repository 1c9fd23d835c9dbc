// The frames of AVIF image sequences by libavif.

import CAVIF
import CameraCore
import Foundation

/// The frames of an AVIF image sequence: libheif reads none before 1.20.
final class AVIFFrameReader: StillFrameReader {
  private let decoder: UnsafeMutablePointer<avifDecoder>
  /// The decoder points into it.
  private let bytes: NSData
  private let size: PixelSize
  let colors: StillColors
  /// libavif doesn't tell it before 1.0. Browsers play sequences without end, which is also what most are made for.
  let loopCount = 0

  private static let mostFrames: UInt32 = 1 << 14

  /// - Parameter colors: Those of the file's picture.
  /// - Returns: `nil` for a still picture, and where no decoder of AV1 is installed.
  init?(_ data: Data, colors: StillColors) throws(StillCodecError) {
    guard let decoder = avifDecoderCreate() else { throw .noMemory }
    (self.decoder, bytes, self.colors) = (decoder, data as NSData, colors)
    decoder.pointee.requestedSource = AVIF_DECODER_SOURCE_TRACKS
    decoder.pointee.maxThreads = Int32(max(1, min(8, ProcessInfo.processInfo.activeProcessorCount)))
    decoder.pointee.imageSizeLimit = UInt32(StillLimits.largestCanvas)
    decoder.pointee.imageDimensionLimit = UInt32(StillLimits.largestSide)
    decoder.pointee.imageCountLimit = Self.mostFrames
    decoder.pointee.ignoreExif = AVIF_TRUE
    decoder.pointee.ignoreXMP = AVIF_TRUE
    size =
      if avifDecoderSetIOMemory(decoder, bytes.bytes.assumingMemoryBound(to: UInt8.self), bytes.count)
        == AVIF_RESULT_OK,
        avifDecoderParse(decoder) == AVIF_RESULT_OK, let image = decoder.pointee.image
      {
        PixelSize(width: Int(image.pointee.width), height: Int(image.pointee.height))
      } else {
        PixelSize(width: 0, height: 0)
      }
    guard size.area > 0, decoder.pointee.imageCount > 1 else { return nil }
    guard size.area <= StillLimits.largestCanvas else { return nil }
    try StillLimits.check(size)
  }

  deinit { avifDecoderDestroy(decoder) }

  func next() throws(StillCodecError) -> StillFrame? {
    let result = avifDecoderNextImage(decoder)
    if result == AVIF_RESULT_NO_IMAGES_REMAINING { return nil }
    guard result == AVIF_RESULT_OK, let image = decoder.pointee.image, Int(image.pointee.width) == size.width,
      Int(image.pointee.height) == size.height
    else { throw result == AVIF_RESULT_OUT_OF_MEMORY ? .noMemory : .damaged }
    let hasAlpha = image.pointee.alphaPlane != nil
    let opacity: Opacity =
      hasAlpha ? image.pointee.alphaPremultiplied != 0 ? .premultiplied : .straight : .none
    var output = avifRGBImage()
    avifRGBImageSetDefaults(&output, image)
    (output.format, output.depth, output.rowBytes) = (AVIF_RGB_FORMAT_RGBA, 8, UInt32(size.width * 4))
    // As it is in the file: else libavif would divide by it.
    output.alphaPremultiplied = image.pointee.alphaPremultiplied
    output.ignoreAlpha = hasAlpha ? AVIF_FALSE : AVIF_TRUE
    let still = try DecodedStill.overWhite(size, opacity) {
      (pixels: UnsafeMutablePointer<UInt8>) throws(StillCodecError) in
      output.pixels = pixels
      guard avifImageYUVToRGB(image, &output) == AVIF_RESULT_OK else { throw .damaged }
    }
    return StillFrame(still, duration: AnimationCanvas.shown(decoder.pointee.imageTiming.duration))
  }
}
