// Painting by a matte.

import CameraCore

extension PixelView {
  /// Blue, green and red of a pixel, 0…255.
  typealias Color = SIMD4<Float>

  /// Blends the pixels of a row with other colors; the unused byte is kept.
  ///
  /// - Parameters:
  ///   - matte: Of the view's size.
  ///   - shares: Of the new colors, 0…1, by the byte of the matte; at 0 the pixel stays.
  ///   - color: Gets the column, the pixel's own color, and how much of it is the person's, 0…1. Its result is clamped.
  @inline(__always)
  func blend(
    row y: Int, _ matte: UnsafeRawBufferPointer, _ shares: UnsafePointer<Float>,
    _ color: (_ x: Int, _ own: Color, _ person: Float) -> Color
  ) {
    let pixels = row(y)
    let bytes = matte.baseAddress! + y * width
    for x in 0..<width {
      let byte = bytes.load(fromByteOffset: x, as: UInt8.self)
      let share = shares[Int(byte)]
      guard share > 0 else { continue }
      let old = pixels[x]
      let own = Pixel.color(old)
      let new = color(x, own, Float(Int32(byte)) * (1 / 255))
      pixels[x] = old & 0xff00_0000 | Pixel.packed(own + (new - own) * share)
    }
  }

  /// Blends all pixels with colors made of their own.
  ///
  /// - Parameters:
  ///   - matte: Of the view's size.
  ///   - shares: Of the new colors, 0…1, by the byte of the matte.
  ///   - color: Gets the pixel's own color, and how much of it is the person's, 0…1.
  @inline(__always)
  func blend(
    _ matte: Matte, _ shares: [Float], threads: Int, _ color: (_ own: Color, _ person: Float) -> Color
  ) {
    blendRows(matte, shares, threads: threads) { y, _, bytes, shares in
      blend(row: y, bytes, shares) { _, own, person in color(own, person) }
    }
  }

  /// Calls `body` for each row, in parallel.
  ///
  /// - Parameters:
  ///   - matte: Of the view's size.
  ///   - shares: 256.
  ///   - body: Gets the row and the number of its band, below `threads`; and the matte and the shares, as `blend` takes them.
  func blendRows(
    _ matte: Matte, _ shares: [Float], threads: Int,
    _ body: (_ y: Int, _ band: Int, _ matte: UnsafeRawBufferPointer, _ shares: UnsafePointer<Float>) -> Void
  ) {
    precondition(matte.size == size && shares.count == 256, "The matte has the picture’s size.")
    matte.block.withUnsafeBytes { bytes in
      shares.withUnsafeBufferPointer { shares in
        RowBands.run(rows: height, threads: threads) { rows, band in
          for y in rows { body(y, band, bytes, shares.baseAddress!) }
        }
      }
    }
  }
}
