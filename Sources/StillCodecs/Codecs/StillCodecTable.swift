// The codec of each format.

import CameraCore
import Localization

/// The one list of codecs.
enum StillCodecTable {
  static let codecs: [PhotoFormat: any StillCodec.Type] = [
    .heic: HEIFCodec.self, .avif: HEIFCodec.self, .png: PNGCodec.self, .webp: WebPCodec.self, .tiff: TIFFCodec.self,
    .gif: GIFCodec.self, .jxl: JXLCodec.self, .raw: RAWCodec.self,
  ]

  /// - Throws: `StillCodecError` for JPEG.
  static func codec(of format: PhotoFormat) throws(StillCodecError) -> any StillCodec.Type {
    guard let codec = codecs[format] else {
      throw StillCodecError(localized("pictures of the format \(format.name) have another decoder"))
    }
    return codec
  }
}
