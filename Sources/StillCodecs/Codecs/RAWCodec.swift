// Raw files by LibRaw.

import CLibRaw
import CameraCore
import Foundation
import Localization
import MediaFormats
import PhotoEffects

/// LibRaw behind Swift's errors. It develops: with the camera's white balance, the brightness by the picture, into sRGB.
///
/// The camera's own picture is a JPEG in the file, which needs no LibRaw: see `RAWHead.preview`.
enum RAWCodec: StillCodec {
  static let isIsolated = true

  /// The borders of the sensor beyond the finished picture, as a part of it. More of them is another picture.
  private static let widestBorder = 0.15

  // MARK: Decoding

  static func decode(_ data: Data, needed: PixelSize?) throws(StillCodecError) -> DecodedStill {
    let head = try head(of: data)
    // Two by two samples become a pixel: four times as fast, and nothing has to be interpolated.
    let isHalf = needed.map { 2 * $0.width <= head.size.width && 2 * $0.height <= head.size.height } ?? false
    return DecodedStill(image: try develop(data, head, isHalf: isHalf).narrowed)
  }

  static func decodeDeep(_ data: Data) throws(StillCodecError) -> DeepStill? {
    let head = try head(of: data)
    guard head.size.area <= StillLimits.largestDeepArea else { return nil }
    return DeepStill(pixels: try develop(data, head, isHalf: false))
  }

  private static func develop(_ data: Data, _ head: RAWHead, isHalf: Bool) throws(StillCodecError) -> DeepPixels {
    let developer = try RAWDeveloper()
    let picture = try developer.develop(data, isHalf: isHalf)
    let size = Self.size(of: picture.size, showing: head.size, isHalf: isHalf)
    let origin = ((picture.size.width - size.width) / 2, (picture.size.height - size.height) / 2)
    return DeepPixels(size) { pixels in
      for y in 0..<size.height {
        var from = picture.samples + ((y + origin.1) * picture.size.width + origin.0) * picture.channels
        for x in 0..<size.width {
          pixels[y * size.width + x] =
            picture.channels == 3
            ? DeepPixels.Pixel(from[0], from[1], from[2], 0) : DeepPixels.Pixel(from[0], from[0], from[0], 0)
          from += picture.channels
        }
      }
    }
  }

  /// The part of a developed picture that the camera shows: without the borders of the sensor.
  private static func size(of developed: PixelSize, showing stated: PixelSize, isHalf: Bool) -> PixelSize {
    let wanted = isHalf ? PixelSize(width: stated.width / 2, height: stated.height / 2) : stated
    func isBorder(_ developed: Int, _ wanted: Int) -> Bool {
      wanted > 0 && developed >= wanted && Double(developed) <= Double(wanted) * (1 + widestBorder)
    }
    let fits = isBorder(developed.width, wanted.width) && isBorder(developed.height, wanted.height)
    return fits ? wanted : developed
  }

  private static func head(of data: Data) throws(StillCodecError) -> RAWHead {
    let head: RAWHead?
    do throws(FormatError) { head = try RAWHead(DataSource(data, name: "RAW")) } catch {
      throw StillCodecError(error.reason)
    }
    guard let head else { throw .noPicture }
    // LibRaw takes what is missing for black.
    if head.isCutShort { throw .damaged }
    try StillLimits.check(head.size)
    return head
  }

  static func colors(of data: Data) -> StillColors { StillColors() }

  // MARK: Encoding

  static func missingEncoder(for format: PhotoFormat) -> String? { localized("only cameras write RAW files") }

  static func encode(
    _ image: DecodedImage, alpha: AlphaPlane?, as format: PhotoFormat, colors: StillColors, quality: StillQuality
  ) throws(StillCodecError) -> Data {
    throw StillCodecError(localized("only cameras write RAW files"))
  }
}

/// One picture in LibRaw's hands.
private final class RAWDeveloper {
  /// A developed picture, while its developer lives.
  struct Picture {
    var size: PixelSize
    /// 1 or 3.
    var channels: Int
    /// Rows without gaps, 16 bits a sample.
    var samples: UnsafePointer<UInt16>
  }

  private let handle: UnsafeMutablePointer<libraw_data_t>
  private var result: UnsafeMutablePointer<libraw_processed_image_t>?
  /// 1 when LibRaw has met samples that can't be.
  private let damage = UnsafeMutablePointer<Int32>.allocate(capacity: 1)

  init() throws(StillCodecError) {
    // Nothing is printed.
    guard let handle = libraw_init(UInt32(LIBRAW_OPIONS_NO_DATAERR_CALLBACK.rawValue)) else { throw .noMemory }
    self.handle = handle
    damage.initialize(to: 0)
    libraw_watch_damage(handle, damage)
  }

  deinit {
    if let result { libraw_dcraw_clear_mem(result) }
    libraw_close(handle)
    damage.deallocate()
  }

  /// Develops a file. Call it once.
  func develop(_ data: Data, isHalf: Bool) throws(StillCodecError) -> Picture {
    // LibRaw reads from the bytes until it is closed or told to let go.
    var failure: StillCodecError?
    data.withUnsafeBytes { bytes in
      do throws(StillCodecError) { try process(bytes, isHalf: isHalf) } catch { failure = error }
      libraw_recycle_datastream(handle)
    }
    if let failure { throw failure }
    var code: Int32 = 0
    result = libraw_dcraw_make_mem_image(handle, &code)
    guard let result, code == LIBRAW_SUCCESS.rawValue else { throw Self.error(code) }
    let (width, height) = (Int(result.pointee.width), Int(result.pointee.height))
    let channels = Int(result.pointee.colors)
    guard result.pointee.type == LIBRAW_IMAGE_BITMAP, result.pointee.bits == 16, channels == 1 || channels == 3,
      width > 0, height > 0, Int(result.pointee.data_size) >= 2 * width * height * channels
    else { throw .damaged }
    return Picture(
      size: PixelSize(width: width, height: height), channels: channels, samples: libraw_samples(result))
  }

  private func process(_ bytes: UnsafeRawBufferPointer, isHalf: Bool) throws(StillCodecError) {
    guard let start = bytes.baseAddress else { throw .noPicture }
    try check(libraw_open_buffer(handle, UnsafeMutableRawPointer(mutating: start), bytes.count))
    try StillLimits.check(
      PixelSize(width: Int(libraw_sensor_width(handle)), height: Int(libraw_sensor_height(handle))))
    libraw_prepare(handle, isHalf ? 1 : 0, 16)
    try check(libraw_unpack(handle))
    if damage.pointee != 0 { throw .damaged }
    try check(libraw_dcraw_process(handle))
  }

  private func check(_ code: Int32) throws(StillCodecError) {
    guard code == LIBRAW_SUCCESS.rawValue else { throw Self.error(code) }
  }

  private static func error(_ code: Int32) -> StillCodecError {
    switch code {
    case LIBRAW_FILE_UNSUPPORTED.rawValue, LIBRAW_NOT_IMPLEMENTED.rawValue:
      StillCodecError(localized("LibRaw doesn’t know this camera’s RAW files; a newer version may"))
    case LIBRAW_UNSUFFICIENT_MEMORY.rawValue, LIBRAW_TOO_BIG.rawValue: .noMemory
    // Positive codes are the system's.
    case 1...: StillCodecError(localized("LibRaw reports “\(String(cString: strerror(code)))”"))
    default: StillCodecError(localized("LibRaw reports “\(String(cString: libraw_strerror(code)))”"))
    }
  }
}
