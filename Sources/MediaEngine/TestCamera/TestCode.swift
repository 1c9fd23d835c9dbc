// A QR code in the test camera's picture, for tests of what recognizes codes.

import CameraCore
import Foundation

/// The code that the test camera shows where the environment variable `PHOTOME_TEST_CODE` is set.
enum TestCode {
  static let text = "https://photome.example/qr"

  static let isShown = ProcessInfo.processInfo.environment["PHOTOME_TEST_CODE"] != nil

  /// Version 2 of ISO/IEC 18004: 25×25 modules, error correction L. The leftmost module of a row is the highest of 25 bits; a
  /// one is dark.
  static let rows: [UInt32] = [
    33_370_239, 17_091_905, 24_402_525, 24_385_885, 24_421_725, 17_060_161, 33_379_711, 92_928, 28_636_481, 13_147_966,
    11_367_321, 5_960_911, 25_146_177, 19_962_642, 32_873_119, 23_229_613, 25_078_262, 84_246, 33_335_633, 17_063_696,
    24_479_728, 24_471_235, 24_387_871, 17_106_039, 33_363_401,
  ]

  /// The light border that readers need, in modules.
  private static let border = 4

  /// The modules with their border from edge to edge.
  static var sideCount: Int { rows.count + 2 * border }

  /// Whether a module is dark, counted from the border's corner.
  static func isDark(_ x: Int, _ y: Int) -> Bool {
    let (column, row) = (x - border, y - border)
    guard rows.indices.contains(row), rows.indices.contains(column) else { return false }
    return rows[row] >> UInt32(rows.count - 1 - column) & 1 == 1
  }

  /// Draws the code into the upper left corner of a picture.
  ///
  /// - Parameters:
  ///   - dark: The luma of dark modules.
  ///   - light: The luma of light ones.
  static func draw(on canvas: TestCanvas, dark: UInt8, light: UInt8) {
    let side = max(2, canvas.height / 2 / sideCount) * sideCount
    for y in 0..<side {
      for x in 0..<side {
        canvas.luma[y * canvas.width + x] = isDark(x * sideCount / side, y * sideCount / side) ? dark : light
      }
      for x in 0..<(side + 1) / 2 {
        let at = y * (canvas.width / 2) + x
        (canvas.blue[at], canvas.red[at]) = (128, 128)
      }
    }
  }
}
