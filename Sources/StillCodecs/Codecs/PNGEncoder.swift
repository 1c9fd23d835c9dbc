// PNG encoding with libspng: pixels, an EXIF block, a color profile, texts.

import CSPNG
import CameraCore
import Foundation
import PhotoEffects

/// Encodes one picture as a PNG of 8 or 16 bits a channel, not interlaced.
public final class PNGEncoder {
  /// libspng's; chunks that stand before the pixels are set on it. What they point to must live until `finish` returns.
  public let context: OpaquePointer
  /// Gray, or red, green and blue, and opacity where there is some, of two bytes each in the machine's order where there are 16 bits.
  private let samples: [UInt8]

  /// - Parameter alpha: Of the picture's size; its colors are straight then.
  /// - Returns: `nil` without memory.
  public convenience init?(_ image: DecodedImage, alpha: AlphaPlane? = nil) {
    self.init(image.size, bits: 8, hasAlpha: alpha != nil, image.samples(alpha))
  }

  /// The same with 16 bits a channel.
  public convenience init?(_ image: DeepPixels, alpha: AlphaPlane? = nil) {
    self.init(image.size, bits: 16, hasAlpha: alpha != nil, image.samples(alpha))
  }

  /// A gray picture.
  ///
  /// - Parameter gray: One byte a pixel, row by row without gaps.
  public convenience init?(gray: FrameBlock, size: PixelSize) {
    self.init(size, bits: 8, SPNG_COLOR_TYPE_GRAYSCALE, gray.withUnsafeBytes { [UInt8]($0.prefix(size.area)) })
  }

  private convenience init?(_ size: PixelSize, bits: UInt8, hasAlpha: Bool, _ samples: [UInt8]) {
    let type = hasAlpha ? SPNG_COLOR_TYPE_TRUECOLOR_ALPHA : SPNG_COLOR_TYPE_TRUECOLOR
    self.init(size, bits: bits, type, samples)
  }

  private init?(_ size: PixelSize, bits: UInt8, _ type: spng_color_type, _ samples: [UInt8]) {
    guard let context = spng_ctx_new(Int32(SPNG_CTX_ENCODER.rawValue)) else { return nil }
    self.context = context
    self.samples = samples
    var header = spng_ihdr()
    header.width = UInt32(size.width)
    header.height = UInt32(size.height)
    header.bit_depth = bits
    header.color_type = UInt8(type.rawValue)
    guard spng_set_option(context, SPNG_ENCODE_TO_BUFFER, 1) == 0, spng_set_ihdr(context, &header) == 0 else {
      return nil
    }
  }

  deinit { spng_ctx_free(context) }

  /// The file's bytes. To be called once.
  ///
  /// - Returns: `nil` without memory.
  public func finish() -> Data? {
    let (format, flags) = (Int32(SPNG_FMT_PNG.rawValue), Int32(SPNG_ENCODE_FINALIZE.rawValue))
    guard spng_encode_image(context, samples, samples.count, format, flags) == 0 else { return nil }
    var count = 0
    var code: Int32 = 0
    guard let bytes = spng_get_png_buffer(context, &count, &code) else { return nil }
    defer { free(bytes) }
    return code == 0 ? Data(bytes: bytes, count: count) : nil
  }

  /// A PNG with an EXIF block and a color profile.
  ///
  /// - Parameters:
  ///   - alpha: Of the picture's size; its colors are straight then.
  ///   - exif: A TIFF structure; `nil` for none.
  ///   - colorProfile: An ICC profile; `nil` for sRGB.
  /// - Returns: `nil` without memory.
  public static func encode(
    _ image: DecodedImage, alpha: AlphaPlane? = nil, exif: Data? = nil, colorProfile: Data? = nil
  ) -> Data? {
    PNGEncoder(image, alpha: alpha)?.encode(exif: exif, colorProfile: colorProfile)
  }

  /// The same with 16 bits a channel.
  public static func encode(
    _ image: DeepPixels, alpha: AlphaPlane? = nil, exif: Data? = nil, colorProfile: Data? = nil
  ) -> Data? {
    PNGEncoder(image, alpha: alpha)?.encode(exif: exif, colorProfile: colorProfile)
  }

  private func encode(exif: Data?, colorProfile: Data?) -> Data? {
    var block = [CChar]((exif ?? Data()).map { CChar(bitPattern: $0) })
    var profile = [CChar]((colorProfile ?? Data()).map { CChar(bitPattern: $0) })
    return block.withUnsafeMutableBufferPointer { block in
      profile.withUnsafeMutableBufferPointer { profile in
        if !block.isEmpty {
          var chunk = spng_exif(length: block.count, data: block.baseAddress)
          guard spng_set_exif(context, &chunk) == 0 else { return nil }
        }
        if !profile.isEmpty {
          var colors = spng_iccp()
          withUnsafeMutableBytes(of: &colors.profile_name) { $0.copyBytes(from: "ICC profile".utf8) }
          colors.profile_len = profile.count
          colors.profile = profile.baseAddress
          // A profile that PNG doesn't take is no reason to go without the picture.
          spng_set_iccp(context, &colors)
        }
        return finish()
      }
    }
  }
}
