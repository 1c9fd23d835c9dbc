// JPEG XL by libjxl.

import CJXL
import CameraCore
import Foundation
import Localization
import PhotoEffects

/// libjxl behind Swift's errors.
enum JXLCodec: StillCodec {
  static let isIsolated = true

  // MARK: Decoding

  static func decode(_ data: Data, needed: PixelSize?) throws(StillCodecError) -> DecodedStill {
    let reader = try JXLFrameReader(data)
    guard let frame = try reader.next() else { throw .noPicture }
    return DecodedStill(image: frame.image, alpha: frame.alpha, colors: reader.colors)
  }

  static func decodeDeep(_ data: Data) throws(StillCodecError) -> DeepStill? {
    let reader = try JXLFrameReader(data)
    guard var still = try reader.deepStill() else { return nil }
    still.colors = reader.colors
    return still
  }

  static func colors(of data: Data) throws(StillCodecError) -> StillColors {
    try JXLFrameReader(data).readColors()
  }

  static func frames(of data: Data) throws(StillCodecError) -> (any StillFrameReader)? {
    let reader = try JXLFrameReader(data)
    guard try reader.isAnimated() else { return nil }
    // Whoever gets it asks for its colors first.
    try reader.read(until: JXL_DEC_COLOR_ENCODING)
    return reader
  }

  // MARK: Encoding

  /// Butteraugli distance: 1 is where differences begin to be seen.
  private static func distance(_ quality: StillQuality) -> Float { quality == .edit ? 0.5 : 1 }
  /// From 1, fast, to 9.
  private static let effort: Int64 = 4

  static func encode(
    _ image: DecodedImage, alpha: AlphaPlane?, as format: PhotoFormat, colors: StillColors, quality: StillQuality
  ) throws(StillCodecError) -> Data {
    try encode(image.samples(alpha), image.size, bits: 8, hasAlpha: alpha != nil, colors: colors, quality: quality)
  }

  static func encode(
    _ image: DeepPixels, alpha: AlphaPlane?, as format: PhotoFormat, colors: StillColors, quality: StillQuality
  ) throws(StillCodecError) -> Data? {
    try encode(image.samples(alpha), image.size, bits: 16, hasAlpha: alpha != nil, colors: colors, quality: quality)
  }

