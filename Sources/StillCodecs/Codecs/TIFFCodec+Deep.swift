// TIFF with 16 bits a sample.

import CTIFF
import CameraCore
import Foundation
import Localization
import PhotoEffects

extension TIFFCodec {
  /// Gray and RGB, with or without opacity, in rows of whole pixels. Others are decoded with 8 bits.
  static func decodeDeep(_ data: Data) throws(StillCodecError) -> DeepStill? {
    let file = try TIFFMemoryFile(reading: data)
    try file.findPicture()
    let size = PixelSize(
      width: Int(file.number(TIFFTAG_IMAGEWIDTH) ?? 0), height: Int(file.number(TIFFTAG_IMAGELENGTH) ?? 0))
    try StillLimits.check(size)
    let channels = Int(file.number(TIFFTAG_SAMPLESPERPIXEL) ?? 1)
    let photometric = Int32(file.number(TIFFTAG_PHOTOMETRIC) ?? 0)
    let isGray = photometric == PHOTOMETRIC_MINISBLACK && channels <= 2
    guard file.number(TIFFTAG_BITSPERSAMPLE) == 16, size.area <= StillLimits.largestDeepArea,
      isGray || photometric == PHOTOMETRIC_RGB && (3...4).contains(channels),
      file.number(TIFFTAG_PLANARCONFIG) == UInt32(PLANARCONFIG_CONTIG),
      [SAMPLEFORMAT_UINT, SAMPLEFORMAT_VOID].contains(Int32(file.number(TIFFTAG_SAMPLEFORMAT) ?? 1)),
      TIFFIsTiled(file.handle) == 0, TIFFScanlineSize64(file.handle) == UInt64(2 * channels * size.width)
    else { return nil }
    let opacity: Opacity =
      switch file.firstExtraSample.map(Int32.init) {
      case EXTRASAMPLE_ASSOCALPHA: .premultiplied
      case EXTRASAMPLE_UNASSALPHA: .straight
      default: .none
      }
    let colors = StillColors(profile: file.profile)
    return try DeepStill.overWhite(size, opacity, colors: colors) { pixels throws(StillCodecError) in
      var row = [UInt16](repeating: 0, count: channels * size.width)
      for y in 0..<size.height {
        let isRead = row.withUnsafeMutableBytes { TIFFReadScanline(file.handle, $0.baseAddress, UInt32(y), 0) >= 0 }
        guard isRead else {
          throw file.message.map { StillCodecError(localized("libtiff reports “\($0)”")) } ?? .damaged
        }
        for x in 0..<size.width {
          let at = x * channels
          let alpha = opacity == .none ? 0 : row[at + channels - 1]
          pixels[y * size.width + x] =
            isGray
            ? DeepPixels.Pixel(row[at], row[at], row[at], alpha)
            : DeepPixels.Pixel(row[at], row[at + 1], row[at + 2], alpha)
        }
      }
    }
  }

  static func encode(
    _ image: DeepPixels, alpha: AlphaPlane?, as format: PhotoFormat, colors: StillColors, quality: StillQuality
  ) throws(StillCodecError) -> Data? {
    try encode(image.samples(alpha), image.size, bits: 16, hasAlpha: alpha != nil, colors: colors)
  }
}
