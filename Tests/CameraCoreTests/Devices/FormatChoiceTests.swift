// The choice of a mode on the tables of modes that webcams have.

import CameraCore
import TestSupport
import Testing

@Suite struct FormatChoiceTests {
  static func jpeg(_ width: Int, _ height: Int, _ rates: Int...) -> CameraFormat {
    CameraFormat(
      encoding: .motionJPEG, size: PixelSize(width: width, height: height), frameRates: rates.map { FrameRate($0) })
  }

  static func raw(_ layout: String, _ width: Int, _ height: Int, _ rates: Int...) -> CameraFormat {
    CameraFormat(
      encoding: .raw(layout), size: PixelSize(width: width, height: height), frameRates: rates.map { FrameRate($0) })
  }

  /// A common webcam: raw is slow when it is large.
  static let webcam = [
    raw("YUY2", 1920, 1080, 5), raw("YUY2", 1280, 720, 10), raw("YUY2", 640, 480, 30, 15),
    jpeg(1920, 1080, 30, 15), jpeg(1280, 720, 60, 30), jpeg(640, 480, 30),
  ]

  @Test(
    arguments: [
      (nil, "MJPG 1280x720 @ 60"),
      (PixelSize(width: 1920, height: 1080), "MJPG 1920x1080 @ 30"),
      (PixelSize(width: 640, height: 480), "MJPG 640x480 @ 30"),
      (PixelSize(width: 800, height: 600), "MJPG 1280x720 @ 60"),
      // Larger than everything: the largest that is fast.
      (PixelSize(width: 3840, height: 2160), "MJPG 1920x1080 @ 30"),
    ] as [(PixelSize?, String)])
  func takesTheSmallestThatIsLargeAndFastEnough(size: PixelSize?, expected: String) throws {
    let choice = try #require(FormatChoice.best(of: Self.webcam, size: size))
    #expect(choice.format.description == expected)
    #expect(choice.frameRate == FrameRate(30))
  }

  @Test func speedGoesBeforeSize() throws {
    let slow = [Self.raw("YUY2", 1280, 720, 10), Self.raw("YUY2", 640, 480, 30), Self.raw("YUY2", 1920, 1080, 5)]
    #expect(FormatChoice.best(of: slow)?.format == slow[1])
    let allSlow = [Self.raw("YUY2", 640, 480, 15), Self.raw("YUY2", 1280, 720, 10)]
    #expect(FormatChoice.best(of: allSlow)?.format == allSlow[0])
  }

  @Test func smallLayoutsFirst() {
    let formats = [Self.raw("YUY2", 1280, 720, 30), Self.raw("NV12", 1280, 720, 30)]
    #expect(FormatChoice.best(of: formats)?.format == formats[1])
  }

  @Test func anExactSizeOrEncodingIsKept() {
    let size = PixelSize(width: 640, height: 480)
    let exact = FormatChoice.best(of: Self.webcam, size: size, isExact: true, encoding: .raw("YUY2"))
    #expect(exact?.format == Self.webcam[2])
    #expect(FormatChoice.best(of: Self.webcam, size: PixelSize(width: 801, height: 600), isExact: true) == nil)
    #expect(FormatChoice.best(of: Self.webcam, encoding: .raw("NV12")) == nil)
    #expect(FormatChoice.best(of: []) == nil)
  }

  @Test(arguments: 0..<4) func theOrderOfTheListDoesNotMatter(seed: UInt64) {
    var random = SeededNumbers(state: seed)
    for _ in 0..<50 {
      let shuffled = Self.webcam.shuffled(using: &random)
      #expect(FormatChoice.best(of: shuffled)?.format == FormatChoice.best(of: Self.webcam)?.format)
    }
  }

  @Test(arguments: [
    ("1280x720", PixelSize(width: 1280, height: 720)), ("1280X720", PixelSize(width: 1280, height: 720)),
  ])
  func readsSizes(text: String, size: PixelSize) { #expect(PixelSize(text) == size) }

  @Test(arguments: ["", "x", "1280", "0x720", "-1x5", "1280x720x2", "axb"]) func refusesWhatIsNoSize(text: String) {
    #expect(PixelSize(text) == nil)
  }
}