  /// - Parameter samples: Red, green and blue, and opacity where there is some, of 8 or 16 bits each in the machine's order.
  private static func encode(
    _ samples: [UInt8], _ size: PixelSize, bits: UInt32, hasAlpha: Bool, colors: StillColors,
    quality: StillQuality
  ) throws(StillCodecError) -> Data {
    guard let encoder = JxlEncoderCreate(nil) else { throw .noMemory }
    defer { JxlEncoderDestroy(encoder) }
    let runner = JxlThreadParallelRunnerCreate(nil, JxlThreadParallelRunnerDefaultNumWorkerThreads())
    defer { JxlThreadParallelRunnerDestroy(runner) }
    func check(_ status: JxlEncoderStatus) throws(StillCodecError) {
      guard status == JXL_ENC_SUCCESS else {
        throw StillCodecError(localized("libjxl refuses it (error \(Int(JxlEncoderGetError(encoder).rawValue)))"))
      }
    }
    try check(JxlEncoderSetParallelRunner(encoder, JxlThreadParallelRunner, runner))
    var info = JxlBasicInfo()
    JxlEncoderInitBasicInfo(&info)
    (info.xsize, info.ysize) = (UInt32(size.width), UInt32(size.height))
    (info.bits_per_sample, info.num_color_channels) = (bits, 3)
    // More bits of it would make files that simple decoders refuse (level 10 of ISO/IEC 18181-1).
    if hasAlpha { (info.num_extra_channels, info.alpha_bits) = (1, 8) }
    // The profile is only kept as it is where the samples are.
    info.uses_original_profile = JXL_FALSE
    try check(JxlEncoderSetBasicInfo(encoder, &info))
    if let profile = colors.profile {
      let status = profile.withUnsafeBytes {
        JxlEncoderSetICCProfile(encoder, $0.assumingMemoryBound(to: UInt8.self).baseAddress, $0.count)
      }
      try check(status)
    } else {
      var encoding = JxlColorEncoding()
      JxlColorEncodingSetToSRGB(&encoding, JXL_FALSE)
      try check(JxlEncoderSetColorEncoding(encoder, &encoding))
    }
    guard let settings = JxlEncoderFrameSettingsCreate(encoder, nil) else { throw .noMemory }
    try check(JxlEncoderSetFrameDistance(settings, distance(quality)))
    try check(JxlEncoderFrameSettingsSetOption(settings, JXL_ENC_FRAME_SETTING_EFFORT, effort))
    var pixelFormat = JxlPixelFormat(
      num_channels: hasAlpha ? 4 : 3, data_type: bits == 8 ? JXL_TYPE_UINT8 : JXL_TYPE_UINT16,
      endianness: JXL_NATIVE_ENDIAN, align: 0)
    try check(JxlEncoderAddImageFrame(settings, &pixelFormat, samples, samples.count))
    JxlEncoderCloseInput(encoder)
    var file = Data()
    var buffer = [UInt8](repeating: 0, count: 1 << 20)
    while true {
      var status = JXL_ENC_ERROR
      let count = buffer.withUnsafeMutableBufferPointer { buffer in
        var (next, left) = (buffer.baseAddress, buffer.count)
        status = JxlEncoderProcessOutput(encoder, &next, &left)
        return buffer.count - left
      }
      file.append(contentsOf: buffer[..<count])
      if status == JXL_ENC_NEED_MORE_OUTPUT { continue }
      try check(status)
      return file
    }
  }
}

/// The frames of a JPEG XL file, each put together with those before it by libjxl.
private final class JXLFrameReader: StillFrameReader {
  private let decoder: OpaquePointer
  private let runner: UnsafeMutableRawPointer?
  /// What the decoder points into.
  private let bytes: NSData
  private var info = JxlBasicInfo()
  private var size = PixelSize(width: 0, height: 0)
  private(set) var loopCount = 1
  private(set) var colors = StillColors()

  /// With opacity, to be put over white.
  private static let format = JxlPixelFormat(
    num_channels: 4, data_type: JXL_TYPE_UINT8, endianness: JXL_NATIVE_ENDIAN, align: 0)

  init(_ data: Data) throws(StillCodecError) {
    bytes = data as NSData
    guard let decoder = JxlDecoderCreate(nil) else { throw .noMemory }
    self.decoder = decoder
    runner = JxlThreadParallelRunnerCreate(nil, JxlThreadParallelRunnerDefaultNumWorkerThreads())
    let events = JXL_DEC_BASIC_INFO.rawValue | JXL_DEC_COLOR_ENCODING.rawValue | JXL_DEC_FRAME.rawValue
    guard JxlDecoderSubscribeEvents(decoder, Int32(events | JXL_DEC_FULL_IMAGE.rawValue)) == JXL_DEC_SUCCESS,
      JxlDecoderSetParallelRunner(decoder, JxlThreadParallelRunner, runner) == JXL_DEC_SUCCESS,
      JxlDecoderSetUnpremultiplyAlpha(decoder, JXL_TRUE) == JXL_DEC_SUCCESS,
      JxlDecoderSetInput(decoder, bytes.bytes.assumingMemoryBound(to: UInt8.self), bytes.count) == JXL_DEC_SUCCESS
    else { throw .noMemory }
    JxlDecoderCloseInput(decoder)
  }

  deinit {
    JxlDecoderDestroy(decoder)
    JxlThreadParallelRunnerDestroy(runner)
  }

