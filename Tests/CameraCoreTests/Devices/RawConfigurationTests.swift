// The mode of a camera when its sensor's own frames are wanted.

import CameraCore
import Testing

@Suite struct RawConfigurationTests {
  private static func format(_ encoding: FrameEncoding, _ width: Int, _ height: Int) -> CameraFormat {
    CameraFormat(encoding: encoding, size: PixelSize(width: width, height: height), frameRates: [FrameRate(30)])
  }

  private static func camera(_ formats: CameraFormat...) -> CameraDevice {
    CameraDevice(id: "cam", name: "Webcam", kind: .v4l2(path: "/dev/video9"), formats: formats)
  }

  @Test func theDeepestPatternIsTaken() {
    let camera = Self.camera(
      Self.format(.motionJPEG, 1280, 720), Self.format(.bayer("rggb"), 1280, 720),
      Self.format(.bayer("rggb12le"), 1280, 720))
    #expect(CameraConfiguration().mode(of: camera)?.format.encoding == .motionJPEG)
    let session = CameraConfiguration(savesRaw: true).mode(of: camera)
    #expect(session?.format.encoding == .bayer("rggb12le"))
    #expect(session?.savesRaw == true)
  }

  @Test func withoutTheWishFewerBitsAreEnough() {
    let camera = Self.camera(
      Self.format(.bayer("rggb12le"), 1280, 720), Self.format(.bayer("rggb"), 1280, 720),
      Self.format(.bayer("rggb16le"), 1280, 720))
    #expect(CameraConfiguration().mode(of: camera)?.format.encoding == .bayer("rggb"))
    #expect(CameraConfiguration(savesRaw: true).mode(of: camera)?.format.encoding == .bayer("rggb16le"))
  }

  @Test func itGivesWayWhereThereIsNone() {
    let camera = Self.camera(Self.format(.motionJPEG, 1280, 720))
    let session = CameraConfiguration(savesRaw: true).mode(of: camera)
    #expect(session?.format.encoding == .motionJPEG)
    #expect(session?.savesRaw == false)
  }

  @Test func aSessionWithoutThemDoesNotMeetTheWish() throws {
    let camera = Self.camera(Self.format(.bayer("bggr"), 640, 480))
    let plain = try #require(CameraConfiguration().mode(of: camera))
    #expect(!plain.savesRaw)
    #expect(CameraConfiguration().isMet(by: plain))
    #expect(!CameraConfiguration(savesRaw: true).isMet(by: plain))
  }
}
