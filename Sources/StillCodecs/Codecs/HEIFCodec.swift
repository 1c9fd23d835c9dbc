// HEIC and AVIF by libheif.

import CHEIF
import CameraCore
import Foundation
import Localization
import MediaFormats
import PhotoEffects

/// libheif behind Swift's errors.
enum HEIFCodec: StillCodec {
  static let isIsolated = true

  /// Plugins are loaded once.
  private static let ready: Void = { _ = heif_init(nil) }()

  /// A thumbnail with another aspect ratio than its picture has bars or is cropped.
  private static let aspectTolerance = 0.03
  private static let threads = Int32(max(1, min(8, ProcessInfo.processInfo.activeProcessorCount)))

  private static func compression(_ format: PhotoFormat) -> heif_compression_format {
    format == .avif ? heif_compression_AV1 : heif_compression_HEVC
  }

  static func missingEncoder(for format: PhotoFormat) -> String? {
    ready
    guard heif_have_encoder_for_format(compression(format)) == 0 else { return nil }
    return format == .heic
      ? localized("no HEVC encoder is installed for libheif (on Debian: libheif-plugin-x265)")
      : localized("no AV1 encoder is installed for libheif (on Debian: libheif-plugin-aomenc)")
  }

  static func check(_ error: heif_error) throws(StillCodecError) {
    guard error.code != heif_error_Ok else { return }
    let message = error.message.map { String(cString: $0) } ?? ""
    throw StillCodecError(message.isEmpty ? localized("libheif refuses it") : localized("libheif reports “\(message)”"))
  }

  /// - Returns: `nil` for HEIC sequences as well, which libavif doesn't decode.
  static func frames(of data: Data) throws(StillCodecError) -> (any StillFrameReader)? {
    try AVIFFrameReader(data, colors: colors(of: data))
  }

  // MARK: Decoding

  static func decode(_ data: Data, needed: PixelSize?) throws(StillCodecError) -> DecodedStill {
    try withPicture(data) { handle, isTrusted throws(StillCodecError) in
      let colors = colors(of: handle)
      if let needed, let thumbnail = thumbnail(of: handle, needed: needed) {
        defer { heif_image_handle_release(thumbnail) }
        // One that can't be decoded is no loss.
        if var still = try? still(of: thumbnail, isTrusted: isTrusted) {
          still.colors = colors
          return still
        }
      }
      var still = try still(of: handle, isTrusted: isTrusted)
      still.colors = colors
      return still
    }
  }

  /// Opens a file for the duration of a call.
  ///
  /// - Parameter use: Gets the handle of its picture, and whether that is as large as it states.
  static func withPicture<R>(
    _ data: Data, _ use: (_ handle: OpaquePointer, _ isTrusted: Bool) throws(StillCodecError) -> R
  ) throws(StillCodecError) -> R {
    ready
    let isTrusted = try isTrusted(data)
    guard let context = heif_context_alloc() else { throw .noMemory }
    defer { heif_context_free(context) }
    heif_context_set_maximum_image_size_limit(context, Int32(StillLimits.largestSide))
    heif_context_set_max_decoding_threads(context, threads)
    // A closure can't throw typed errors through `Data`, hence the `Result`.
    let result = data.withUnsafeBytes { bytes in
      Result { () throws(StillCodecError) in
        try check(heif_context_read_from_memory_without_copy(context, bytes.baseAddress, bytes.count, nil))
        var handle: OpaquePointer?
        try check(heif_context_get_primary_image_handle(context, &handle))
        guard let handle else { throw .noPicture }
        defer { heif_image_handle_release(handle) }
        return try use(handle, isTrusted)
      }
    }
    return try result.get()
  }

  static func colors(of data: Data) throws(StillCodecError) -> StillColors {
    try withPicture(data) { handle, _ throws(StillCodecError) in colors(of: handle) }
  }

  static func size(of handle: OpaquePointer) -> PixelSize {
    PixelSize(width: Int(heif_image_handle_get_width(handle)), height: Int(heif_image_handle_get_height(handle)))
  }

