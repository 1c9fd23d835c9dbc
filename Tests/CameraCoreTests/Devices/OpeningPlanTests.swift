// The attempts to open a camera, for every kind of failure.

import CameraCore
import Testing

@Suite struct OpeningPlanTests {
  static let error = CameraError.device(camera: "Webcam", message: "broken")
  static let later = CameraError.device(camera: "Webcam", message: "broken as well")

  /// A webcam with a way by PipeWire, where it has Motion JPEG only.
  static let webcam = CameraDevice(
    id: "cam", name: "Webcam", kind: .v4l2(path: "/dev/video0"),
    formats: [
      FormatChoiceTests.jpeg(1920, 1080, 30), FormatChoiceTests.jpeg(1280, 720, 30),
      FormatChoiceTests.raw("YUY2", 1280, 720, 10), FormatChoiceTests.jpeg(640, 480, 30),
      FormatChoiceTests.jpeg(320, 240, 30), FormatChoiceTests.jpeg(160, 120, 30),
    ],
    twin: .init(kind: .pipeWire(node: "cam-node"), formats: [FormatChoiceTests.jpeg(1280, 720, 30)]))

  /// The attempts of a plan that always fails, as texts: the way, the mode, and whether there is a pause before.
  private func attempts(
    _ camera: CameraDevice, _ configuration: CameraConfiguration = CameraConfiguration(),
    failing errors: [CameraError], limits: OpeningPlan.Limits = OpeningPlan.Limits()
  ) throws -> (made: [String], told: CameraError) {
    var plan = try #require(OpeningPlan(configuration, camera, limits: limits))
    var made = [text(plan.first)]
    for index in 0..<20 {
      switch plan.failed(errors[min(index, errors.count - 1)], after: .zero) {
      case .attempt(let attempt): made.append(text(attempt))
      case .giveUp(let error): return (made, error)
      }
    }
    Issue.record("the plan has no end")
    return (made, Self.error)
  }

  private func text(_ attempt: OpeningPlan.Attempt) -> String {
    let way =
      switch attempt.session.camera.kind {
      case .v4l2: "v4l2"
      case .pipeWire: "pipewire"
      case .test: "test"
      }
    return "\(way) \(attempt.session.format)\(attempt.pause > .zero ? " after a pause" : "")"
  }

