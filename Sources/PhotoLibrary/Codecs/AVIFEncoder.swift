// Encoding AVIF image sequences with libavif.

import CAVIF
import CameraCore
import EngineInterface
import Foundation
import Localization

/// Encodes an AVIF image sequence frame by frame.
struct AVIFEncoder: AnimationEncoder, ~Copyable {
  private let encoder: UnsafeMutablePointer<avifEncoder>
  private let image: UnsafeMutablePointer<avifImage>
  private let size: PixelSize
  /// The duration of all frames so far, in milliseconds.
  private var elapsed = 0

  /// libavif's quantizers, from 0, without loss, to 63.
  private static let quantizers: (least: Int32, most: Int32) = (22, 34)
  /// From 0, small, to 10, fast.
  private static let speed: Int32 = 9
  /// A frame from which a viewer can begin, in frames.
  private static let keyframeInterval: Int32 = 60
  /// - Throws: `AnimationFailure` without memory, or without an encoder of AV1.
  init(size: PixelSize) throws(AnimationFailure) {
    self.size = size
    guard avifCodecName(AVIF_CODEC_CHOICE_AUTO, avifCodecFlags(AVIF_CODEC_FLAG_CAN_ENCODE.rawValue)) != nil else {
      throw AnimationFailure(reason: localized("the installed libavif has no AV1 encoder"))
    }
    guard let encoder = avifEncoderCreate() else {
      throw AnimationFailure(reason: localized("there isn’t enough memory"))
    }
    // Half of the pixels of color, as movies have them.
    guard let image = avifImageCreate(UInt32(size.width), UInt32(size.height), 8, AVIF_PIXEL_FORMAT_YUV420) else {
      avifEncoderDestroy(encoder)
      throw AnimationFailure(reason: localized("there isn’t enough memory"))
    }
    (self.encoder, self.image) = (encoder, image)
    encoder.pointee.maxThreads = Int32(min(8, ProcessInfo.processInfo.activeProcessorCount))
    encoder.pointee.speed = Self.speed
    encoder.pointee.keyframeInterval = Self.keyframeInterval
    encoder.pointee.timescale = 1000
    (encoder.pointee.minQuantizer, encoder.pointee.maxQuantizer) = Self.quantizers
    // The values of sRGB; see ITU-T H.273.
    image.pointee.colorPrimaries = avifColorPrimaries(AVIF_COLOR_PRIMARIES_BT709)
    image.pointee.transferCharacteristics = avifTransferCharacteristics(AVIF_TRANSFER_CHARACTERISTICS_SRGB)
    image.pointee.matrixCoefficients = avifMatrixCoefficients(AVIF_MATRIX_COEFFICIENTS_BT601)
    image.pointee.yuvRange = AVIF_RANGE_FULL
  }

  deinit {
    avifImageDestroy(image)
    avifEncoderDestroy(encoder)
  }

  mutating func add(_ frame: MovieFrame) throws(AnimationFailure) {
    guard frame.image.size == size else { throw AnimationFailure(reason: localized("its frames differ in size")) }
    let converted = frame.image.block.withUnsafeBytes { pixels in
      var colors = avifRGBImage()
      avifRGBImageSetDefaults(&colors, image)
      colors.format = AVIF_RGB_FORMAT_BGRA
      colors.ignoreAlpha = AVIF_TRUE
      colors.rowBytes = UInt32(frame.image.stride)
      // libavif only reads them.
      colors.pixels = UnsafeMutablePointer(mutating: pixels.baseAddress?.assumingMemoryBound(to: UInt8.self))
      return avifImageRGBToYUV(image, &colors)
    }
    try check(converted)
    // Counted from the start, so that rounding errors don't accumulate.
    let end = max(elapsed + 1, Int(((frame.time + frame.duration) * 1000).rounded()))
    let duration = UInt64(end - elapsed)
    elapsed = end
    try check(avifEncoderAddImage(encoder, image, duration, avifAddImageFlags(AVIF_ADD_IMAGE_FLAG_NONE.rawValue)))
  }

  mutating func finish() throws(AnimationFailure) -> Data {
    var bytes = avifRWData()
    defer { avifRWDataFree(&bytes) }
    try check(avifEncoderFinish(encoder, &bytes))
    guard let start = bytes.data else { throw AnimationFailure(reason: localized("there isn’t enough memory")) }
    return Data(bytes: start, count: bytes.size)
  }

  private func check(_ result: avifResult) throws(AnimationFailure) {
    guard result != AVIF_RESULT_OK else { return }
    if result == AVIF_RESULT_OUT_OF_MEMORY { throw AnimationFailure(reason: localized("there isn’t enough memory")) }
    let reason = avifResultToString(result).map { String(cString: $0) } ?? ""
    throw AnimationFailure(reason: localized("libavif reported “\(reason)”"))
  }
}