  /// Whether a file's pictures are as large as they state. libheif before 1.19 allocates whatever their streams code.
  ///
  /// - Returns: `false` when that isn't known.
  /// - Throws: `StillCodecError` when they are larger.
  private static func isTrusted(_ data: Data) throws(StillCodecError) -> Bool {
    switch try? HEIFCodedSize(DataSource(data, name: "picture")) {
    case .asStated: return true
    case .larger(let size):
      throw StillCodecError(localized("the picture has \(size.localized) pixels, more than the file says"))
    case .unknown, nil: return false
    }
  }

  /// - Parameter isTrusted: Whether it is as large as it states; others are decoded one at a time.
  private static func still(of handle: OpaquePointer, isTrusted: Bool) throws(StillCodecError) -> DecodedStill {
    let stated = size(of: handle)
    try StillLimits.check(stated)
    return try StillLimits.limited(stated, isTrusted: isTrusted) { () throws(StillCodecError) in
      guard let options = heif_decoding_options_alloc() else {
        throw .noMemory
      }
      defer { heif_decoding_options_free(options) }
      options.pointee.convert_hdr_to_8bit = 1
      var image: OpaquePointer?
      try check(heif_decode_image(handle, &image, heif_colorspace_RGB, heif_chroma_interleaved_RGBA, options))
      guard let image else { throw .noPicture }
      defer { heif_image_release(image) }
      // What is decoded counts, not what was stated.
      let width = Int(heif_image_get_width(image, heif_channel_interleaved))
      let height = Int(heif_image_get_height(image, heif_channel_interleaved))
      let size = PixelSize(width: width, height: height)
      try StillLimits.check(size)
      try check(size, stated: stated)
      var stride: Int32 = 0
      guard let plane = heif_image_get_plane_readonly(image, heif_channel_interleaved, &stride),
        Int(stride) >= 4 * width
      else { throw .noPicture }
      return try .overWhite(rgba: plane, stride: Int(stride), size: size, opacity(of: handle))
    }
  }

  /// In pixels, on either side: colors of half the size, and crops, are rounded.
  private static let rounding = 2

  /// Refuses a picture whose stream codes less than it states: its places in the picture, and its size in the library, are
  /// those that it states. libheif before 1.19 hands it out as it is.
  static func check(_ size: PixelSize, stated: PixelSize) throws(StillCodecError) {
    // libheif before 1.17 writes the size of a turned grid as it is shown, and turns it again when it reads it.
    let isTurned = (size.width < size.height) != (stated.width < stated.height)
    let stated = isTurned ? PixelSize(width: stated.height, height: stated.width) : stated
    guard size.width >= stated.width - rounding, size.height >= stated.height - rounding else {
      throw StillCodecError(localized("the picture has \(size.localized) pixels, fewer than the file says"))
    }
  }

  static func hasAlpha(_ handle: OpaquePointer) -> Bool { heif_image_handle_has_alpha_channel(handle) != 0 }

  static func opacity(of handle: OpaquePointer) -> Opacity {
    guard hasAlpha(handle) else { return .none }
    return heif_image_handle_is_premultiplied_alpha(handle) != 0 ? .premultiplied : .straight
  }

  /// The smallest thumbnail in the file that is as large as needed; `nil` when there is none. The caller releases it.
  private static func thumbnail(of handle: OpaquePointer, needed: PixelSize) -> OpaquePointer? {
    let whole = size(of: handle)
    guard whole.width > 0, whole.height > 0, needed.area < whole.area else { return nil }
    var ids = [heif_item_id](repeating: 0, count: 16)
    let count = heif_image_handle_get_list_of_thumbnail_IDs(handle, &ids, 16)
    var best: OpaquePointer?
    for id in ids.prefix(Int(max(0, min(16, count)))) {
      var candidate: OpaquePointer?
      guard heif_image_handle_get_thumbnail(handle, id, &candidate).code == heif_error_Ok, let candidate else {
        continue
      }
      let size = size(of: candidate)
      let aspect = Double(size.width) * Double(whole.height) / max(1, Double(size.height) * Double(whole.width))
      // Most of a picture with transparent parts have none.
      let isUsable =
        hasAlpha(candidate) == hasAlpha(handle) && size.width >= needed.width && size.height >= needed.height
        && abs(aspect - 1) <= aspectTolerance
        && best.map { size.area < Self.size(of: $0).area } ?? true
      if isUsable {
        if let best { heif_image_handle_release(best) }
        best = candidate
      } else {
        heif_image_handle_release(candidate)
      }
    }
    return best
  }

