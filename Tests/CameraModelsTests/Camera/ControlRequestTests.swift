// Zoom, brightness and contrast by value: what the camera is told, and what is done to its pictures.

import CameraCore
import Testing

@testable import CameraModels

@MainActor @Suite(.timeLimit(.minutes(30))) struct ControlRequestTests {
  private static func number(_ control: StandardControl, _ range: ClosedRange<Int>) -> CameraControl {
    CameraControl(
      id: control.rawValue, title: control.title, kind: .integer, range: range, defaultValue: range.lowerBound,
      value: range.lowerBound)
  }

  @Test func withoutControlsOfTheCameraItIsDoneToThePicture() throws {
    let plan = try ControlRequest(zoom: 2, brightness: "50", contrast: "-100").plan([], of: "Webcam")
    #expect(plan.writes.isEmpty)
    #expect(plan.look == FrameLook(zoom: 2, brightness: 0.2, contrast: 0.5))
    let nothing = ControlRequest()
    let plain = try nothing.plan([], of: "Webcam").look
    #expect(plain.isPlain && nothing.isEmpty)
  }

  @Test func whatTheCameraCanDoItDoes() throws {
    let hardware = [Self.number(.brightness, 0...255), Self.number(.zoom, 100...500)]
    let plan = try ControlRequest(zoom: 2.5, brightness: "200", contrast: "100").plan(hardware, of: "Webcam")
    #expect(plan.writes == [ControlValue("brightness", 200), ControlValue("zoom", 250)])
    #expect(plan.look == FrameLook(contrast: 2))
  }

  /// The error of a request; `nil` when it can be had.
  private func refusal(_ request: ControlRequest, _ hardware: [CameraControl] = []) -> CameraControlError? {
    do throws(CameraControlError) {
      _ = try request.plan(hardware, of: "Webcam")
      return nil
    } catch { return error }
  }

  @Test func whatCanNotBeIsRefusedWithWhatCan() throws {
    var zoom = Self.number(.zoom, 100...400)
    let most = ZoomScale(zoom).text(of: 400)
    #expect(
      refusal(ControlRequest(zoom: 9)) == .invalidValue(name: "zoom", value: "9.0×", valid: "1× to \(most)"))
    #expect(
      refusal(ControlRequest(contrast: "101"))
        == .invalidValue(name: "contrast", value: "101", valid: "-100 to 100"))
    #expect(refusal(ControlRequest(zoom: 4), [zoom]) == nil)
    zoom.state = .grabbed
    #expect(refusal(ControlRequest(zoom: 2), [zoom]) == .notWritable(name: "zoom", camera: "Webcam"))
  }

  @Test func whatIsKeptForACameraCanBeForgotten() {
    let settings = SettingsModel(store: TransientSettingsStore(), messages: MessageModel())
    let camera = ScriptedCamera.webcam
    let controls = SoftwareControl.missing(from: [])
    settings.keep([ControlValue("brightness", 20), ControlValue("contrast", -5)], among: controls, of: camera)
    #expect(settings.keptControls(of: camera) == ["brightness": 20, "contrast": -5])
    settings.forget(["brightness", "zoom"], of: camera)
    #expect(settings.keptControls(of: camera) == ["contrast": -5])
  }
}
