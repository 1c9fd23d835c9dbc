// WebP by libwebp.

import CWebP
import CameraCore
import Foundation
import Localization
import PhotoEffects

/// libwebp behind Swift's errors. Its decoder is isolated for a fault of 2023 by which a file could take over a program
/// (CVE-2023-4863).
enum WebPCodec: StillCodec {
  static let isIsolated = true

  // MARK: Decoding

  static func decode(_ data: Data, needed: PixelSize?) throws(StillCodecError) -> DecodedStill {
    // A closure can't throw typed errors through `Data`, hence the `Result`; here and below.
    let result = data.withUnsafeBytes { bytes in
      Result { () throws(StillCodecError) in try decode(bytes, needed: needed) }
    }
    var still = try result.get()
    // A file that breaks off behind its picture can be shown.
    still.colors = (try? colors(of: data)) ?? StillColors()
    return still
  }

  private static func decode(
    _ bytes: UnsafeRawBufferPointer, needed: PixelSize?
  ) throws(StillCodecError) -> DecodedStill {
    let source = bytes.assumingMemoryBound(to: UInt8.self).baseAddress
    var config = WebPDecoderConfig()
    guard WebPInitDecoderConfig(&config) != 0 else { throw .noMemory }
    guard WebPGetFeatures(source, bytes.count, &config.input) == VP8_STATUS_OK else { throw .noPicture }
    let whole = PixelSize(width: Int(config.input.width), height: Int(config.input.height))
    try StillLimits.check(whole)
    if config.input.has_animation != 0 {
      guard let frame = try frames(of: Data(bytes))?.next() else { throw .noPicture }
      return DecodedStill(image: frame.image, alpha: frame.alpha)
    }
    let size = needed.map { reduced(whole, $0) } ?? whole
    if size != whole {
      config.options.use_scaling = 1
      (config.options.scaled_width, config.options.scaled_height) = (Int32(size.width), Int32(size.height))
    }
    config.options.use_threads = 1
    config.output.colorspace = MODE_RGBA
    config.output.is_external_memory = 1
    return try DecodedStill.overWhite(size, config.input.has_alpha != 0 ? .straight : .none) {
      (pixels: UnsafeMutablePointer<UInt8>) throws(StillCodecError) in
      config.output.u.RGBA = WebPRGBABuffer(
        rgba: pixels, stride: Int32(size.width * 4), size: size.area * 4)
      let status = WebPDecode(source, bytes.count, &config)
      guard status == VP8_STATUS_OK else {
        throw status == VP8_STATUS_OUT_OF_MEMORY ? .noMemory : .damaged
      }
    }
  }

  /// Halved for as long as it stays at least as large as needed.
  private static func reduced(_ whole: PixelSize, _ needed: PixelSize) -> PixelSize {
    var size = whole
    while size.width / 2 >= max(1, needed.width), size.height / 2 >= max(1, needed.height) {
      size = PixelSize(width: size.width / 2, height: size.height / 2)
    }
    return size
  }

  static func colors(of data: Data) throws(StillCodecError) -> StillColors {
    // A closure can't throw typed errors through `Data`, hence the `Result`.
    let result = data.withUnsafeBytes { bytes -> Result<StillColors, StillCodecError> in
      var source = WebPData(bytes: bytes.assumingMemoryBound(to: UInt8.self).baseAddress, size: bytes.count)
      guard let demuxer = WebPDemux(&source) else { return .failure(.damaged) }
      defer { WebPDemuxDelete(demuxer) }
      var chunk = WebPChunkIterator()
      guard WebPDemuxGetChunk(demuxer, "ICCP", 1, &chunk) != 0 else { return .success(StillColors()) }
      defer { WebPDemuxReleaseChunkIterator(&chunk) }
      guard let profile = chunk.chunk.bytes, (1...StillColors.longestProfile).contains(chunk.chunk.size) else {
        return .success(StillColors())
      }
      return .success(StillColors(profile: Data(bytes: profile, count: chunk.chunk.size)))
    }
    return try result.get()
  }

  static func frames(of data: Data) throws(StillCodecError) -> (any StillFrameReader)? {
    try WebPFrameReader(data)
  }

  // MARK: Encoding

  /// As libwebp counts, from 0 to 100.
  private static func quality(_ quality: StillQuality) -> Float { quality == .edit ? 95 : 90 }

