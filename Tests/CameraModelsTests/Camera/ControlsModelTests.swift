// The controls of the running camera.

import CameraCore
import EngineInterface
import Foundation
import Testing

@testable import CameraModels

@MainActor
@Suite(.timeLimit(.minutes(30))) struct ControlsModelTests {
  private static func number(
    _ id: String, _ range: ClosedRange<Int>, defaultValue: Int = 0, state: CameraControl.State = []
  ) -> CameraControl {
    CameraControl(
      id: id, title: id, kind: .integer, range: range, defaultValue: defaultValue, value: defaultValue, state: state)
  }

  private static let webcam = [
    number("brightness", 0...255, defaultValue: 128),
    CameraControl(
      id: "exposure-auto", title: "Exposure Mode",
      kind: .menu([.init(value: 1, title: "Manual Mode"), .init(value: 3, title: "Aperture Priority Mode")]),
      range: 0...3, defaultValue: 3, value: 3),
    number("exposure-absolute", 1...10_000, defaultValue: 156, state: .inactive),
    number("led", 0...3),
  ]

  /// Waits for something that no model shows.
  private func reached(_ condition: @MainActor () -> Bool) async {
    while !condition(), !Task.isCancelled { await Task.yield() }
  }

  /// A running camera with controls.
  private func bench(
    _ controls: [CameraControl] = webcam, settings: AppSettings = AppSettings()
  ) async throws -> (ModelBench, ScriptedControls, ControlsModel) {
    let bench = try await ModelBench(settings: settings)
    let script = ScriptedControls(controls)
    let model = ControlsModel(service: script, settings: bench.settings, messages: bench.messages)
    bench.model.controls = model
    await bench.model.start()
    await reached { script.with { !$0.sinks.isEmpty } }
    return (bench, script, model)
  }

  @Test func theCamerasControlsAreShownInGroups() async throws {
    let (bench, _, model) = try await bench()
    #expect(model.groups.map(\.title) == ["Picture", "Exposure", "Focus and Framing", "More"])
    // The camera has no contrast and no zoom.
    #expect(model.controls.filter(\.isSoftware).map(\.id) == ["contrast", "zoom"])
    let exposure = try #require(model.control("exposure-absolute"))
    #expect(!exposure.isActive)
    #expect(
      model.explanation(of: exposure) == "Set automatically. Change “Exposure Mode” to adjust it manually.")
    #expect(!model.canReset)
    try await bench.end()
  }

  @Test func whatIsSetReachesTheCameraAndIsKeptForIt() async throws {
    let (bench, script, model) = try await bench()
    model.set("brightness", to: 200)
    #expect(model.control("brightness")?.value == 200, "it is shown at once")
    await model.settled()
    model.set("exposure-auto", to: 1)
    await model.settled()
    #expect(model.control("exposure-absolute")?.isActive == true)
    model.set("exposure-absolute", to: 99_999)
    await model.settled()
    #expect(
      script.with { $0.writes }
        == [
          ControlValue("brightness", 200), ControlValue("exposure-auto", 1), ControlValue("exposure-absolute", 10_000),
        ])
    let kept = bench.settings.values.cameras["cam-1"]?.controls
    #expect(kept == ["brightness": 200, "exposure-auto": 1, "exposure-absolute": 10_000])
    model.set("exposure-auto", to: 3)
    await model.settled()
    #expect(bench.settings.values.cameras["cam-1"]?.controls == ["brightness": 200, "exposure-auto": 3])
    try await bench.end()
  }

  @Test func aButtonIsRunAndNotRemembered() async throws {
    let button = CameraControl(
      id: "pan-reset", title: "Pan, Reset", kind: .button, range: 0...0, defaultValue: 0, value: 0)
    let (bench, script, model) = try await bench(Self.webcam + [button])
    #expect(model.groups.last?.controls.map(\.id) == ["led", "pan-reset"])
    model.press("pan-reset")
    await model.settled()
    model.press("pan-reset")
    await model.settled()
    #expect(script.with { $0.writes } == [ControlValue("pan-reset", 1), ControlValue("pan-reset", 1)])
    #expect(bench.settings.values.cameras["cam-1"]?.controls ?? [:] == [:] && !model.canReset)
    // Neither is what it isn't.
    model.set("pan-reset", to: 1)
    model.press("led")
    await model.settled()
    #expect(script.with { $0.writes.count } == 2)
    script.with { $0.refusing = ["pan-reset"] }
    model.press("pan-reset")
    await model.settled()
    #expect(bench.messages.messages.last?.text.contains("refused") == true)
    try await bench.end()
  }

  @Test func settingByHandTurnsTheAutomaticOff() async throws {
    // A driver that doesn't say that exposure time is inactive.
    var controls = Self.webcam
    controls[2].state = []
    let (bench, script, model) = try await bench(controls)
    model.set("exposure-absolute", to: 300)
    await model.settled()
    #expect(
      script.with { $0.writes } == [ControlValue("exposure-auto", 1), ControlValue("exposure-absolute", 300)])
    #expect(model.control("exposure-auto")?.value == 1)
    try await bench.end()
  }

  @Test func onlyTheNewestValueIsSentToASlowCamera() async throws {
    let (bench, script, model) = try await bench()
    script.with { $0.holds = true }
    model.set("brightness", to: 1)
    await reached { script.with { !$0.held.isEmpty } }
    for value in 2...50 { model.set("brightness", to: value) }
    script.change("led", to: 2)
    await ModelBench.until { model.control("led")?.value == 2 }
    #expect(model.control("brightness")?.value == 50, "the slider doesn't jump back")
    script.release()
    await model.settled()
    #expect(script.with { $0.writes } == [ControlValue("brightness", 1), ControlValue("brightness", 50)])
    try await bench.end()
  }

  @Test func controlsAreAppliedWhenTheCameraIsPluggedInAgain() async throws {
    let (bench, script, model) = try await bench()
    model.set("brightness", to: 200)
    await model.settled()
    bench.camera.plug(DeviceList(cameras: [ScriptedCamera.test]))
    await ModelBench.until { model.controls.isEmpty }
    // The camera has forgotten it meanwhile.
    script.with { $0.apply(ControlValue("brightness", 128)) }
    bench.camera.plug(DeviceList(cameras: [ScriptedCamera.webcam, ScriptedCamera.test]))
    await reached { script.with { $0.writes.count } == 2 }
    await ModelBench.until { model.control("brightness")?.value == 200 }
    #expect(script.with { $0.controls.first?.value } == 200)
    try await bench.end()
  }

  @Test func oneRefusalDoesNotKeepTheOthersFromTheCamera() async throws {
    var settings = AppSettings()
    settings.cameras["cam-1"] = .init()
    settings.cameras["cam-1"]?.controls = ["brightness": 7, "led": 1, "gone": 5]
    let bench = try await ModelBench(settings: settings)
    let script = ScriptedControls(Self.webcam)
    script.with { $0.refusing = ["brightness"] }
    let model = ControlsModel(service: script, settings: bench.settings, messages: bench.messages)
    bench.model.controls = model
    await bench.model.start()
    await ModelBench.until { model.control("led")?.value == 1 }
    await ModelBench.until { !bench.messages.messages.isEmpty }
    #expect(bench.messages.messages.last?.text.contains("refused to change “brightness”") == true)
    try await bench.end()
  }

  @Test func aRefusedValueIsTakenBackAndSaid() async throws {
    let (bench, script, model) = try await bench()
    script.with { $0.refusing = ["brightness"] }
    model.set("brightness", to: 200)
    await model.settled()
    #expect(model.control("brightness")?.value == 128)
    #expect(bench.messages.messages.last?.text.contains("refused") == true)
    #expect(bench.settings.values.cameras["cam-1"]?.controls ?? [:] == [:])
    try await bench.end()
  }

  @Test("A camera that refuses, and then can't be asked either, is shown as it was last, with the reason")
  func aCameraThatFallsSilent() async throws {
    let (bench, script, model) = try await bench()
    script.with {
      $0.refusing = ["brightness"]
      $0.failure = .camera(.unresponsive(camera: "Webcam"))
    }
    model.set("brightness", to: 200)
    await model.settled()
    #expect(model.control("brightness")?.value == 128)
    #expect(model.failure == CameraError.unresponsive(camera: "Webcam").description)
    #expect(bench.messages.messages.last?.text.contains("refused") == true)
    // The popover asks again when it is opened.
    script.with { $0.failure = nil }
    model.refresh()
    await ModelBench.until { model.failure == nil }
    #expect(model.control("brightness")?.value == 128)
    script.with { $0.failure = .camera(.unresponsive(camera: "Webcam")) }
    model.refresh()
    await ModelBench.until { model.failure != nil }
    #expect(model.controls.contains { $0.id == "led" }, "what it has stays in sight")
    try await bench.end()
  }

  @Test("A camera that could not be asked when it opened is asked again, and gets what was set before")
  func aCameraThatAnswersLater() async throws {
    var settings = AppSettings()
    settings.cameras["cam-1"] = .init()
    settings.cameras["cam-1"]?.controls = ["led": 1]
    let bench = try await ModelBench(settings: settings)
    let script = ScriptedControls(Self.webcam)
    script.with { $0.failure = .camera(.unresponsive(camera: "Webcam")) }
    let model = ControlsModel(service: script, settings: bench.settings, messages: bench.messages)
    bench.model.controls = model
    await bench.model.start()
    await ModelBench.until { model.failure != nil }
    script.with { $0.failure = nil }
    model.refresh()
    await ModelBench.until { model.control("led")?.value == 1 }
    #expect(model.failure == nil)
    try await bench.end()
  }

  @Test func aCameraThatCannotBeAskedHasPhotoMesOwnControls() async throws {
    let bench = try await ModelBench()
    let script = ScriptedControls([])
    script.with { $0.failure = .camera(.unresponsive(camera: "Webcam")) }
    let model = ControlsModel(service: script, settings: bench.settings, messages: bench.messages)
    bench.model.controls = model
    await bench.model.start()
    await ModelBench.until { model.failure != nil }
    #expect(model.controls.map(\.id) == ["brightness", "contrast", "zoom"])
    try await bench.end()
  }

  @Test func aResetForgetsEverything() async throws {
    let (bench, script, model) = try await bench()
    model.set("exposure-auto", to: 1)
    await model.settled()
    model.set("exposure-absolute", to: 300)
    model.set("contrast", to: 40)
    await model.settled()
    #expect(model.canReset)
    await model.reset()
    #expect(script.with { $0.controls } == Self.webcam && script.with { $0.look.isPlain })
    #expect(bench.settings.values.cameras["cam-1"]?.controls == [:] && !model.canReset)
    #expect(bench.messages.messages.last?.text == "The settings of “Webcam” were reset.")
    try await bench.end()
  }

  @Test func softwareStandsInForContrastAndZoom() async throws {
    let (bench, script, model) = try await bench()
    model.set("contrast", to: 100)
    #expect(script.with { $0.look.contrast } == 2 && script.with { $0.writes.isEmpty })
    #expect(bench.settings.values.cameras["cam-1"]?.controls == ["contrast": 100])
    #expect(model.canZoom && model.zoomText == "1.0×")
    model.setZoom(1.5)
    #expect(script.with { $0.look.zoom } == 1.5 && model.zoomText == "1.5×" && model.zoomCount == 1)
    // The next start shows the whole picture, but this camera has it when it comes back now.
    #expect(bench.settings.values.cameras["cam-1"]?.controls == ["contrast": 100])
    await bench.model.setViewfinderVisible(false)
    await ModelBench.until { model.controls.isEmpty }
    await bench.model.setViewfinderVisible(true)
    await ModelBench.until { model.zoomText == "1.5×" }
    #expect(script.with { $0.look } == FrameLook(zoom: 1.5, contrast: 2))
    model.zoom(bySteps: 99)
    #expect(model.zoomFactor == 4)
    model.setZoom(0)
    model.zoom(bySteps: -1)
    #expect(model.zoomFactor == 1)
    try await bench.end()
  }

  @Test("A camera that hasn't told its controls yet doesn't have the zoom and the colors of the last one")
  func eachCameraHasItsOwnLook() async throws {
    let (bench, script, model) = try await bench()
    model.set("contrast", to: 100)
    model.setZoom(4)
    let second = CameraDevice(
      id: "cam-2", name: "Second", kind: .v4l2(path: "/dev/video8"), formats: [ScriptedCamera.format])
    bench.camera.plug(DeviceList(cameras: [ScriptedCamera.webcam, second]))
    script.with { $0.silent = ["cam-2"] }
    await bench.model.selectCamera("cam-2")
    await reached { script.with { !$0.asked.isEmpty } }
    #expect(bench.model.session?.camera.id == "cam-2")
    #expect(script.with { $0.looks["cam-2"]?.isPlain ?? true })
    script.answer()
    await ModelBench.until { model.canZoom }
    #expect(script.with { $0.looks["cam-2"]?.isPlain } == true)
    #expect(script.with { $0.look } == FrameLook(zoom: 4, contrast: 2), "it comes back as it was")
    try await bench.end()
  }

  @Test func hardwareZoomMovesByAtLeastAStep() async throws {
    let zoom = CameraControl(
      id: "zoom", title: "Zoom", kind: .integer, range: 0...4, defaultValue: 0, value: 0)
    let (bench, script, model) = try await bench([zoom])
    model.zoom(bySteps: 1)
    await model.settled()
    #expect(script.with { $0.writes } == [ControlValue("zoom", 1)] && model.zoomText == "1.8×")
    #expect(script.with { $0.look.isPlain })
    try await bench.end()
  }

  /// An old driver's negative step is read as the largest there is.
  @Test(arguments: [Int.max, 5000]) func aStepBeyondTheRangeIsNone(step: Int) async throws {
    let zoom = CameraControl(
      id: "zoom", title: "Zoom", kind: .integer, range: 100...400, step: step, defaultValue: 100, value: 100)
    let (bench, script, model) = try await bench([zoom])
    model.zoom(bySteps: 0.001)
    await model.settled()
    #expect(script.with { $0.writes } == [ControlValue("zoom", 101)])
    try await bench.end()
  }

  @Test func settingsOfEarlierVersionsAreRead() throws {
    let text = #"{"cameras": {"cam-1": {"size": {"width": 640, "height": 480}}}}"#
    let settings = try JSONDecoder().decode(AppSettings.self, from: Data(text.utf8))
    #expect(settings.cameras["cam-1"]?.size == PixelSize(width: 640, height: 480))
    #expect(settings.cameras["cam-1"]?.controls == [:])
  }
}
