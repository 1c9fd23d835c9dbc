// The halftone screen at 45°.

import Foundation

/// The screen function `cos(2πx/p)·cos(2πy/p)`: round hills on a grid rotated by 45°, 1 at their tops, −1 between them. Ink
/// above a threshold gives dots that grow as the threshold falls; as a product, it costs one multiplication a pixel.
struct DotScreen {
  /// Half the grid's diagonal, in pixels.
  private let period: Float
  /// `cos(2πx/p)` of each column, attenuated for dots finer than the pixels, which would alias.
  let columns: UnsafeMutablePointer<Float>

  /// - Parameter pitch: The distance between neighboring dots, in pixels.
  /// - Parameter columns: Memory for `width` numbers.
  init(pitch: Float, columns: UnsafeMutablePointer<Float>, width: Int) {
    period = max(pitch, 0.01) * Float(2).squareRoot()
    self.columns = columns
    let contrast = (pitch - 1.3).limited(to: 1)
    for x in 0..<width { columns[x] = contrast * Self.wave(at: x, period: period) }
  }

  /// `cos(2πy/p)` of a row.
  func row(_ y: Int) -> Float { Self.wave(at: y, period: period) }

  private static func wave(at position: Int, period: Float) -> Float {
    cos(2 * Float.pi * (Float(position) + 0.5) / period)
  }

  /// The steepness that makes the edge between ink and paper about a pixel wide: the hills' own slope is at most `2π/p` a
  /// pixel. In a small preview the dots blur to gray.
  var sharpness: Float { period / (2 * Float.pi) }
}
