// Sizes that fit into a box keep their shape and are never enlarged.

import CameraCore
import TestSupport
import Testing

@Suite struct PixelSizeFittingTests {
  @Test func itFitsAndTouchesTheBox() {
    var numbers = SeededNumbers(state: 11)
    for _ in 0..<2000 {
      func side(_ most: Int) -> Int { Int.random(in: 1...most, using: &numbers) }
      let (size, box) = (
        PixelSize(width: side(5000), height: side(5000)), PixelSize(width: side(3000), height: side(3000))
      )
      let fitted = size.fitted(into: box)
      #expect(fitted.width <= min(size.width, box.width) && fitted.height <= min(size.height, box.height))
      #expect(fitted == size || fitted.width == box.width || fitted.height == box.height, "\(size) \(box) \(fitted)")
      let scale = min(1, Double(box.width) / Double(size.width), Double(box.height) / Double(size.height))
      #expect(abs(Double(fitted.width) - max(1, Double(size.width) * scale)) <= 0.5001)
      #expect(abs(Double(fitted.height) - max(1, Double(size.height) * scale)) <= 0.5001)
    }
    #expect(PixelSize(width: 640, height: 360).fitted(into: PixelSize(width: 0, height: 0)) == PixelSize("1x1"))
  }

  @Test func aRoundedBoxIsTakenAsItIs() {
    let size = PixelSize(width: 640, height: 360)
    #expect(size.fitted(intoRounded: PixelSize(width: 256, height: 143)) == PixelSize(width: 256, height: 143))
    #expect(size.fitted(intoRounded: PixelSize(width: 256, height: 120)) == PixelSize(width: 213, height: 120))
    #expect(size.fitted(intoRounded: PixelSize(width: 4000, height: 4000)) == size)
  }
}
