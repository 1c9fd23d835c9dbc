// Pencil hatching in two directions.

import Foundation

/// Two sets of waves, `cos(2π(x·cos θ + y·sin θ)/p)` for two angles, from tables of the columns and rows: the cosine of a sum
/// is `cos a·cos b − sin a·sin b`.
struct PencilStrokes {
  /// The numbers of memory for each column.
  static let columnCount = 4
  /// The angles of the strokes and the cross strokes.
  private static let angles: (Float, Float) = (Float.pi * 0.29, -Float.pi * 0.21)

  private let frequency: Float
  private let columns: UnsafeMutablePointer<Float>
  private let width: Int

  /// - Parameter pitch: The distance between strokes, in pixels.
  /// - Parameter columns: Memory for `columnCount` numbers per column.
  init(pitch: Float, columns: UnsafeMutablePointer<Float>, width: Int) {
    frequency = 2 * Float.pi / max(pitch, 0.01)
    self.columns = columns
    self.width = width
    // Strokes finer than the pixels would alias.
    let contrast = ((pitch - 1.2) * 0.8).limited(to: 1)
    for x in 0..<width {
      let position = (Float(x) + 0.5) * frequency
      let (a, b) = (position * cos(Self.angles.0), position * cos(Self.angles.1))
      columns[x] = contrast * cos(a)
      columns[width + x] = contrast * sin(a)
      columns[2 * width + x] = contrast * cos(b)
      columns[3 * width + x] = contrast * sin(b)
    }
  }

  /// Converts a row of luma to the darkness of graphite strokes, 0 to 1.
  ///
  /// Strokes start at a light gray, cross strokes at a darker one; both widen until they cover the paper.
  func shade(row y: Int, luma: UnsafeMutablePointer<Float>) {
    let position = (Float(y) + 0.5) * frequency
    let (a, b) = (position * sin(Self.angles.0), position * sin(Self.angles.1))
    let (cosA, sinA, cosB, sinB) = (cos(a), sin(a), cos(b), sin(b))
    let (columnCosA, columnSinA) = (columns, columns + width)
    let (columnCosB, columnSinB) = (columns + 2 * width, columns + 3 * width)
    for x in 0..<width {
      let dark = 1 - luma[x]
      let first = columnCosA[x] * cosA - columnSinA[x] * sinA
      let second = columnCosB[x] * cosB - columnSinB[x] * sinB
      let firstShade = (first * 0.4 + dark * 2.4 - 0.9).limited(to: 1)
      let secondShade = (second * 0.4 + dark * 2.6 - 1.65).limited(to: 1)
      luma[x] = 0.4 * firstShade + 0.36 * secondShade + 0.2 * dark * dark
    }
  }
}