  /// Whether it has frames to be played; to be called first.
  func isAnimated() throws(StillCodecError) -> Bool {
    try read(until: JXL_DEC_BASIC_INFO)
    return info.have_animation != 0
  }

  /// The colors, before the first frame; `nil` when they can't be read.
  func readColors() throws(StillCodecError) -> StillColors {
    guard try read(until: JXL_DEC_COLOR_ENCODING) else { throw .damaged }
    return colors
  }

  /// Decodes to the next event of a kind.
  ///
  /// - Returns: `false` at the end of the file.
  @discardableResult
  fileprivate func read(
    until wanted: JxlDecoderStatus, into pixels: UnsafeMutableRawPointer? = nil, bits: Int = 8
  ) throws(StillCodecError) -> Bool {
    while true {
      let status = JxlDecoderProcessInput(decoder)
      switch status {
      case JXL_DEC_BASIC_INFO:
        guard JxlDecoderGetBasicInfo(decoder, &info) == JXL_DEC_SUCCESS else { throw .damaged }
        size = PixelSize(width: Int(info.xsize), height: Int(info.ysize))
        try StillLimits.check(size)
        if info.have_animation != 0 { loopCount = Int(info.animation.num_loops) }
      case JXL_DEC_COLOR_ENCODING: colors.profile = profile()
      case JXL_DEC_NEED_IMAGE_OUT_BUFFER:
        var format = Self.format
        if bits == 16 { format.data_type = JXL_TYPE_UINT16 }
        guard let pixels,
          JxlDecoderSetImageOutBuffer(decoder, &format, pixels, size.area * bits / 2) == JXL_DEC_SUCCESS
        else { throw .damaged }
      case JXL_DEC_FRAME, JXL_DEC_FULL_IMAGE: break
      case JXL_DEC_SUCCESS: return false
      default: throw .damaged
      }
      if status == wanted { return true }
    }
  }

  private func profile() -> Data? {
    var count = 0
    guard jxl_profile_size(decoder, &count) == JXL_DEC_SUCCESS, (1...StillColors.longestProfile).contains(count) else {
      return nil
    }
    var profile = Data(count: count)
    let status = profile.withUnsafeMutableBytes {
      jxl_profile(decoder, $0.assumingMemoryBound(to: UInt8.self).baseAddress, count)
    }
    return status == JXL_DEC_SUCCESS ? profile : nil
  }

  /// The first frame with 16 bits a channel; `nil` where it has 8. To be called first.
  func deepStill() throws(StillCodecError) -> DeepStill? {
    guard try read(until: JXL_DEC_FRAME), info.bits_per_sample > 8, size.area <= StillLimits.largestDeepArea else {
      return nil
    }
    return try DeepStill.overWhite(size, info.alpha_bits > 0 ? .straight : .none) {
      (pixels: UnsafeMutablePointer<DeepPixels.Pixel>) throws(StillCodecError) in
      guard try read(until: JXL_DEC_FULL_IMAGE, into: pixels, bits: 16) else { throw .damaged }
    }
  }

  func next() throws(StillCodecError) -> StillFrame? {
    guard try read(until: JXL_DEC_FRAME) else { return nil }
    var header = JxlFrameHeader()
    guard JxlDecoderGetFrameHeader(decoder, &header) == JXL_DEC_SUCCESS else { throw .damaged }
    let still = try DecodedStill.overWhite(size, info.alpha_bits > 0 ? .straight : .none) {
      (pixels: UnsafeMutablePointer<UInt8>) throws(StillCodecError) in
      guard try read(until: JXL_DEC_FULL_IMAGE, into: pixels) else { throw .damaged }
    }
    var duration = 0.0
    if info.have_animation != 0, info.animation.tps_numerator > 0 {
      duration =
        Double(header.duration) * Double(info.animation.tps_denominator) / Double(info.animation.tps_numerator)
    }
    return StillFrame(still, duration: AnimationCanvas.shown(duration))
  }
}
