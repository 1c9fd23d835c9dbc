// The sizes and rates that are offered for a camera's modes.

import CameraCore
import Testing

@Suite struct ModeChoicesTests {
  private let webcam = ModeChoices(FormatChoiceTests.webcam)

  @Test func eachSizeAndEachRateIsOfferedOnce() {
    #expect(webcam.sizes.map(\.description) == ["1920x1080", "1280x720", "640x480"])
    #expect(webcam.rates(of: PixelSize(width: 1920, height: 1080)).map(\.description) == ["30", "15", "5"])
    #expect(webcam.rates(of: nil).map(\.description) == ["60", "30", "15", "10", "5"])
    #expect(webcam.largest == PixelSize(width: 1920, height: 1080))
  }

  @Test func slideShowsAndInfraredAreNotOffered() {
    let formats = [
      FormatChoiceTests.raw("YUY2", 2592, 1944, 2), FormatChoiceTests.raw("YUY2", 640, 480, 30, 1),
      FormatChoiceTests.raw("GRAY8", 1280, 720, 30),
    ]
    let choices = ModeChoices(formats)
    #expect(choices.sizes == [PixelSize(width: 640, height: 480)])
    #expect(choices.rates(of: nil) == [FrameRate(30)])
    #expect(choices.largest == nil, "there is nothing to choose")
  }

  @Test func aCameraOfSlideShowsHasThemAll() {
    let choices = ModeChoices([FormatChoiceTests.raw("YUY2", 2592, 1944, 2)])
    #expect(choices.sizes == [PixelSize(width: 2592, height: 1944)] && choices.rates(of: nil).isEmpty)
    #expect(ModeChoices([]).sizes.isEmpty)
  }

  @Test func ratesThatLookAlikeAreOne() {
    let format = CameraFormat(
      encoding: .motionJPEG, size: PixelSize(width: 640, height: 480),
      frameRates: [FrameRate(30_000, 1001), FrameRate(30)])
    #expect(ModeChoices([format]).rates(of: nil) == [FrameRate(30)])
  }
}