  static func colors(of handle: OpaquePointer) -> StillColors {
    var colors = StillColors()
    let length = heif_image_handle_get_raw_color_profile_size(handle)
    if length > 0, length <= StillColors.longestProfile {
      var profile = Data(count: length)
      let code = profile.withUnsafeMutableBytes {
        heif_image_handle_get_raw_color_profile(handle, $0.baseAddress).code
      }
      if code == heif_error_Ok { colors.profile = profile }
    }
    var codes: UnsafeMutablePointer<heif_color_profile_nclx>?
    if heif_image_handle_get_nclx_color_profile(handle, &codes).code == heif_error_Ok, let codes {
      colors.codePoints = StillColors.CodePoints(
        primaries: codes.pointee.color_primaries.rawValue, transfer: codes.pointee.transfer_characteristics.rawValue)
      heif_nclx_color_profile_free(codes)
    }
    return colors
  }

  // MARK: Encoding

  static func encode(
    _ image: DecodedImage, alpha: AlphaPlane?, as format: PhotoFormat, colors: StillColors, quality: StillQuality
  ) throws(StillCodecError) -> Data {
    try encode(image, alpha: alpha, as: format, colors: colors, quality: quality, orientation: 1)
  }

  /// - Parameter orientation: As EXIF counts: the turn that decoders make.
  static func encode(
    _ image: DecodedImage, alpha: AlphaPlane?, as format: PhotoFormat, colors: StillColors, quality: StillQuality,
    orientation: UInt32
  ) throws(StillCodecError) -> Data {
    let source = try picture(image, alpha)
    defer { heif_image_release(source) }
    return try encode(
      source, hasAlpha: alpha != nil, as: format, colors: colors, quality: quality, orientation: orientation)
  }

  /// - Parameter source: libheif's picture, which stays the caller's.
  static func encode(
    _ source: OpaquePointer, hasAlpha: Bool, as format: PhotoFormat, colors: StillColors, quality: StillQuality,
    orientation: UInt32
  ) throws(StillCodecError) -> Data {
    let noMemory = StillCodecError.noMemory
    guard let context = heif_context_alloc() else { throw noMemory }
    defer { heif_context_free(context) }
    let encoder = try encoder(context, format, quality)
    defer { heif_encoder_release(encoder) }
    guard let codes = heif_nclx_color_profile_alloc() else { throw noMemory }
    defer { heif_nclx_color_profile_free(codes) }
    let points = colors.codePoints ?? .sRGB
    codes.pointee.color_primaries = heif_color_primaries(points.primaries)
    codes.pointee.transfer_characteristics = heif_transfer_characteristics(points.transfer)
    codes.pointee.matrix_coefficients = heif_matrix_coefficients_ITU_R_BT_601_6
    codes.pointee.full_range_flag = 1
    if let profile = colors.profile, !profile.isEmpty {
      let error = profile.withUnsafeBytes {
        heif_image_set_raw_color_profile(source, "prof", $0.baseAddress, $0.count)
      }
      try check(error)
    }
    try check(heif_image_set_nclx_color_profile(source, codes))
    guard let options = heif_encoding_options_alloc() else { throw noMemory }
    defer { heif_encoding_options_free(options) }
    options.pointee.save_alpha_channel = hasAlpha ? 1 : 0
    options.pointee.output_nclx_profile = codes
    options.pointee.save_two_colr_boxes_when_ICC_and_nclx_available = 1
    options.pointee.macOS_compatibility_workaround_no_nclx_profile = 0
    options.pointee.image_orientation = heif_orientation(orientation)
    var handle: OpaquePointer?
    try check(heif_context_encode_image(context, source, encoder, options, &handle))
    if let handle { heif_image_handle_release(handle) }
    return try file(of: context)
  }

