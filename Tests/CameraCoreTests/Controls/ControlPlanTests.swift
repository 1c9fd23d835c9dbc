// Automatic controls and those that are set by hand.

import CameraCore
import Testing

@Suite struct ControlPlanTests {
  /// A webcam with automatic exposure and focus.
  static func webcam(exposureMode: Int = 3, exposure: Int = 156, autofocus: Int = 1) -> [CameraControl] {
    let inactive: CameraControl.State = exposureMode == 1 ? [] : .inactive
    return [
      CameraControlTests.number("brightness", 0...255, defaultValue: 128, value: 128),
      CameraControl(
        id: "exposure-auto", title: "Exposure Mode",
        kind: .menu([.init(value: 1, title: "Manual Mode"), .init(value: 3, title: "Aperture Priority Mode")]),
        range: 0...3, defaultValue: 3, value: exposureMode),
      CameraControlTests.number(
        "exposure-absolute", 1...10_000, defaultValue: 156, value: exposure, state: inactive),
      CameraControl(
        id: "focus-auto", title: "Autofocus", kind: .boolean, range: 0...1, defaultValue: 1, value: autofocus),
      CameraControlTests.number("focus-absolute", 0...250, step: 5, defaultValue: 0),
      CameraControlTests.number("privacy", 0...1, state: .readOnly),
    ]
  }

  @Test func settingByHandTurnsTheAutomaticOff() {
    let plan = ControlPlan(Self.webcam())
    #expect(
      plan.setting("exposure-absolute", to: 200)
        == [ControlValue("exposure-auto", 1), ControlValue("exposure-absolute", 200)])
    #expect(
      plan.setting("focus-absolute", to: 52) == [ControlValue("focus-auto", 0), ControlValue("focus-absolute", 50)])
    #expect(
      ControlPlan(Self.webcam(exposureMode: 1)).setting("exposure-absolute", to: 200)
        == [ControlValue("exposure-absolute", 200)])
    #expect(plan.setting("brightness", to: 999) == [ControlValue("brightness", 255)])
    #expect(plan.setting("privacy", to: 1) == [] && plan.setting("tilt", to: 1) == [])
  }

  @Test func whatWasKeptIsAppliedInOrder() {
    let plan = ControlPlan(Self.webcam())
    let kept = ["exposure-absolute": 200, "exposure-auto": 1, "brightness": 128, "tilt": 5, "focus-absolute": 30]
    // Brightness is so already, the camera can't tilt, and autofocus is on.
    #expect(plan.applying(kept) == [ControlValue("exposure-auto", 1), ControlValue("exposure-absolute", 200)])
    #expect(plan.applying(["exposure-absolute": 200]) == [])
    #expect(plan.applying([:]) == [])
  }

  @Test func aResetSetsByHandBeforeTheAutomaticIsOn() {
    let plan = ControlPlan(Self.webcam(exposureMode: 1, exposure: 200))
    #expect(plan.resetting() == [ControlValue("exposure-absolute", 156), ControlValue("exposure-auto", 3)])
    #expect(ControlPlan(Self.webcam(exposure: 200)).resetting() == [])
    #expect(ControlPlan(Self.webcam()).resetting() == [])
  }

  @Test func aButtonIsRunAndNeitherKeptNorReset() throws {
    let button = CameraControl(
      id: "pan-reset", title: "Pan, Reset", kind: .button, range: 0...0, defaultValue: 0, value: 0)
    let plan = ControlPlan(Self.webcam() + [button])
    #expect(plan.setting("pan-reset", to: 1) == [ControlValue("pan-reset", 1)])
    #expect(plan.applying(["pan-reset": 1]) == [])
    #expect(plan.resetting() == [])
    #expect(plan.keeping([ControlValue("pan-reset", 1)], in: ["brightness": 3]) == ["brightness": 3])
    #expect(try button.value(from: "1") == 1)
    for wrong in ["0", "2", "on", "default", ""] {
      #expect(throws: CameraControlError.invalidValue(name: "pan-reset", value: wrong, valid: "1 to run it")) {
        try button.value(from: wrong)
      }
    }
  }

  @Test func theKnownControlsComeFirstAndTheOthersStayInTheDriversOrder() {
    let ids = ["zebra", "zoom", "pan-reset", "brightness", "exposure-absolute", "exposure-auto"]
    let controls = ids.map { CameraControlTests.number($0, 0...9) }
    #expect(
      controls.inDisplayOrder { $0 }.map(\.id)
        == ["brightness", "exposure-auto", "exposure-absolute", "zoom", "zebra", "pan-reset"])
    #expect(
      Set(StandardControl.allCases.map { CameraControlTests.number($0.rawValue, 0...9).displayIndex }).count
        == StandardControl.allCases.count)
  }

  @Test func whatACameraSetsByItselfIsForgotten() {
    let plan = ControlPlan(Self.webcam())
    var kept = plan.keeping(plan.setting("exposure-absolute", to: 200), in: ["brightness": 3])
    #expect(kept == ["brightness": 3, "exposure-auto": 1, "exposure-absolute": 200])
    kept = plan.keeping([ControlValue("exposure-auto", 3)], in: kept)
    #expect(kept == ["brightness": 3, "exposure-auto": 3])
  }

  @Test func softwareStandsInForWhatIsMissing() {
    #expect(SoftwareControl.missing(from: Self.webcam()).map(\.id) == ["contrast", "zoom"])
    #expect(SoftwareControl.look(of: SoftwareControl.missing(from: [])).isPlain)
    var controls = SoftwareControl.missing(from: [])
    for index in controls.indices { controls[index].value = controls[index].range.upperBound }
    let look = SoftwareControl.look(of: controls)
    #expect(look.zoom == 4 && look.contrast == 2 && look.brightness == 0.4)
    // A camera's own brightness is not done twice.
    #expect(SoftwareControl.look(of: Self.webcam()).isPlain)
  }

  @Test func theCropIsInTheMiddleAndWhole() {
    for zoom in [1.01, 1.3, 2, 3.7, 4] {
      for text in ["1280x720", "641x481", "1920x1080"] {
        guard let size = PixelSize(text) else { continue }
        let (x, y, part) = FrameLook(zoom: zoom).crop(of: size)
        #expect(x % 4 == 0 && y % 2 == 0 && part.width % 2 == 0 && part.height % 2 == 0)
        #expect(x + part.width <= size.width && y + part.height <= size.height)
        #expect(abs(x + part.width / 2 - size.width / 2) <= 4 && abs(y + part.height / 2 - size.height / 2) <= 2)
      }
    }
  }
}
