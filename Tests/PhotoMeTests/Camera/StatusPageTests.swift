// The pages that stand in for the viewfinder, and the names of states on the bus.

import CameraCore
import CameraModels
import Testing

@testable import PhotoMe

@Suite("Status pages")
struct StatusPageTests {
  private static let other = CameraDevice(id: "b", name: "B", kind: .v4l2(path: "/dev/video9"), formats: [])

  static let troubles: [CameraStatus] = [
    .noCamera, .permissionDenied(.accessDenied), .interrupted(.inUse(camera: "Webcam")), .interrupted(.unplugged),
    .interrupted(.suspended),
    .failed(.notRunning), .failed(.portal(.noPortal)), .failed(.portal(.closed)),
  ]

  @Test("Every trouble has a page of its own with words and a way out", arguments: troubles)
  func troublePage(_ status: CameraStatus) throws {
    let page = try #require(StatusPage(status, hasSettings: true))
    #expect(!page.title.isEmpty && !page.text.isEmpty && !page.remedies.isEmpty)
    let others = Self.troubles.filter { $0 != status }
    #expect(!others.contains { StatusPage($0, hasSettings: true)?.title == page.title })
  }

  @Test(
    "What a camera can do wrong has a title of its own, the error's words, and other cameras as a way out",
    arguments: [
      CameraError.noFrames(camera: "A", seconds: 5), .device(camera: "A", message: "lost"),
      .damagedFrames(camera: "A", seconds: 5), .stoppedSending(camera: "A"),
      .noSuchFormat(camera: "A", wanted: PixelSize(width: 2, height: 2), offered: []),
      .missingPlugin(element: "e", package: "p", purpose: .camera), .endedLastRun(camera: "A"),
      .unknownCamera(id: "a", known: []),
    ])
  func failurePage(_ error: CameraError) throws {
    let alone = try #require(StatusPage(.failed(error), hasSettings: false))
    #expect(alone.text == error.description)
    #expect(alone.title != StatusPage(.failed(.notRunning), hasSettings: false)?.title)
    #expect(alone.remedies.contains(.tryAgain) && alone.remedies.contains(.useTestCamera))
    #expect(!alone.remedies.contains(.switchCamera) && !alone.remedies.contains(.chooseCamera))
    let two = try #require(StatusPage(.failed(error), hasSettings: false, cameraSwitch: .toggle(Self.other)))
    #expect(two.remedies.contains(.switchCamera) && !two.remedies.contains(.chooseCamera))
    let many = try #require(StatusPage(.failed(error), hasSettings: false, cameraSwitch: .menu))
    #expect(many.remedies.contains(.chooseCamera) && !many.remedies.contains(.switchCamera))
  }

  @Test("Whoever holds the camera is named, and the camera too")
  func holder() throws {
    let page = try #require(StatusPage(.interrupted(.inUse(camera: "Webcam", holder: "cheese")), hasSettings: false))
    #expect(page.text == CameraError.inUse(camera: "Webcam", holder: "cheese").description)
    #expect(page.remedies.first == .tryAgain)
  }

  @Test("A mode that isn't there won't be there the next time: another camera is suggested first")
  func lasting() {
    let error = CameraError.noSuchFormat(camera: "A", wanted: PixelSize(width: 2, height: 2), offered: [])
    let way = CameraModel.CameraSwitch.toggle(Self.other)
    #expect(StatusPage(.failed(error), hasSettings: false, cameraSwitch: way)?.remedies.first == .switchCamera)
    let passing = CameraError.noFrames(camera: "A", seconds: 5)
    #expect(StatusPage(.failed(passing), hasSettings: false, cameraSwitch: way)?.remedies.first == .tryAgain)
  }

  @Test("Each way out has a label and an action of the application")
  func remedies() {
    for remedy in StatusPage.Remedy.allCases {
      #expect(remedy.label.contains("_") && remedy.action.hasPrefix("app."))
    }
  }

  @Test("Someone who waits for long is told for what")
  func waiting() {
    #expect(StatusPage.startingText(camera: nil) == "Starting the camera…")
    #expect(StatusPage.startingText(camera: nil, asksPermission: true).contains("permission"))
    #expect(StatusPage.startingText(camera: "Webcam") == "Waiting for the first picture from “Webcam”…")
  }

  @Test("States have names of their own on the bus")
  func reportNames() {
    let states = Self.troubles.filter { if case .failed(.portal) = $0 { false } else { true } }
    let names = (states + [.starting, .awaitingPermission]).map(\.reportName)
    #expect(Set(names).count == names.count)
  }

  @Test("A camera that rests says why")
  func resting() throws {
    func text(_ concealments: Set<CameraStateMachine.Concealment>) -> String? {
      StatusPage(.interrupted(.suspended), hasSettings: true, concealments: concealments)?.text
    }
    #expect(text([.lock]) == "The camera is off while the screen is locked.")
    #expect(text([.lock, .sleep]) == "The camera is off while the computer sleeps.")
    #expect(text([.page])?.contains("hidden") == true)
  }

  @Test("A start has no page of trouble")
  func starting() {
    #expect(StatusPage(.starting, hasSettings: true) == nil)
    #expect(StatusPage(.awaitingPermission, hasSettings: true) == nil)
  }

  @Test("Settings are offered where there are any")
  func settings() {
    func remedies(_ error: CameraError, hasSettings: Bool) -> [StatusPage.Remedy]? {
      StatusPage(.permissionDenied(error), hasSettings: hasSettings)?.remedies
    }
    #expect(remedies(.accessDenied, hasSettings: true)?.first == .openSettings)
    #expect(remedies(.accessDenied, hasSettings: false) == [.tryAgain, .useTestCamera])
    let node = CameraError.permissionDenied(camera: "/dev/video0", refusal: .notInGroup("video", user: "alice"))
    #expect(remedies(node, hasSettings: true)?.contains(.openSettings) == false, "they know nothing of device files")
  }

  @Test("A failure says what the error says")
  func failure() {
    let error = CameraError.unknownCamera(id: "x", known: ["test"])
    #expect(StatusPage(.failed(error), hasSettings: false)?.text == error.description)
  }

  @Test(
    "A microphone's name on the bus means the same choice",
    arguments: [MicrophoneChoice.automatic, .none, .device("alsa_input.usb")])
  func microphone(_ choice: MicrophoneChoice) {
    #expect(MicrophoneChoice(reportName: choice.reportName) == choice)
  }
}
