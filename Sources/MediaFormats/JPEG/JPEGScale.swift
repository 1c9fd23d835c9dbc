// The scales at which JPEGs can be decoded.

import CameraCore

/// The scales at which libjpeg decodes a JPEG: n/8, n from 1 to 8.
///
/// libjpeg-turbo's SIMD code covers 1/8, 2/8, 4/8 and 8/8. The scales between are plain C, and from 5/8 on slower than
/// decoding whole (1080p 4:2:2: 4/8 3.2 ms, 5/8 5.2 ms, 7/8 8.3 ms, 8/8 4.0 ms).
public enum JPEGScale {
  /// The size of a picture at n/8, each side rounded up.
  ///
  /// - Parameter eighths: From 1 to 8.
  public static func size(of size: PixelSize, eighths: Int) -> PixelSize {
    precondition((1...8).contains(eighths), "JPEGs are scaled by 1/8 to 8/8.")
    return PixelSize(width: (size.width * eighths + 7) / 8, height: (size.height * eighths + 7) / 8)
  }

  /// The cheapest scale at which a picture is at least as wide and as high as wanted: 1/8, 2/8 or 4/8; else the whole size.
  ///
  /// - Returns: 1, 2, 4 or 8: the scales with SIMD code, of which the next larger one is faster than any between.
  public static func cheapestEighths(of size: PixelSize, atLeast wanted: PixelSize) -> Int {
    eighths([1, 2, 4], of: size, atLeast: wanted)
  }

  /// The smallest scale at which a picture is at least as wide and as high as wanted, for pictures that are kept in memory
  /// or too large for it at the next scale with SIMD code.
  ///
  /// - Returns: From 1 to 8.
  public static func smallestEighths(of size: PixelSize, atLeast wanted: PixelSize) -> Int {
    eighths(1...7, of: size, atLeast: wanted)
  }

  private static func eighths(_ scales: some Sequence<Int>, of size: PixelSize, atLeast wanted: PixelSize) -> Int {
    scales.first { eighths in
      let scaled = Self.size(of: size, eighths: eighths)
      return scaled.width >= wanted.width && scaled.height >= wanted.height
    } ?? 8
  }
}
