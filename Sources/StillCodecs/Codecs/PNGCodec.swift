// PNG by libspng, and APNG frame by frame.

import CSPNG
import CameraCore
import Foundation
import Localization
import MediaFormats
import PhotoEffects

/// libspng with limits for untrusted files.
enum PNGCodec: StillCodec {
  static let isIsolated = false

  /// In bytes, for one chunk; four times that for all that are kept.
  private static let longestChunk = 8 << 20

  static func decode(_ data: Data, needed: PixelSize?) throws(StillCodecError) -> DecodedStill {
    try decode(data, needed: needed, unless: nil)
  }

  static func decode(
    _ data: Data, needed: PixelSize?, unless isCancelled: CancellationFlag?
  ) throws(StillCodecError) -> DecodedStill {
    let (size, context, bytes) = try open(data)
    defer { spng_ctx_free(context) }
    return try StillLimits.limited(size, unless: isCancelled) { () throws(StillCodecError) in
      var still = try DecodedStill.overWhite(size, .straight) {
        (pixels: UnsafeMutablePointer<UInt8>) throws(StillCodecError) in
        try read(context, bytes, size, into: pixels)
      }
      still.colors.profile = profile(context)
      return still
    }
  }

  static func decodeDeep(_ data: Data) throws(StillCodecError) -> DeepStill? { try decodeDeep(data, unless: nil) }

  static func decodeDeep(
    _ data: Data, unless isCancelled: CancellationFlag?
  ) throws(StillCodecError) -> DeepStill? {
    let (size, context, bytes) = try open(data)
    defer { spng_ctx_free(context) }
    var header = spng_ihdr()
    try check(spng_get_ihdr(context, &header))
    guard header.bit_depth == 16, size.area <= StillLimits.largestDeepArea else { return nil }
    return try StillLimits.limited(
      bytes: StillLimits.deepAmount(size), unless: isCancelled
    ) { () throws(StillCodecError) in
      var still = try DeepStill.overWhite(size, .straight) {
        (pixels: UnsafeMutablePointer<DeepPixels.Pixel>) throws(StillCodecError) in
        try read(context, bytes, size, Int32(SPNG_FMT_RGBA16.rawValue), bytes: 8, into: pixels)
      }
      still.colors.profile = profile(context)
      return still
    }
  }

  static func encode(
    _ image: DeepPixels, alpha: AlphaPlane?, as format: PhotoFormat, colors: StillColors, quality: StillQuality
  ) throws(StillCodecError) -> Data? {
    guard let data = PNGEncoder.encode(image, alpha: alpha, colorProfile: colors.profile) else { throw .noMemory }
    return data
  }

  static func frames(of data: Data) throws(StillCodecError) -> (any StillFrameReader)? { try PNGFrameReader(data) }

  /// Opens a file, which the context points into until it is freed; that is the caller's to do.
  private static func open(
    _ data: Data
  ) throws(StillCodecError) -> (size: PixelSize, context: OpaquePointer, bytes: NSData) {
    guard let context = spng_ctx_new(0) else { throw .noMemory }
    do throws(StillCodecError) {
      let bytes = data as NSData
      let side = UInt32(StillLimits.largestSide)
      try check(spng_set_image_limits(context, side, side))
      try check(spng_set_chunk_limits(context, longestChunk, 4 * longestChunk))
      try check(spng_set_png_buffer(context, bytes.bytes, bytes.length))
      var header = spng_ihdr()
      try check(spng_get_ihdr(context, &header))
      let size = PixelSize(width: Int(header.width), height: Int(header.height))
      try StillLimits.check(size)
      return (size, context, bytes)
    } catch {
      spng_ctx_free(context)
      throw error
    }
  }

  /// Decodes to red, green, blue and opacity.
  ///
  /// - Parameter length: The bytes of a pixel.
  private static func read(
    _ context: OpaquePointer, _ bytes: NSData, _ size: PixelSize, _ format: Int32 = Int32(SPNG_FMT_RGBA8.rawValue),
    bytes length: Int = 4, into pixels: UnsafeMutableRawPointer
  ) throws(StillCodecError) {
    var count = 0
    try check(spng_decoded_image_size(context, format, &count))
    guard count == size.area * length else { throw .damaged }
    try check(spng_decode_image(context, pixels, count, format, Int32(SPNG_DECODE_TRNS.rawValue)))
  }

