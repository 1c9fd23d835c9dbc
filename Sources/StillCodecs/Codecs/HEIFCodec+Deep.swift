// HEIC and AVIF with 10 bits a sample.

import CHEIF
import CameraCore
import Foundation
import Localization
import PhotoEffects

extension HEIFCodec {
  /// Whether the installed encoders do 10 bits; they are tried once.
  static let makesDeepHEIC = makesDeep(.heic)
  static let makesDeepAVIF = heif_get_version_number() >= soundAVIF && makesDeep(.avif)
  /// libheif 1.15.2, as `0xMMmmpp00`. Those before tell libaom a profile that 10 bits with 4:2:0 don't have, and libaom ends
  /// the program for that (libheif's `encoder_aom.cc`, `compute_avif_profile`).
  private static let soundAVIF: UInt32 = 0x010f_0200

  private static func makesDeep(_ format: PhotoFormat) -> Bool {
    // The smallest size that every encoder takes.
    let size = PixelSize(width: 64, height: 64)
    let layout = RawLayout(
      name: DeepLayout.planar420.rawValue, size: size, strides: [128, 64, 64], offsets: [0, 8192, 10240])
    let block = FrameBlock(count: 12288) { memory in
      for word in memory.bindMemory(to: UInt16.self).indices { memory.bindMemory(to: UInt16.self)[word] = 512 }
    }
    let image = DeepImage(layout: layout, block: block, colors: .bt709)
    guard let data = try? encode(image, as: format, quality: .photo) else { return false }
    return (try? bitDepth(of: data)) == DeepLayout.bits
  }

  static func decodeDeep(_ data: Data) throws(StillCodecError) -> DeepStill? {
    try withPicture(data) { handle, isTrusted throws(StillCodecError) in
      guard heif_image_handle_get_luma_bits_per_pixel(handle) > 8 else { return nil }
      let stated = size(of: handle)
      try StillLimits.check(stated)
      guard stated.area <= StillLimits.largestDeepArea else { return nil }
      return try StillLimits.limited(stated, isTrusted: isTrusted) { () throws(StillCodecError) in
        try deepStill(of: handle)
      }
    }
  }

  private static func deepStill(of handle: OpaquePointer) throws(StillCodecError) -> DeepStill {
    let hasAlpha = hasAlpha(handle)
    let chroma = hasAlpha ? heif_chroma_interleaved_RRGGBBAA_LE : heif_chroma_interleaved_RRGGBB_LE
    var image: OpaquePointer?
    try check(heif_decode_image(handle, &image, heif_colorspace_RGB, chroma, nil))
    guard let image else { throw .noPicture }
    defer { heif_image_release(image) }
    // What is decoded counts, not what was stated.
    let width = Int(heif_image_get_width(image, heif_channel_interleaved))
    let height = Int(heif_image_get_height(image, heif_channel_interleaved))
    let bits = Int(heif_image_get_bits_per_pixel_range(image, heif_channel_interleaved))
    let size = PixelSize(width: width, height: height)
    try StillLimits.check(size)
    try check(size, stated: Self.size(of: handle))
    let channels = hasAlpha ? 4 : 3
    var stride: Int32 = 0
    guard let plane = heif_image_get_plane_readonly(image, heif_channel_interleaved, &stride), (9...16).contains(bits),
      Int(stride) >= 2 * channels * width, size.area <= StillLimits.largestDeepArea
    else { throw .noPicture }
    return try DeepStill.overWhite(size, opacity(of: handle), bits: bits, colors: colors(of: handle)) { pixels in
      for y in 0..<height {
        let row = UnsafeRawPointer(plane + y * Int(stride))
        for x in 0..<width {
          func number(_ channel: Int) -> UInt16 {
            UInt16(littleEndian: row.loadUnaligned(fromByteOffset: 2 * (x * channels + channel), as: UInt16.self))
          }
          pixels[y * width + x] = DeepPixels.Pixel(number(0), number(1), number(2), hasAlpha ? number(3) : 0)
        }
      }
    }
  }

  static func encode(
    _ image: DeepPixels, alpha: AlphaPlane?, as format: PhotoFormat, colors: StillColors, quality: StillQuality
  ) throws(StillCodecError) -> Data? {
    guard format == .heic ? makesDeepHEIC : makesDeepAVIF else { return nil }
    let picture = try interleaved(image, alpha)
    defer { heif_image_release(picture) }
    return try encode(
      picture, hasAlpha: alpha != nil, as: format, colors: colors, quality: quality, orientation: 1)
  }

