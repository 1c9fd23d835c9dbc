// Bilinear sampling of a picture.

/// A copy of a picture with its last column and row repeated, so that the right and lower neighbor always exist.
struct BilinearSource {
  private let pixels: UnsafePointer<UInt32>
  private let stride: Int
  /// 0 to 255 in eight lanes each: a load costs less than a broadcast.
  private let weights: UnsafePointer<SIMD8<UInt16>>

  private static let weights = (0..<256).map { SIMD8<UInt16>(repeating: $0) }

  /// Copies a picture for the duration of a call.
  static func withCopy<R>(of view: PixelView, scratch: EffectScratch, _ body: (BilinearSource) throws -> R) rethrows
    -> R
  {
    let stride = view.width + 1
    return try scratch.withPixels("bilinear source", count: stride * (view.height + 1)) { pixels in
      for y in 0...view.height {
        let from = view.row(min(y, view.height - 1))
        let to = pixels + y * stride
        to.update(from: from, count: view.width)
        to[view.width] = from[view.width - 1]
      }
      return try weights.withUnsafeBufferPointer { weights in
        try body(BilinearSource(pixels: pixels, stride: stride, weights: weights.baseAddress!))
      }
    }
  }

  /// The color at a position in 1/256 of a pixel, whole numbers being pixel centers; equal neighbors give themselves.
  ///
  /// - Parameters:
  ///   - x: 0 to 256 times the last column.
  ///   - y: 0 to 256 times the last row.
  @inline(__always)
  func sample(x: Int, y: Int) -> UInt32 {
    let upper = UnsafeRawPointer(pixels + ((y &>> 8) &* stride &+ (x &>> 8)))
    let lower = upper + stride &* 4
    // Eight channels at once: the pixel and its right neighbor. `256a + f(b − a)` is taken modulo 2¹⁶; the sum itself is
    // at most 255 · 256 + 128, so it is right whatever the sign of the difference.
    let above = SIMD8<UInt16>(truncatingIfNeeded: upper.loadUnaligned(as: SIMD8<UInt8>.self))
    let below = SIMD8<UInt16>(truncatingIfNeeded: lower.loadUnaligned(as: SIMD8<UInt8>.self))
    let pair = (above &<< 8 &+ (below &- above) &* weights[y & 255] &+ 128) &>> 8
    let left = pair.lowHalf
    let sum = (left &<< 8 &+ (pair.highHalf &- left) &* weights[x & 255].lowHalf &+ 128) &>> 8
    return unsafeBitCast(SIMD4<UInt8>(truncatingIfNeeded: sum), to: UInt32.self) | Pixel.unused
  }
}
