// The scales of JPEGs: sufficient, and cheap or small.

import CameraCore
import MediaFormats
import Testing

@Suite struct JPEGScaleTests {
  private static let full = PixelSize(width: 1920, height: 1080)

  @Test(arguments: [
    ("1x1", 1, 1), ("240x135", 1, 1), ("241x135", 2, 2), ("700x1", 4, 3), ("960x540", 4, 4), ("960x541", 8, 5),
    ("961x1", 8, 5), ("1680x945", 8, 7), ("1681x1", 8, 8), ("1920x1080", 8, 8), ("4000x10", 8, 8),
  ])
  func isLargeEnough(wanted: String, cheapest: Int, smallest: Int) throws {
    let wanted = try #require(PixelSize(wanted))
    #expect(JPEGScale.cheapestEighths(of: Self.full, atLeast: wanted) == cheapest)
    #expect(JPEGScale.smallestEighths(of: Self.full, atLeast: wanted) == smallest)
  }

  @Test func sidesAreRoundedUpAsTheDecoderDoes() {
    #expect(JPEGScale.size(of: PixelSize(width: 641, height: 363), eighths: 3) == PixelSize(width: 241, height: 137))
    #expect(JPEGScale.size(of: PixelSize(width: 1, height: 1), eighths: 1) == PixelSize(width: 1, height: 1))
  }
}
