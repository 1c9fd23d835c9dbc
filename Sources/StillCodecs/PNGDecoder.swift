// PNG decoding by libspng.

import CSPNG
import CameraCore
import Foundation
import Localization

/// libspng with limits for untrusted files.
enum PNGDecoder {
  /// In bytes, for one chunk; four times that for all that are kept.
  private static let longestChunk = 8 << 20

  static func decode(_ data: Data) throws(StillCodecError) -> DecodedStill {
    guard let context = spng_ctx_new(0) else { throw StillCodecError(localized("there isn’t enough memory")) }
    defer { spng_ctx_free(context) }
    // Kept until the context is freed, which points into it.
    let bytes = data as NSData
    let side = UInt32(StillCodecs.largestSide)
    try check(spng_set_image_limits(context, side, side))
    try check(spng_set_chunk_limits(context, longestChunk, 4 * longestChunk))
    try check(spng_set_png_buffer(context, bytes.bytes, bytes.length))
    var header = spng_ihdr()
    try check(spng_get_ihdr(context, &header))
    let size = PixelSize(width: Int(header.width), height: Int(header.height))
    try StillCodecs.check(size)
    return try StillCodecs.limited(size) { () throws(StillCodecError) in
      var count = 0
      let format = Int32(SPNG_FMT_RGBA8.rawValue)
      try check(spng_decoded_image_size(context, format, &count))
      guard count == size.area * 4 else { throw StillCodecError(localized("the picture is damaged")) }
      var code: Int32 = 0
      let pixels = FrameBlock(count: count) { target in
        code = spng_decode_image(context, target.baseAddress, target.count, format, Int32(SPNG_DECODE_TRNS.rawValue))
      }
      try check(code)
      let image = pixels.withUnsafeBytes { bytes in
        bytes.assumingMemoryBound(to: UInt8.self).baseAddress.map {
          DecodedImage.opaque(rgba: $0, stride: 4 * size.width, size: size, hasAlpha: true)
        }
      }
      guard let image else { throw StillCodecError(localized("the picture is damaged")) }
      return DecodedStill(image: image, colors: StillColors(profile: profile(context)))
    }
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
}