  /// Red, green, blue and opacity of a small picture: a frame.
  fileprivate static func pixels(of data: Data, _ size: PixelSize) throws(StillCodecError) -> [UInt8] {
    let (stated, context, bytes) = try open(data)
    defer { spng_ctx_free(context) }
    guard stated == size else { throw .damaged }
    var pixels = [UInt8](repeating: 0, count: size.area * 4)
    // A closure can't throw typed errors through an array, hence the `Result`.
    let result = pixels.withUnsafeMutableBufferPointer { pixels in
      Result { () throws(StillCodecError) in
        guard let start = pixels.baseAddress else { throw .noPicture }
        try read(context, bytes, size, into: start)
      }
    }
    try result.get()
    return pixels
  }

  static func colors(of data: Data) -> StillColors {
    guard let context = spng_ctx_new(0) else { return StillColors() }
    defer { spng_ctx_free(context) }
    // As above.
    let bytes = data as NSData
    guard spng_set_chunk_limits(context, longestChunk, 4 * longestChunk) == 0,
      spng_set_png_buffer(context, bytes.bytes, bytes.length) == 0
    else { return StillColors() }
    return StillColors(profile: profile(context))
  }

  private static func profile(_ context: OpaquePointer) -> Data? {
    var chunk = spng_iccp()
    guard spng_get_iccp(context, &chunk) == 0, let profile = chunk.profile, chunk.profile_len > 0 else { return nil }
    return Data(bytes: profile, count: chunk.profile_len)
  }

  private static func check(_ code: Int32) throws(StillCodecError) {
    guard code != 0 else { return }
    throw StillCodecError(
      spng_strerror(code).map { localized("libspng reports “\(String(cString: $0))”") }
        ?? localized("libspng refuses it"))
  }

  static func encode(
    _ image: DecodedImage, alpha: AlphaPlane?, as format: PhotoFormat, colors: StillColors, quality: StillQuality
  ) throws(StillCodecError) -> Data {
    guard let data = PNGEncoder.encode(image, alpha: alpha, colorProfile: colors.profile) else { throw .noMemory }
    return data
  }
}

/// The frames of an APNG.
private final class PNGFrameReader: StillFrameReader {
  private let source: DataSource
  private let animation: PNGAnimation
  private var index = 0
  private var canvas: AnimationCanvas
  let colors: StillColors
  var loopCount: Int { animation.loopCount }

  /// - Returns: `nil` for a still picture.
  init?(_ data: Data) throws(StillCodecError) {
    source = DataSource(data, name: "picture")
    let animation: PNGAnimation?
    do throws(FormatError) { animation = try PNGAnimation(source) } catch { throw StillCodecError(error.reason) }
    guard let animation, animation.size.area <= StillLimits.largestCanvas else { return nil }
    (self.animation, canvas, colors) = (animation, AnimationCanvas(animation.size), PNGCodec.colors(of: data))
  }

  func next() throws(StillCodecError) -> StillFrame? {
    guard index < animation.frames.count else { return nil }
    let frame = animation.frames[index]
    index += 1
    let file: Data
    do throws(FormatError) { file = try animation.file(of: frame, in: source) } catch {
      throw StillCodecError(error.reason)
    }
    let area = AnimationCanvas.Area(x: frame.x, y: frame.y, size: frame.size)
    let disposal: AnimationCanvas.Disposal =
      switch frame.disposal {
      case .kept: .kept
      case .cleared: .cleared
      case .restored: .restored
      }
    try PNGCodec.pixels(of: file, frame.size).withUnsafeBufferPointer { pixels in
      guard let start = pixels.baseAddress else { return }
      canvas.draw(start, area, isBlended: frame.isBlended, disposal: disposal)
    }
    return StillFrame(try canvas.still(), duration: AnimationCanvas.shown(frame.duration))
  }
}