  static func encode(
    _ image: DecodedImage, alpha: AlphaPlane?, as format: PhotoFormat, colors: StillColors, quality: StillQuality
  ) throws(StillCodecError) -> Data {
    guard image.size.width <= WEBP_MAX_DIMENSION, image.size.height <= WEBP_MAX_DIMENSION else {
      throw StillCodecError(localized("\(image.size.localized) pixels are too many for \(format.name)"))
    }
    var config = WebPConfig()
    guard WebPConfigPreset(&config, WEBP_PRESET_PHOTO, self.quality(quality)) != 0 else { throw .noMemory }
    (config.method, config.thread_level, config.use_sharp_yuv) = (4, 1, 1)
    var picture = WebPPicture()
    guard WebPPictureInit(&picture) != 0 else { throw .noMemory }
    defer { WebPPictureFree(&picture) }
    (picture.width, picture.height, picture.use_argb) = (Int32(image.size.width), Int32(image.size.height), 1)
    let isTaken =
      if alpha != nil {
        WebPPictureImportRGBA(&picture, image.samples(alpha), Int32(4 * image.size.width)) != 0
      } else {
        image.block.withUnsafeBytes { bytes in
          WebPPictureImportBGRX(
            &picture, bytes.assumingMemoryBound(to: UInt8.self).baseAddress, Int32(image.stride)) != 0
        }
      }
    guard isTaken else { throw .noMemory }
    var writer = WebPMemoryWriter()
    WebPMemoryWriterInit(&writer)
    defer { WebPMemoryWriterClear(&writer) }
    picture.writer = WebPMemoryWrite
    let isEncoded = withUnsafeMutablePointer(to: &writer) { writer in
      picture.custom_ptr = UnsafeMutableRawPointer(writer)
      return WebPEncode(&config, &picture) != 0
    }
    guard isEncoded, let bytes = writer.mem else {
      throw StillCodecError(localized("libwebp refuses it (error \(Int(picture.error_code.rawValue)))"))
    }
    let file = Data(bytes: bytes, count: writer.size)
    guard let profile = colors.profile else { return file }
    return try file.withProfile(profile)
  }
}

extension Data {
  /// A WebP with a color profile.
  fileprivate func withProfile(_ profile: Data) throws(StillCodecError) -> Data {
    guard let mux = WebPMuxNew() else { throw .noMemory }
    defer { WebPMuxDelete(mux) }
    let isSet = withUnsafeBytes { file in
      profile.withUnsafeBytes { profile in
        var image = WebPData(bytes: file.assumingMemoryBound(to: UInt8.self).baseAddress, size: file.count)
        var chunk = WebPData(bytes: profile.assumingMemoryBound(to: UInt8.self).baseAddress, size: profile.count)
        return WebPMuxSetImage(mux, &image, 1) == WEBP_MUX_OK && WebPMuxSetChunk(mux, "ICCP", &chunk, 1) == WEBP_MUX_OK
      }
    }
    var result = WebPData()
    guard isSet, WebPMuxAssemble(mux, &result) == WEBP_MUX_OK, let bytes = result.bytes else { throw .noMemory }
    defer { WebPFree(UnsafeMutableRawPointer(mutating: bytes)) }
    return Data(bytes: bytes, count: result.size)
  }
}

/// The frames of an animated WebP.
private final class WebPFrameReader: StillFrameReader {
  private let decoder: OpaquePointer
  /// What the decoder points into.
  private let bytes: NSData
  private let size: PixelSize
  private var end: Int32 = 0
  let loopCount: Int
  let colors: StillColors

  /// - Returns: `nil` for a still picture.
  init?(_ data: Data) throws(StillCodecError) {
    bytes = data as NSData
    var options = WebPAnimDecoderOptions()
    guard WebPAnimDecoderOptionsInit(&options) != 0 else { throw .noMemory }
    options.color_mode = MODE_RGBA
    options.use_threads = 1
    var features = WebPBitstreamFeatures()
    let source = bytes.bytes.assumingMemoryBound(to: UInt8.self)
    guard WebPGetFeatures(source, bytes.count, &features) == VP8_STATUS_OK, features.has_animation != 0 else {
      return nil
    }
    let size = PixelSize(width: Int(features.width), height: Int(features.height))
    try StillLimits.check(size)
    let found = try WebPCodec.colors(of: data)
    var file = WebPData(bytes: source, size: bytes.count)
    guard let decoder = WebPAnimDecoderNew(&file, &options) else { throw .damaged }
    var info = WebPAnimInfo()
    guard WebPAnimDecoderGetInfo(decoder, &info) != 0, info.canvas_width == size.width,
      info.canvas_height == size.height
    else {
      WebPAnimDecoderDelete(decoder)
      throw .damaged
    }
    (self.decoder, self.size, loopCount, colors) = (decoder, size, Int(info.loop_count), found)
  }

  deinit { WebPAnimDecoderDelete(decoder) }

  func next() throws(StillCodecError) -> StillFrame? {
    guard WebPAnimDecoderHasMoreFrames(decoder) != 0 else { return nil }
    var pixels: UnsafeMutablePointer<UInt8>?
    var end: Int32 = 0
    guard WebPAnimDecoderGetNext(decoder, &pixels, &end) != 0, let pixels else { throw .damaged }
    // In milliseconds since the beginning.
    let duration = Double(max(0, Int(end) - Int(self.end))) / 1000
    self.end = end
    let still = try DecodedStill.overWhite(rgba: pixels, stride: size.width * 4, size: size, .straight)
    return StillFrame(still, duration: AnimationCanvas.shown(duration))
  }
}
