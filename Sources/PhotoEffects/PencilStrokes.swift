// Parallel strokes of a pencil in two directions.

import Foundation

/// Two sets of waves, `cos(2π(x·cos θ + y·sin θ)/p)` for two angles, from tables of the columns and rows: the cosine of a sum
/// is `cos a·cos b − sin a·sin b`.
struct PencilStrokes {
  /// How many numbers there are for each column.
  static let columnCount = 4
  /// Strokes of a right hand, and strokes across them.
  private static let angles: (Float, Float) = (Float.pi * 0.29, -Float.pi * 0.21)

  /// Cosines and sines of a row's part of the phases.
  struct Row {
    var first: (cos: Float, sin: Float)
    var second: (cos: Float, sin: Float)
  }

  private let frequency: Float
  private let columns: UnsafeMutablePointer<Float>
  private let width: Int

  /// - Parameter pitch: From stroke to stroke, in pixels.
  /// - Parameter columns: Memory for `columnCount` numbers a column.
  init(pitch: Float, columns: UnsafeMutablePointer<Float>, width: Int) {
    frequency = 2 * Float.pi / max(pitch, 0.01)
    self.columns = columns
    self.width = width
    for x in 0..<width {
      let position = (Float(x) + 0.5) * frequency
      let (a, b) = (position * cos(Self.angles.0), position * cos(Self.angles.1))
      columns[x] = cos(a)
      columns[width + x] = sin(a)
      columns[2 * width + x] = cos(b)
      columns[3 * width + x] = sin(b)
    }
  }

  func row(_ y: Int) -> Row {
    let position = (Float(y) + 0.5) * frequency
    let (a, b) = (position * sin(Self.angles.0), position * sin(Self.angles.1))
    return Row(first: (cos(a), sin(a)), second: (cos(b), sin(b)))
  }

  @inline(__always)
  func first(_ x: Int, _ row: Row) -> Float { columns[x] * row.first.cos - columns[width + x] * row.first.sin }

  @inline(__always)
  func second(_ x: Int, _ row: Row) -> Float {
    columns[2 * width + x] * row.second.cos - columns[3 * width + x] * row.second.sin
  }
}
