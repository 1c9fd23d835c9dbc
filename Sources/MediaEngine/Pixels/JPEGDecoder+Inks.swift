// JPEGs in printing colors.

import CTurboJPEG
import CameraCore
import Foundation
import MediaFormats
import StillCodecs

extension JPEGDecoder {
  /// Decodes a picture in printing colors (CMYK) to sRGB.
  ///
  /// - Returns: `nil` for one in other colors.
  /// - Throws: `JPEGCodecError`, as `decode`.
  func decodeInks(_ jpeg: Data) throws -> DecodedImage? {
    try jpeg.withUnsafeBytes { bytes in
      guard let size = try sizeOfInks(bytes) else { return nil }
      let source = DataSource(jpeg, name: "picture")
      let head = try JPEGHead(source)
      let inks = try FrameBlock(count: size.area * 4) { target in
        try decode(bytes, into: target, size, format: TJPF_CMYK)
      }
      let profile = try head?.profile(in: source)
      return inks.withUnsafeBytes {
        InkPicture.image(inks: $0, size: size, isInverted: head?.hasAdobeSegment == true, profile: profile)
      }
    }
  }
}
