// Sizes as people and as scripts read them.

import CameraCore
import Testing

@Suite struct PixelSizeTests {
  @Test func aSizeHasAFormForPeopleAndOneThatIsReadBack() {
    let size = PixelSize(width: 4096, height: 2160)
    #expect(size.localized == "4096 × 2160")
    #expect(size.description == "4096x2160" && PixelSize(size.description) == size)
  }
}
