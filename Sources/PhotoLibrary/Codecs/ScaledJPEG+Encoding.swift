// Encodes pictures as JPEG.

import CTurboJPEG
import CameraCore
import Foundation

extension ScaledJPEG {
  /// A JPEG of a picture.
  ///
  /// - Parameters:
  ///   - quality: From 1 to 100, as libjpeg counts.
  ///   - hasFullColors: Whether colours have as many pixels as brightness; else a quarter of them.
  /// - Returns: `nil` without memory, or when the picture is larger than a JPEG can be.
  static func encode(_ image: DecodedImage, quality: Int32, hasFullColors: Bool) -> Data? {
    guard let encoder = tjInitCompress() else { return nil }
    defer { tjDestroy(encoder) }
    var bytes: UnsafeMutablePointer<UInt8>?
    var count: UInt = 0
    let colors = hasFullColors ? TJSAMP_444 : TJSAMP_420
    let code = image.block.withUnsafeBytes { pixels in
      tjCompress2(
        encoder, pixels.baseAddress?.assumingMemoryBound(to: UInt8.self), Int32(image.size.width), Int32(image.stride),
        Int32(image.size.height), Int32(TJPF_BGRX.rawValue), &bytes, &count, Int32(colors.rawValue), quality, 0)
    }
    defer { tjFree(bytes) }
    guard code == 0, let bytes else { return nil }
    return Data(bytes: bytes, count: Int(count))
  }
}
