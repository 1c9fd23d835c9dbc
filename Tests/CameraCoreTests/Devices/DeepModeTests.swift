// Modes with 10 bits: when they are chosen, and what a person can choose.

import CameraCore
import Testing

@Suite struct DeepModeTests {
  private static func format(_ encoding: FrameEncoding, _ width: Int, _ height: Int, _ rate: Int = 30) -> CameraFormat {
    CameraFormat(encoding: encoding, size: PixelSize(width: width, height: height), frameRates: [FrameRate(rate)])
  }

  private static func camera(_ formats: CameraFormat...) -> CameraDevice {
    CameraDevice(id: "cam", name: "Webcam", kind: .v4l2(path: "/dev/video9"), formats: formats)
  }

  @Test(arguments: ["P010_10LE", "Y210", "I420_10LE", "I422_10LE"]) func theyAreKnown(layout: String) {
    #expect(FrameEncoding.raw(layout).isDeep && !FrameEncoding.raw(layout).isGray)
    #expect(!FrameEncoding.raw(layout).isDefined(at: PixelSize(width: 641, height: 480)))
    let isHalf = layout == "P010_10LE" || layout == "I420_10LE"
    #expect(FrameEncoding.raw(layout).isDefined(at: PixelSize(width: 640, height: 481)) != isHalf)
  }

  @Test(arguments: [FrameEncoding.motionJPEG, .raw("NV12"), .raw("GRAY16_LE"), .bayer("rggb10le"), .h264])
  func othersAreNot(encoding: FrameEncoding) { #expect(!encoding.isDeep) }

  @Test(arguments: ["YUY2", "NV12"]) func theyStandBackAtTheSameSizeAndRate(layout: String) {
    let camera = Self.camera(Self.format(.raw("P010_10LE"), 1280, 720), Self.format(.raw(layout), 1280, 720))
    let session = CameraConfiguration().mode(of: camera)
    #expect(session?.format.encoding == .raw(layout) && session?.isHDR == false)
  }

  @Test func theWishTakesThem() {
    let camera = Self.camera(
      Self.format(.motionJPEG, 1280, 720), Self.format(.raw("P010_10LE"), 640, 480),
      Self.format(.raw("Y210"), 1280, 720))
    let session = CameraConfiguration(isHDR: true).mode(of: camera)
    #expect(session?.format.encoding == .raw("Y210") && session?.isHDR == true)
    // The sensor's own frames are the greater wish, and an encoding that is named decides.
    #expect(CameraConfiguration(encoding: .motionJPEG, isHDR: true).mode(of: camera)?.isHDR == false)
    let sensor = Self.camera(Self.format(.bayer("rggb"), 640, 480), Self.format(.raw("Y210"), 640, 480))
    #expect(CameraConfiguration(savesRaw: true, isHDR: true).mode(of: sensor)?.format.encoding == .bayer("rggb"))
  }

  @Test func theWishGivesWayWhereThereAreNone() throws {
    let camera = Self.camera(Self.format(.motionJPEG, 1280, 720))
    let session = try #require(CameraConfiguration(isHDR: true).mode(of: camera))
    #expect(session.format.encoding == .motionJPEG && !session.isHDR)
    #expect(CameraConfiguration(isHDR: true).isMet(by: session))
  }

  @Test func aSessionWithoutTheWishDoesNotMeetIt() throws {
    let camera = Self.camera(Self.format(.raw("P010_10LE"), 640, 480))
    let plain = try #require(CameraConfiguration().mode(of: camera))
    #expect(!plain.isHDR && !CameraConfiguration(isHDR: true).isMet(by: plain))
  }

  @Test func theirSizesAreChosenFromWhenTheyAreWanted() {
    let formats = [Self.format(.motionJPEG, 1280, 720), Self.format(.raw("P010_10LE"), 640, 480)]
    let (all, deep) = (ModeChoices(formats), ModeChoices(formats, isHDR: true))
    #expect(all.sizes.count == 2 && deep.sizes == [PixelSize(width: 640, height: 480)])
    #expect(all.isDeep(PixelSize(width: 640, height: 480)) && !all.isDeep(PixelSize(width: 1280, height: 720)))
    #expect(ModeChoices([formats[0]], isHDR: true).sizes == [formats[0].size])
  }
}
