// A person drawn with ellipses, as a picture without a license.

import CameraCore

/// A head with hair, eyes and a mouth on shoulders, before a wall, in integers: every machine draws the same.
public enum DrawnPerson {
  private struct Part {
    var x: Int
    var y: Int
    var width: Int
    var height: Int
    var color: SIMD3<Int>
  }

  /// In thousandths of the picture's height, x from the middle; red, green and blue.
  private static let parts = [
    Part(x: 0, y: 1060, width: 430, height: 400, color: [52, 64, 110]),
    Part(x: 0, y: 700, width: 75, height: 160, color: [190, 140, 112]),
    Part(x: 0, y: 400, width: 205, height: 270, color: [48, 34, 28]),
    Part(x: 0, y: 450, width: 165, height: 225, color: [214, 166, 138]),
    Part(x: -65, y: 410, width: 26, height: 12, color: [40, 30, 28]),
    Part(x: 65, y: 410, width: 26, height: 12, color: [40, 30, 28]),
    Part(x: -65, y: 370, width: 38, height: 8, color: [60, 42, 34]),
    Part(x: 65, y: 370, width: 38, height: 8, color: [60, 42, 34]),
    Part(x: 0, y: 480, width: 22, height: 30, color: [196, 144, 118]),
    Part(x: 0, y: 560, width: 60, height: 16, color: [158, 78, 78]),
  ]

  private static func floor(_ number: Int, _ divisor: Int) -> Int {
    number >= 0 ? number / divisor : -((-number + divisor - 1) / divisor)
  }

  /// Red, green and blue of a pixel, 0…255.
  ///
  /// - Parameters:
  ///   - offset: How far the person is moved to the right, in pixels.
  ///   - isTurnedAway: Whether the person is seen from behind.
  public static func color(
    row: Int, column: Int, of size: PixelSize, hasPerson: Bool = true, offset: Int = 0, isTurnedAway: Bool = false
  ) -> SIMD3<Int> {
    let y = (2 * row + 1) * 500 / size.height
    func place(_ column: Int) -> Int { floor((2 * column + 1) * 500 - 500 * size.width, size.height) }
    let x = place(column)
    var color = SIMD3(150 + floor(x, 20), 160 - y / 20, 150 + y / 25)
    for part in isTurnedAway ? parts.prefix(3) : parts[...] where hasPerson {
      let across = floor((place(column - offset) - part.x) * 1000, part.width)
      let down = floor((y - part.y) * 1000, part.height)
      if across * across + down * down <= 1_000_000 { color = part.color }
    }
    return color.clamped(lowerBound: SIMD3(repeating: 0), upperBound: SIMD3(repeating: 255))
  }

  /// The picture as blue, green, red and an unused byte.
  ///
  /// - Parameters:
  ///   - offset: As above.
  ///   - isTurnedAway: As above.
  public static func picture(
    _ size: PixelSize, hasPerson: Bool = true, offset: Int = 0, isTurnedAway: Bool = false
  ) -> [UInt8] {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(4 * size.area)
    for row in 0..<size.height {
      for column in 0..<size.width {
        let color = color(
          row: row, column: column, of: size, hasPerson: hasPerson, offset: offset, isTurnedAway: isTurnedAway)
        bytes += [UInt8(color.z), UInt8(color.y), UInt8(color.x), 0]
      }
    }
    return bytes
  }
}