  /// An encoder, set up; the caller releases it.
  static func encoder(
    _ context: OpaquePointer, _ format: PhotoFormat, _ quality: StillQuality
  ) throws(StillCodecError) -> OpaquePointer {
    var encoder: OpaquePointer?
    try check(heif_context_get_encoder_for_format(context, compression(format), &encoder))
    guard let encoder else { throw .noMemory }
    do throws(StillCodecError) {
      try check(heif_encoder_set_lossy_quality(encoder, self.quality(quality, format)))
    } catch {
      heif_encoder_release(encoder)
      throw error
    }
    // Parameters of one encoder only: others do without.
    _ = heif_encoder_set_parameter_string(encoder, "chroma", "420")
    if format == .heic {
      _ = heif_encoder_set_parameter_string(encoder, "preset", "ultrafast")
    } else {
      _ = heif_encoder_set_parameter_integer(encoder, "speed", 8)
      _ = heif_encoder_set_parameter_integer(encoder, "threads", threads)
      _ = heif_encoder_set_parameter_boolean(encoder, "lossless-alpha", 1)
    }
    return encoder
  }

  /// As libheif counts, from 0 to 100.
  private static func quality(_ quality: StillQuality, _ format: PhotoFormat) -> Int32 {
    switch (quality, format) {
    case (.photo, .avif): 85
    case (.edit, .avif): 92
    case (.photo, _): 65
    case (.edit, _): 78
    }
  }

  private static func picture(_ image: DecodedImage, _ alpha: AlphaPlane?) throws(StillCodecError) -> OpaquePointer {
    let size = image.size
    let chroma = alpha == nil ? heif_chroma_interleaved_RGB : heif_chroma_interleaved_RGBA
    var picture: OpaquePointer?
    try check(
      heif_image_create(
        Int32(size.width), Int32(size.height), heif_colorspace_RGB, chroma, &picture))
    guard let picture else { throw .noMemory }
    do throws(StillCodecError) {
      try check(
        heif_image_add_plane(picture, heif_channel_interleaved, Int32(size.width), Int32(size.height), 8))
      var stride: Int32 = 0
      guard let plane = heif_image_get_plane(picture, heif_channel_interleaved, &stride) else {
        throw .noMemory
      }
      let (samples, length) = (image.samples(alpha), size.width * (alpha == nil ? 3 : 4))
      samples.withUnsafeBufferPointer { samples in
        guard let start = samples.baseAddress else { return }
        for y in 0..<size.height { (plane + y * Int(stride)).update(from: start + y * length, count: length) }
      }
      return picture
    } catch {
      heif_image_release(picture)
      throw error
    }
  }

  private final class Bytes {
    var data = Data()
  }

  static func file(of context: OpaquePointer) throws(StillCodecError) -> Data {
    let bytes = Bytes()
    var writer = heif_writer()
    writer.writer_api_version = 1
    writer.write = heifWrite
    try check(heif_context_write(context, &writer, Unmanaged.passUnretained(bytes).toOpaque()))
    return bytes.data
  }

  /// Takes the bytes that libheif writes, on the thread that encodes.
  fileprivate static func take(_ source: UnsafeRawPointer, _ count: Int, _ target: UnsafeMutableRawPointer) {
    Unmanaged<Bytes>.fromOpaque(target).takeUnretainedValue().data.append(
      source.assumingMemoryBound(to: UInt8.self), count: count)
  }
}

/// Called by libheif on the thread that encodes, with pieces of the file.
private func heifWrite(
  _ context: OpaquePointer?, _ data: UnsafeRawPointer?, _ count: Int, _ target: UnsafeMutableRawPointer?
) -> heif_error {
  if let data, let target { HEIFCodec.take(data, count, target) }
  return heif_error(code: heif_error_Ok, subcode: heif_suberror_Unspecified, message: nil)
}
