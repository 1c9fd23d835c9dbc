// The colour effects against their formulas.

import CameraCore
import Testing

@testable import PhotoEffects

@Suite struct ColorEffectTests {
  @Test func x() {}
}
