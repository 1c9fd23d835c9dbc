// The red, green, blue and white that values are mixed of.

/// The primaries of the code points of ITU-T H.273.
public enum ColorPrimaries {
  /// The coordinates of red, green, blue and white, in CIE 1931 xy (H.273, table 2).
  ///
  /// - Returns: `nil` for numbers without a meaning.
  static func places(_ number: UInt32) -> [(Double, Double)]? {
    let d65 = (0.3127, 0.3290)
    return switch number {
    // Unspecified is taken for that of screens.
    case 1, 2: [(0.640, 0.330), (0.300, 0.600), (0.150, 0.060), d65]
    case 4: [(0.67, 0.33), (0.21, 0.71), (0.14, 0.08), (0.310, 0.316)]
    case 5: [(0.64, 0.33), (0.29, 0.60), (0.15, 0.06), d65]
    case 6, 7: [(0.630, 0.340), (0.310, 0.595), (0.155, 0.070), d65]
    case 9: [(0.708, 0.292), (0.170, 0.797), (0.131, 0.046), d65]
    case 11: [(0.680, 0.320), (0.265, 0.690), (0.150, 0.060), (0.314, 0.351)]
    case 12: [(0.680, 0.320), (0.265, 0.690), (0.150, 0.060), d65]
    default: nil
    }
  }

  /// The matrix from light in some primaries to light in those of the screen, BT.709, row by row.
  ///
  /// - Returns: `nil` for primaries without a meaning, and for those with another white than D65.
  public static func toScreen(from number: UInt32) -> [[Double]]? {
    guard let source = places(number), let screen = places(1), source[3] == screen[3] else { return nil }
    return product(inverse(toXYZ(screen)), toXYZ(source))
  }

  /// Columns are the colors, each as bright as its share of white.
  private static func toXYZ(_ places: [(Double, Double)]) -> [[Double]] {
    let colors = places.map { x, y in [x / y, 1, (1 - x - y) / y] }
    let columns = (0..<3).map { row in (0..<3).map { colors[$0][row] } }
    let shares = inverse(columns).map { row in zip(row, colors[3]).reduce(0) { $0 + $1.0 * $1.1 } }
    return columns.map { row in zip(row, shares).map { $0 * $1 } }
  }

  private static func product(_ a: [[Double]], _ b: [[Double]]) -> [[Double]] {
    a.map { row in (0..<3).map { column in (0..<3).reduce(0) { $0 + row[$1] * b[$1][column] } } }
  }

  /// By cofactors.
  private static func inverse(_ m: [[Double]]) -> [[Double]] {
    func cofactor(_ row: Int, _ column: Int) -> Double {
      let (a, b, c, d) = ((row + 1) % 3, (row + 2) % 3, (column + 1) % 3, (column + 2) % 3)
      return m[a][c] * m[b][d] - m[a][d] * m[b][c]
    }
    let determinant = (0..<3).reduce(0) { $0 + m[0][$1] * cofactor(0, $1) }
    return (0..<3).map { row in (0..<3).map { cofactor($0, row) / determinant } }
  }
}
