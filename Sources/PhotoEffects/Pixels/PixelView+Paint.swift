// Painting a row of pixels with an effect's intensity.

extension PixelView {
  /// Blends each pixel of a row with the color that `color` returns for it; the unused byte is kept.
  ///
  /// - Parameters:
  ///   - share: 1 replaces the pixels.
  ///   - color: Gets the column and the pixel. Its parts are 0 to 255.
  @inline(__always)
  func paint(row y: Int, share: Float, _ color: (_ x: Int, _ pixel: UInt32) -> PackedColor) {
    let pixels = row(y)
    if share >= 1 {
      for x in 0..<width { pixels[x] = (pixels[x] & 0xff00_0000) | color(x, pixels[x]).packed }
    } else {
      for x in 0..<width {
        let old = pixels[x]
        pixels[x] = (old & 0xff00_0000) | PackedColor(old).mixed(with: color(x, old), share: share).packed
      }
    }
  }
}
