// The words of camera errors.

import CameraCore
import Testing

@Suite struct CameraErrorTests {
  static let errors: [CameraError] = [
    .noCamera, .inUse(camera: "Cam"), .inUse(camera: "Cam", holder: "cheese"), .permissionDenied(camera: "Cam"),
    .permissionDenied(camera: "Cam", refusal: .notInGroup("video", user: "alice")),
    .permissionDenied(camera: "Cam", refusal: .inGroupSinceLogin("video")),
    .permissionDenied(camera: "Cam", refusal: .lentToSeat(holder: nil, group: nil, user: "alice")),
    .permissionDenied(camera: "Cam", refusal: .lentToSeat(holder: "bob", group: "video", user: "alice")),
    .permissionDenied(camera: "Cam", refusal: .ownerOnly("root")),
    .permissionDenied(camera: "Cam", refusal: .policy),
    .accessDenied, .portal(.noPortal), .portal(.noCameras), .portal(.closed), .portal(.failed(message: "It is odd.")),
    .portal(.noPipeWire(message: "No such file.")),
    .noUsableMode(camera: "Cam", offered: ["16-bit Bayer up to 1280x720"], package: nil),
    .noUsableMode(camera: "Cam", offered: ["H.264 1280x720"], package: "gstreamer1.0-libav"),
    .unresponsive(camera: "/dev/video0"), .noFrames(camera: "Cam", seconds: 10), .unplugged(camera: "Cam"),
    .device(camera: "Cam", message: "Internal data stream error.."),
    .refusedModes(camera: "Cam", modes: ["MJPG 1280x720", "MJPG 640x480"], message: "There is no memory."),
    .microphone(message: "It hangs. "),
    .movieFailed(message: "The encoder broke."), .playbackFailed(file: "a.jpg", message: "Not found."),
    .pictureFailed(message: "It is damaged."),
  ]

  @Test("Every error ends in one full stop, and has no two in a row", arguments: errors)
  func fullStops(error: CameraError) {
    #expect(error.description.hasSuffix("."))
    #expect(!error.description.contains(".."))
    #expect(!error.description.contains(". ."))
  }

  @Test("The holder of a busy camera is named")
  func holder() {
    #expect(
      CameraError.inUse(camera: "Cam", holder: "cheese").description
        == "“Cam” is in use by cheese. Close it and try again.")
    #expect(CameraError.inUse(camera: "Cam").description.contains("another app"))
  }

  @Test("A missing part of GStreamer is named with its package", arguments: CameraError.Purpose.allCases)
  func missingPlugin(purpose: CameraError.Purpose) {
    let text = CameraError.missingPlugin(element: "x264enc", package: "plugins-ugly", purpose: purpose).description
    #expect(text.contains("“x264enc” is missing. Install the package plugins-ugly."))
    let others = CameraError.Purpose.allCases.filter { $0 != purpose }
    #expect(
      !others.map { CameraError.missingPlugin(element: "x264enc", package: "plugins-ugly", purpose: $0).description }
        .contains(text))
  }

  @Test("Who may not open a device file is told its group and how to join it, or where to log in")
  func refusedNode() {
    func words(_ refusal: NodeRefusal) -> String {
      CameraError.permissionDenied(camera: "/dev/video0", refusal: refusal).description
    }
    let joining =
      "To join, run “sudo usermod -aG webcams alice” in a terminal, then log out and log in again."
    #expect(
      words(.notInGroup("webcams", user: "alice"))
        == "Only members of the group “webcams” can open “/dev/video0”. \(joining)")
    #expect(words(.inGroupSinceLogin("webcams")).hasSuffix("after you logged in: log out and log in again."))
    #expect(
      words(.lentToSeat(holder: "bob", group: "webcams", user: "alice"))
        == "“/dev/video0” is reserved for the person at this computer’s own screen, currently “bob”. "
        + "Log in there, or become a member of the group “webcams”. \(joining)")
    #expect(words(.lentToSeat(holder: nil, group: nil, user: "alice")).hasSuffix("own screen. Log in there."))
    #expect(words(.ownerOnly("root")).contains("Only the user “root”"))
    #expect(!words(.policy).contains("usermod"), "a group wouldn’t help")
  }

  @Test("A camera that sends nothing may have sent pictures before")
  func noFrames() {
    #expect(
      CameraError.noFrames(camera: "Cam", seconds: 5).description
        == "“Cam” has sent no picture for 5 seconds. Unplug it, plug it back in, and try again.")
    #expect(CameraError.noFrames(camera: "Cam", seconds: 1).description.contains("for 1 second."))
    #expect(CameraError.noFrames(camera: "Cam", seconds: 0.25).description.contains("for 0.25 seconds."))
  }

  @Test(
    "What a driver or a loose plug does may pass; what somebody must do something about doesn't",
    arguments: [
      (CameraError.noFrames(camera: "Cam", seconds: 5), true), (.damagedFrames(camera: "Cam", seconds: 5), true),
      (.device(camera: "Cam", message: "lost"), true), (.unresponsive(camera: "Cam"), true),
      (.refusedModes(camera: "Cam", modes: ["a", "b"], message: "lost"), true),
      (.noCamera, false), (.unknownCamera(id: "a", known: []), false), (.inUse(camera: "Cam"), false),
      (.permissionDenied(camera: "Cam"), false), (.accessDenied, false), (.portal(.noPortal), false),
      (.unplugged(camera: "Cam"), false),
      (.noSuchFormat(camera: "Cam", wanted: PixelSize(width: 2, height: 2), offered: []), false),
      (.noUsableMode(camera: "Cam", offered: []), false), (.endedLastRun(camera: "Cam"), false),
      (.missingPlugin(element: "e", package: "p", purpose: .camera), false),
    ])
  func passing(error: CameraError, mayPass: Bool) { #expect(error.mayPass == mayPass) }

  @Test("A camera without a usable mode says what it offers and what would help")
  func noUsableMode() {
    #expect(
      CameraError.noUsableMode(camera: "Cam", offered: ["H.264 1280x720", "Y10 up to 640x480"], package: "plugins")
        .description
        == "PhotoMe can’t use any mode of “Cam”, which offers H.264 1280x720 and Y10 up to 640x480. "
        + "Install the package plugins, or choose another camera.")
  }

  @Test("A camera with something in its way gives the error of that")
  func obstacles() {
    var camera = CameraDevice(id: "a", name: "Cam", kind: .v4l2(path: "/dev/video0"), formats: [])
    #expect(camera.obstacleError == nil)
    camera.obstacle = .unresponsive
    #expect(camera.obstacleError == .unresponsive(camera: "Cam"))
    camera.obstacle = .noUsableMode(offered: ["a"], package: "b")
    #expect(camera.obstacleError == .noUsableMode(camera: "Cam", offered: ["a"], package: "b"))
  }
}
