// The choice among the installed video encoders.

import CameraCore
import Testing

@testable import MediaEngine

@Suite("The choice of the video encoder") struct VideoEncoderTests {
  private static let h264 = VideoEncoder(element: "x264enc", isHardware: false)
  private static let hevc = VideoEncoder(element: "x265enc", isHardware: false, coding: .hevc)
  private static let deep = VideoEncoder(element: "x265enc", isHardware: false, coding: .hevcMain10)

  struct Case: Sendable {
    var codec: RecordingSettings.Codec
    var isDeep = false
    var hasHEVC = true
    var expected: [VideoEncoder]
  }

  @Test(
    "The codec decides, and H.264 is always the last resort",
    arguments: [
      Case(codec: .automatic, expected: [h264]),
      Case(codec: .automatic, isDeep: true, expected: [deep, h264]),
      Case(codec: .automatic, isDeep: true, hasHEVC: false, expected: [h264]),
      Case(codec: .h264, expected: [h264]),
      Case(codec: .h264, isDeep: true, expected: [h264]),
      Case(codec: .hevc, expected: [hevc, h264]),
      Case(codec: .hevc, isDeep: true, expected: [deep, hevc, h264]),
      Case(codec: .hevc, isDeep: true, hasHEVC: false, expected: [h264]),
    ])
  func candidates(_ row: Case) {
    let found = VideoEncoder.candidates(
      for: row.codec, isDeep: row.isDeep, deep: { row.hasHEVC ? [Self.deep] : [] },
      hevc: { row.hasHEVC ? [Self.hevc] : [] }, h264: { [Self.h264] })
    #expect(found == row.expected)
  }

  @Test("Hardware comes first, and nothing without the parser")
  func installed() {
    let some = ["x265enc", "h265parse", "photome265enc", "v4l2h265enc"]
    #expect(VideoEncoder.installedHEVC { some.contains($0) }.map(\.element) == ["v4l2h265enc", "x265enc"])
    #expect(VideoEncoder.installedHEVC({ some.contains($0) }).allSatisfy { $0.coding == .hevc })
    #expect(VideoEncoder.installedHEVC { $0 != "h265parse" }.isEmpty)
    #expect(VideoEncoder.knownHEVC.last?.element == "x265enc")
    #expect(VideoEncoder.knownHEVC.dropLast().allSatisfy { $0.isHardware })
  }

  @Test("What is missing is named with its package")
  func refusal() {
    let parts = ["x265enc", "h265parse"]
    #expect(VideoEncoder.hevcRefusal { parts.contains($0) } == nil)
    for missing in parts {
      let text = VideoEncoder.hevcRefusal { parts.contains($0) && $0 != missing }?.description ?? ""
      #expect(text.contains("“\(missing)”") && text.contains("gstreamer1.0-plugins-bad"), "\(text)")
    }
  }

  @Test("The time that fits leaves the reserve, and knows no more than anyone needs")
  func room() {
    #expect(MovieRecorder.time(until: MovieRecorder.reserve + 1000, byteRate: 10) == .seconds(100))
    #expect(MovieRecorder.time(until: MovieRecorder.reserve - 1, byteRate: 10) == .zero)
    #expect(MovieRecorder.time(until: .max, byteRate: 0) == .seconds(1e8))
    let (size, rate) = (PixelSize(width: 1280, height: 720), FrameRate(30))
    #expect(
      MovieRecorder.byteRate(size, rate, .standard, .hevc) < MovieRecorder.byteRate(size, rate, .standard, .h264))
  }
}
