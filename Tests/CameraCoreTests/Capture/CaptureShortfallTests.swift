// What live photos say about movies that lack something.

import CameraCore
import Testing

@Suite struct CaptureShortfallTests {
  private static let loss = CameraError.unplugged(camera: "Webcam")

  /// The shortfalls of a window from 0 to 3000 ms at 30 frames a second.
  private func shortfalls(_ times: [Int64], since: Int64? = nil, loss: CameraError? = nil) -> [CaptureShortfall] {
    func instant(_ milliseconds: Int64) -> MonotonicTime { MonotonicTime(nanoseconds: milliseconds * 1_000_000) }
    let camera = CameraDevice(id: "webcam", name: "Webcam", kind: .test, formats: [])
    let format = CameraFormat(
      encoding: .motionJPEG, size: PixelSize(width: 640, height: 360), frameRates: [FrameRate(30)])
    return CaptureShortfall.ofFrames(
      at: times.map(instant), from: instant(0), to: instant(3000),
      session: CameraSession(camera: camera, format: format, frameRate: FrameRate(30)),
      since: since.map(instant), loss: loss)
  }

  private func times(_ range: ClosedRange<Int64>, by step: Int64 = 33) -> [Int64] {
    Array(stride(from: range.lowerBound, through: range.upperBound, by: Int(step)))
  }

  @Test func aWholeWindowLacksNothing() {
    #expect(shortfalls(times(0...2990)) == [])
    #expect(shortfalls(times(0...2990), loss: Self.loss) == [], "it was lost after the last frame")
    #expect(shortfalls([]) == [])
  }

  @Test func aSlowCamerasWindowLacksNothing() {
    #expect(shortfalls(times(0...3000, by: 500)) == [])
    #expect(shortfalls([400, 1400, 2400]) == [])
  }

  @Test func aLateBeginningIsSaid() {
    #expect(shortfalls(times(1200...2990)) == [.beginsLate(seconds: 1.2)])
  }

  @Test func aWindowThatBeginsInAPauseOfTheCameraSaysSo() {
    #expect(shortfalls(times(1200...2990), since: -500) == [.cameraPaused(camera: "Webcam", seconds: 1.2)])
    #expect(shortfalls(times(1200...2990), since: 1200) == [.beginsLate(seconds: 1.2)])
    #expect(shortfalls(times(33...2990), since: -500) == [])
  }

  @Test func aLostCameraIsSaidWithItsReason() {
    let lost = shortfalls(times(0...1980), loss: Self.loss)
    #expect(lost == [.endsEarly(seconds: 1.02, reason: Self.loss.description)])
    #expect(lost.first?.description.contains("1 second early. “Webcam” was unplugged.") == true)
    #expect(CaptureShortfall.beginsLate(seconds: 1.2).description.contains("1.2 seconds late"))
  }

  @Test func aPauseIsSaidOnceWhetherItEndsInTheWindowOrNot() {
    #expect(shortfalls(times(0...1980)) == [.cameraPaused(camera: "Webcam", seconds: 1.02)])
    #expect(
      shortfalls(times(0...990) + times(2000...2990)) == [.cameraPaused(camera: "Webcam", seconds: 1.01)])
  }

  @Test func aLateAndPausedMovieSaysBoth() {
    #expect(
      shortfalls(times(1000...1500) + times(2500...2990))
        == [.beginsLate(seconds: 1), .cameraPaused(camera: "Webcam", seconds: 1.005)])
  }
}
