// Encoding of pictures with 10 bits a sample.

import CameraCore
import Foundation
import Localization

extension StillCodecs {
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
