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

  @Test(
    arguments: [
      (nil, 60, "MJPG 1280x720 @ 60", 60), (nil, 15, "MJPG 1920x1080 @ 30", 15), (nil, 5, "YUY2 1920x1080 @ 5", 5),
      (PixelSize(width: 640, height: 480), 15, "YUY2 640x480 @ 30", 15),
      // A rate gives way to the size, and one that nobody has to everything.
      (PixelSize(width: 1920, height: 1080), 60, "MJPG 1920x1080 @ 30", 30), (nil, 90, "MJPG 1280x720 @ 60", 30),
    ] as [(PixelSize?, Int, String, Int)])
  func takesTheRateThatIsWanted(size: PixelSize?, rate: Int, mode: String, expected: Int) throws {
    let choice = try #require(FormatChoice.best(of: Self.webcam, size: size, rate: FrameRate(rate)))
    #expect(choice.format.description == mode)
    #expect(choice.frameRate == FrameRate(expected))
  }

  @Test func almostTheRateIsTheRate() {
    let format = CameraFormat(
      encoding: .motionJPEG, size: FormatChoice.defaultSize, frameRates: [FrameRate(30_000, 1001), FrameRate(15)])
    #expect(FormatChoice.best(of: [format], rate: FrameRate(30))?.frameRate == FrameRate(30_000, 1001))
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

  @Test func whatMustBeDecodedOrHasNoColorsIsTheLastChoice() {
    let decoded: [CameraFormat] = [
      CameraFormat(encoding: .h264, size: PixelSize(width: 1280, height: 720), frameRates: [FrameRate(30)]),
      CameraFormat(encoding: .bayer("rggb"), size: PixelSize(width: 1280, height: 720), frameRates: [FrameRate(30)]),
      Self.raw("GRAY8", 1280, 720, 30),
    ]
    let poor = Self.raw("YUY2", 160, 120, 5)
    #expect(FormatChoice.best(of: decoded + [poor])?.format == poor)
    for count in decoded.indices {
      #expect(FormatChoice.best(of: Array(decoded[count...].reversed()))?.format == decoded[count])
    }
    #expect(FormatChoice.best(of: decoded + [poor], encoding: .h264)?.format == decoded[0])
  }

  @Test(arguments: [
    ("YUY2", "641x361", false), ("YUY2", "640x361", true), ("NV12", "640x361", false), ("I420", "15x9", false),
    ("BGR", "641x361", true), ("BGR", "2x2", true), ("BGR", "1x1", false), ("BGR", "640x1", false),
    ("GRAY8", "15x9", true), ("YUY2", "1x1", false),
  ])
  func halfAColorHasNoPlace(layout: String, size: String, isDefined: Bool) throws {
    #expect(FrameEncoding.raw(layout).isDefined(at: try #require(PixelSize(size))) == isDefined)
    #expect(FrameEncoding.motionJPEG.isDefined(at: try #require(PixelSize(size))))
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

  @Test("Rates of any size can be compared")
  func largeRates() {
    let (one, more) = (FrameRate(4_294_967_291, 4_294_967_295), FrameRate(4_294_967_295, 4_294_967_291))
    #expect(one < more && !(more < one) && !(one < one))
    #expect(FrameRate(.max, 1) > FrameRate(.max - 1, 1) && FrameRate(30) < FrameRate(.max, 3))
    #expect([FrameRate(30), FrameRate(15, 2), FrameRate(30000, 1001)].max() == FrameRate(30))
  }
}
