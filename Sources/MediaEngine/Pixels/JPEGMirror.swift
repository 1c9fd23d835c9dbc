// Mirroring of JPEGs, without loss where their blocks allow it.

import CTurboJPEG
import CameraCore

/// Turns JPEGs left to right.
enum JPEGMirror {
  /// The same picture mirrored. Where its width is a whole number of blocks, the coefficients of the blocks are rearranged
  /// and nothing is lost (libjpeg-turbo's `TJXOP_HFLIP`); other pictures are decoded and encoded once more. The result has
  /// no application markers.
  ///
  /// - Throws: `JPEGCodecError`.
  static func mirrored(_ jpeg: FrameBlock) throws -> FrameBlock {
    if let lossless = try lossless(jpeg) { return lossless }
    let decoder = try JPEGDecoder()
    let (subsampling, image) = try jpeg.withUnsafeBytes { bytes in
      (try decoder.header(of: bytes).subsampling, try decoder.decode(bytes))
    }
    return try JPEGEncoder().encode(
      image.upright(orientation: 2), quality: FrameKeeping.stillQuality, subsampling: subsampling
    ) { FrameBlock(copying: $0) }
  }

  /// - Returns: `nil` for a picture whose last column of blocks is cut off by its edge, and for a damaged one.
  static func lossless(_ jpeg: FrameBlock) throws -> FrameBlock? {
    guard let handle = tjInitTransform() else { throw JPEGCodecError(handle: nil) }
    defer { tjDestroy(handle) }
    var transform = tjtransform()
    transform.op = Int32(TJXOP_HFLIP.rawValue)
    transform.options = TJXOPT_PERFECT | TJXOPT_COPYNONE
    var output: UnsafeMutablePointer<UInt8>?
    var count: UInt = 0
    defer { tjFree(output) }
    let status = jpeg.withUnsafeBytes { bytes in
      tjTransform(
        handle, bytes.assumingMemoryBound(to: UInt8.self).baseAddress, UInt(bytes.count), 1, &output, &count,
        &transform, TJFLAG_LIMITSCANS)
    }
    guard status == 0, let output, count > 0 else { return nil }
    return FrameBlock(copying: UnsafeRawBufferPointer(start: output, count: Int(count)))
  }
}
