// Pictures with more than 8 bits a sample.

import CameraCore
import Foundation
import Localization
import PhotoEffects

extension StillCodecs {
  /// Decodes a picture with 16 bits a channel.
  ///
  /// - Parameters:
  ///   - data: A whole file, or its part up to the end of the picture.
  ///   - format: Any; JPEGs have 8 bits.
  ///   - isKept: As for `decode`.
  ///   - isCancelled: As for `decode`.
  /// - Returns: `nil` when the file has 8 bits a channel, or too many pixels for twice the memory.
  /// - Throws: `StillCodecError`.
  public static func decodeDeep(
    _ data: Data, as format: PhotoFormat, isKept: Bool = false, unless isCancelled: CancellationFlag? = nil
  ) throws(StillCodecError) -> DeepStill? {
    guard let codec = StillCodecTable.codecs[format] else { return nil }
    let found =
      codec.isIsolated
      ? try DecoderPool.shared.decodeDeep(data, as: format, isKept: isKept, unless: isCancelled)
      : try codec.decodeDeep(data, unless: isCancelled)
    guard var still = found else { return nil }
    still.colors.profile = still.colors.profile.flatMap(StillColors.profileOfColors)
    return still
  }

  /// Encodes a picture with more than 8 bits a channel, without metadata: 16 in PNG, TIFF and JPEG XL, 10 in HEIC and AVIF.
  ///
  /// - Parameter alpha: As of pictures with 8 bits.
  /// - Returns: `nil` when the format or the installed encoder has 8.
  /// - Throws: `StillCodecError`.
  public static func encode(
    _ image: DeepPixels, alpha: AlphaPlane? = nil, as format: PhotoFormat, colors: StillColors = StillColors(),
    quality: StillQuality = .photo
  ) throws(StillCodecError) -> Data? {
    guard let codec = StillCodecTable.codecs[format] else { return nil }
    try StillLimits.check(image.size)
    precondition(alpha.map { $0.size == image.size } ?? true, "An alpha plane is of its picture’s size.")
    return try codec.encode(image, alpha: alpha, as: format, colors: colors, quality: quality)
  }

  /// Encodes a picture with 10 bits a sample, without metadata. Its samples are not converted.
  ///
  /// - Parameter format: HEIC or AVIF.
  /// - Throws: `StillCodecError`, also when no installed encoder does it.
  public static func encode(
    _ image: DeepImage, as format: PhotoFormat, quality: StillQuality = .photo
  ) throws(StillCodecError) -> Data {
    guard format.isHEIF else { throw StillCodecError(localized("\(format.name) has 8 bits per color")) }
    if let missing = missingDeepEncoder(for: format) { throw StillCodecError(missing) }
    return try HEIFCodec.encode(image, as: format, quality: quality)
  }

  /// The reason why a format's pictures don't have 10 bits, and what can be done; `nil` when they can.
  ///
  /// The first call of a format encodes a small picture: libheif tells only then, as its HEVC encoder may be built for 8 bits.
  public static func missingDeepEncoder(for format: PhotoFormat) -> String? {
    guard format.isHEIF else { return localized("\(format.name) has 8 bits per color") }
    if let missing = missingEncoder(for: format) { return missing }
    let isAble = format == .heic ? HEIFCodec.makesDeepHEIC : HEIFCodec.makesDeepAVIF
    return isAble ? nil : localized("libheif’s encoder for \(format.name) supports 8 bits only")
  }
}
