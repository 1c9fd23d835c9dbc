// The screen at 45° by which printers turn tones into dots.

import Foundation

/// A pattern of round hills on a square grid that stands on its corner: `cos(2πx/p)·cos(2πy/p)`, 1 on the hills, −1 between
/// them. Ink where it is higher than some height gives dots that grow as the height sinks; being a product, it costs one
/// multiplication a pixel.
struct DotScreen {
  /// Half the grid's diagonal, in pixels.
  private let period: Float
  /// `cos(2πx/p)` of each column; less for dots that are finer than the pixels, which would be seen as other ones.
  let columns: UnsafeMutablePointer<Float>

  /// - Parameter pitch: From a dot to the nearest ones, in pixels.
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

  /// How steep the slope from ink to paper is, so that it is about a pixel wide: the hills' own slope is at most `2π/p` a
  /// pixel. Dots of a small preview are no more than a grey.
  var sharpness: Float { period / (2 * Float.pi) }
}