  @Test("An unexplained error: the same again, the other way, then smaller modes, and no end of it is avoided")
  func unexplained() throws {
    let (made, told) = try attempts(Self.webcam, failing: [Self.error, Self.later])
    #expect(
      made == [
        "v4l2 MJPG 1280x720 @ 30", "v4l2 MJPG 1280x720 @ 30 after a pause", "pipewire MJPG 1280x720 @ 30",
        "v4l2 MJPG 640x480 @ 30", "v4l2 MJPG 320x240 @ 30", "v4l2 MJPG 160x120 @ 30",
      ])
    let modes = ["MJPG 1280x720", "MJPG 640x480", "MJPG 320x240", "MJPG 160x120"]
    #expect(told == .refusedModes(camera: "Webcam", modes: modes, message: "broken"), "the first words, and the modes")
  }

  @Test("A camera that is in use is tried by the other way alone, in both directions")
  func busy() throws {
    let busy = CameraError.inUse(camera: "Webcam")
    var (made, told) = try attempts(Self.webcam, failing: [busy, .noFrames(camera: "Webcam", seconds: 10)])
    #expect(made == ["v4l2 MJPG 1280x720 @ 30", "pipewire MJPG 1280x720 @ 30"])
    #expect(told == busy)
    let other = try #require(Self.webcam.byOtherWay)
    #expect(other.id == Self.webcam.id)
    (made, told) = try attempts(other, failing: [busy])
    #expect(made == ["pipewire MJPG 1280x720 @ 30", "v4l2 MJPG 1280x720 @ 30"])
    #expect(told == busy)
    var alone = Self.webcam
    alone.twin = nil
    #expect(try attempts(alone, failing: [busy]).made.count == 1)
  }

  @Test("PipeWire gets one attempt more before it costs size")
  func pipeWire() throws {
    var camera = Self.webcam
    camera.kind = .pipeWire(node: "cam-node")
    camera.twin = nil
    let made = try attempts(camera, failing: [Self.error]).made
    #expect(made.prefix(3).map { $0.contains("1280x720") } == [true, true, true])
    #expect(made[3] == "pipewire MJPG 640x480 @ 30")
  }

  @Test(
    "What another attempt can't change ends the plan",
    arguments: [
      CameraError.permissionDenied(camera: "Webcam"), .unplugged(camera: "Webcam"), .notRunning,
      .unresponsive(camera: "Webcam"),
    ])
  func hopeless(error: CameraError) throws {
    let (made, told) = try attempts(Self.webcam, failing: [error])
    #expect(made.count == 1)
    #expect(told == error)
  }

  @Test("Damaged pictures are answered by smaller ones, no picture at all by one smaller mode")
  func uselessMode() throws {
    let damaged = CameraError.damagedFrames(camera: "Webcam", seconds: 10)
    var (made, told) = try attempts(Self.webcam, failing: [damaged, Self.error])
    #expect(
      made == [
        "v4l2 MJPG 1280x720 @ 30", "v4l2 MJPG 640x480 @ 30", "v4l2 MJPG 320x240 @ 30", "v4l2 MJPG 160x120 @ 30",
      ])
    #expect(told == damaged)
    let silent = CameraError.noFrames(camera: "Webcam", seconds: 10)
    (made, told) = try attempts(Self.webcam, failing: [silent])
    #expect(made == ["v4l2 MJPG 1280x720 @ 30", "v4l2 MJPG 640x480 @ 30"])
    #expect(told == silent)
    (made, told) = try attempts(Self.webcam, failing: [Self.error, silent])
    #expect(made.count == 3 && told == Self.error)
  }

  @Test("A cause that has a name is told instead of the driver's words; what the other way says isn't")
  func mostTelling() throws {
    let gone = CameraError.unplugged(camera: "Webcam")
    #expect(try attempts(Self.webcam, failing: [Self.error, gone]).told == gone)
    var oneMode = Self.webcam
    oneMode.formats = [FormatChoiceTests.jpeg(1280, 720, 30)]
    #expect(try attempts(oneMode, failing: [Self.error, Self.error, gone]).told == Self.error)
  }

  @Test("Only modes that were asked for are tried")
  func exactSize() throws {
    let exact = CameraConfiguration(size: PixelSize(width: 1280, height: 720), sizeIsExact: true)
    let made = try attempts(Self.webcam, exact, failing: [Self.error]).made
    #expect(made.last == "v4l2 YUY2 1280x720 @ 10")
    #expect(made.allSatisfy { $0.contains("1280x720") })
    let none = CameraConfiguration(size: PixelSize(width: 1, height: 1), sizeIsExact: true)
    #expect(OpeningPlan(none, Self.webcam) == nil)
  }

  @Test("After the time limit no attempt begins")
  func timeLimit() throws {
    var plan = try #require(OpeningPlan(CameraConfiguration(), Self.webcam, limits: .init(time: .seconds(5))))
    guard case .attempt = plan.failed(Self.error, after: .seconds(4)) else {
      Issue.record("there was time left")
      return
    }
    #expect(plan.failed(Self.later, after: .seconds(5)) == .giveUp(Self.error))
  }

  @Test("The session that comes of a smaller mode meets the request: asking again opens nothing again")
  func meetsTheRequest() throws {
    var plan = try #require(OpeningPlan(CameraConfiguration(), Self.webcam))
    while case .attempt(let attempt) = plan.failed(Self.error, after: .zero) {
      #expect(CameraConfiguration().isMet(by: attempt.session), "\(text(attempt))")
    }
  }
}