  /// The picture with 10 bits a channel.
  private static func interleaved(
    _ image: DeepPixels, _ alpha: AlphaPlane?
  ) throws(StillCodecError) -> OpaquePointer {
    let size = image.size
    let chroma = alpha == nil ? heif_chroma_interleaved_RRGGBB_LE : heif_chroma_interleaved_RRGGBBAA_LE
    var picture: OpaquePointer?
    try check(
      heif_image_create(
        Int32(size.width), Int32(size.height), heif_colorspace_RGB, chroma, &picture))
    guard let picture else { throw .noMemory }
    do throws(StillCodecError) {
      try check(
        heif_image_add_plane(
          picture, heif_channel_interleaved, Int32(size.width), Int32(size.height), Int32(DeepLayout.bits)))
      var stride: Int32 = 0
      guard let plane = heif_image_get_plane(picture, heif_channel_interleaved, &stride) else { throw .noMemory }
      let white = UInt32(1 << DeepLayout.bits - 1)
      let (samples, length) = (image.samples(alpha), size.width * (alpha == nil ? 3 : 4))
      samples.withUnsafeBytes { samples in
        for y in 0..<size.height {
          let row = UnsafeMutableRawPointer(plane + y * Int(stride))
          for index in 0..<length {
            let wide = UInt32(samples.load(fromByteOffset: 2 * (y * length + index), as: UInt16.self))
            let narrow = UInt16((wide * white + 32_767) / 65_535)
            row.storeBytes(of: narrow.littleEndian, toByteOffset: 2 * index, as: UInt16.self)
          }
        }
      }
      return picture
    } catch {
      heif_image_release(picture)
      throw error
    }
  }

  /// The bits a sample of luma, as the file says.
  ///
  /// - Throws: `StillCodecError` when there is no picture.
  static func bitDepth(of data: Data) throws(StillCodecError) -> Int {
    guard let context = heif_context_alloc() else { throw .noMemory }
    defer { heif_context_free(context) }
    let result = data.withUnsafeBytes { bytes in
      Result { () throws(StillCodecError) in
        try check(heif_context_read_from_memory_without_copy(context, bytes.baseAddress, bytes.count, nil))
        var handle: OpaquePointer?
        try check(heif_context_get_primary_image_handle(context, &handle))
        defer { heif_image_handle_release(handle) }
        return Int(heif_image_handle_get_luma_bits_per_pixel(handle))
      }
    }
    return try result.get()
  }

  /// Encodes planes as they are.
  static func encode(
    _ image: DeepImage, as format: PhotoFormat, quality: StillQuality
  ) throws(StillCodecError) -> Data {
    try StillLimits.check(image.layout.size)
    let noMemory = StillCodecError.noMemory
    guard let context = heif_context_alloc(), let codes = heif_nclx_color_profile_alloc() else { throw noMemory }
    defer {
      heif_context_free(context)
      heif_nclx_color_profile_free(codes)
    }
    codes.pointee.color_primaries = heif_color_primaries(image.colors.primaries)
    codes.pointee.transfer_characteristics = heif_transfer_characteristics(image.colors.transfer)
    codes.pointee.matrix_coefficients = heif_matrix_coefficients(image.colors.matrix)
    codes.pointee.full_range_flag = image.colors.isFullRange ? 1 : 0
    let encoder = try encoder(context, format, quality)
    defer { heif_encoder_release(encoder) }
    let source = try planes(image)
    defer { heif_image_release(source) }
    // The same on both sides, so that nothing is converted.
    try check(heif_image_set_nclx_color_profile(source, codes))
    guard let options = heif_encoding_options_alloc() else { throw noMemory }
    defer { heif_encoding_options_free(options) }
    options.pointee.save_alpha_channel = 0
    options.pointee.output_nclx_profile = codes
    options.pointee.macOS_compatibility_workaround_no_nclx_profile = 0
    var handle: OpaquePointer?
    try check(heif_context_encode_image(context, source, encoder, options, &handle))
    if let handle { heif_image_handle_release(handle) }
    return try file(of: context)
  }

  private static func planes(_ image: DeepImage) throws(StillCodecError) -> OpaquePointer {
    let size = image.layout.size
    guard image.layout.deep == .planar420, size.width % 2 == 0, size.height % 2 == 0 else {
      throw StillCodecError(localized("pixels with the layout \(image.layout.name) can’t be processed"))
    }
    var picture: OpaquePointer?
    try check(
      heif_image_create(Int32(size.width), Int32(size.height), heif_colorspace_YCbCr, heif_chroma_420, &picture))
    guard let picture else { throw .noMemory }
    do throws(StillCodecError) {
      for (plane, channel) in [heif_channel_Y, heif_channel_Cb, heif_channel_Cr].enumerated() {
        let share = plane == 0 ? 1 : 2
        let (width, height) = (size.width / share, size.height / share)
        try check(heif_image_add_plane(picture, channel, Int32(width), Int32(height), Int32(DeepLayout.bits)))
        var stride: Int32 = 0
        guard let target = heif_image_get_plane(picture, channel, &stride) else {
          throw .noMemory
        }
        image.block.withUnsafeBytes { bytes in
          guard let base = bytes.baseAddress else { return }
          for row in 0..<height {
            UnsafeMutableRawPointer(target + row * Int(stride)).copyMemory(
              from: base + image.layout.offsets[plane] + row * image.layout.strides[plane], byteCount: 2 * width)
          }
        }
      }
      return picture
    } catch {
      heif_image_release(picture)
      throw error
    }
  }
}
