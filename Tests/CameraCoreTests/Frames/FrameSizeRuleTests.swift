// The sizes of frames that are taken for the camera's.

import CameraCore
import Testing

@Suite struct FrameSizeRuleTests {
  private let mode = PixelSize(width: 640, height: 360)
  private let other = PixelSize(width: 1280, height: 720)
  private let absurd = PixelSize(width: 65_500, height: 65_500)

  private func accepted(_ sizes: [PixelSize]) -> [Bool] {
    var rule = FrameSizeRule(mode: mode, largestArea: 1 << 26)
    return sizes.map { rule.accepts($0) }
  }

  @Test func oneWrongFrameCostsThatFrame() {
    #expect(accepted([mode, other, mode, absurd, mode]) == [true, false, true, false, true])
    #expect(accepted([other, mode, other, mode, other, mode]) == [false, true, false, true, false, true])
  }

  @Test func anotherSizeThatStaysIsTheCameras() {
    #expect(accepted([other, other, other, other, mode, other]) == [false, false, true, true, false, true])
    #expect(accepted([mode, mode, other, other, other, mode]) == [true, true, false, false, true, false])
  }

  @Test func anImpossibleSizeIsNeverAccepted() {
    #expect(accepted(Array(repeating: absurd, count: 10)).allSatisfy { !$0 })
    #expect(accepted([PixelSize(width: 0, height: 10), PixelSize(width: 0, height: 10)]) == [false, false])
  }

  @Test func anImpossibleFrameBetweenDoesNotStartTheCountAgain() {
    #expect(accepted([other, other, absurd, other]) == [false, false, false, true])
  }
}
