// Camera controls from the command line.

import CameraCore
import Foundation
import TestSupport
import Testing

@testable import photomectl

@Suite(.timeLimit(.minutes(30))) struct ControlsCommandTests {
  private struct Control: Decodable, Equatable {
    struct Item: Decodable, Equatable {
      var value: Int
      var title: String
    }

    var id: String
    var kind: String
    var value: Int
    var defaultValue: Int
    var minimum: Int
    var maximum: Int
    var step: Int
    var items: [Item]?
    var isActive: Bool
    var isSoftware: Bool
  }

  private let controls = ["controls", "--camera", "test"]

  @Test func theControlsAreListedWithTheirRanges() throws {
    let place = try Place()
    let list = try place.decode([Control].self, controls + ["--json"])
    let zoom = try #require(list.first { $0.id == "zoom" })
    #expect(zoom.minimum == 100 && zoom.maximum == 400 && zoom.step == 5 && zoom.value == 100 && zoom.isActive)
    #expect(!zoom.isSoftware)
    let mode = try #require(list.first { $0.id == "exposure-auto" })
    #expect(mode.kind == "menu" && mode.items?.map(\.value) == [1, 3])
    #expect(list.first { $0.id == "exposure-absolute" }?.isActive == false)
    let text = try place.run(controls)
    #expect(text.contains("brightness = 0  -64 to 64; default 0\n"))
    #expect(text.contains("exposure-absolute = 160  10 to 2500; default 160  (set by the camera)\n"))
  }

  @Test func valuesAreSetInOrderAndByHand() throws {
    let place = try Place()
    let list = try place.decode(
      [Control].self,
      controls + ["--set", "brightness=20", "--set", "exposure_absolute=200", "--set", "Zoom=150", "--json"])
    func value(_ id: String) -> Int? { list.first { $0.id == id }?.value }
    #expect(value("brightness") == 20 && value("zoom") == 150)
    #expect(value("exposure-absolute") == 200 && value("exposure-auto") == 1)
    #expect(try place.run(controls + ["--set", "power-line-frequency=60 hz"]) == "power-line-frequency = 2\n")
    #expect(try place.run(controls + ["--reset"]) == "")
  }

  @Test func whatACameraLacksIsDoneByPhotoMe() throws {
    let list = ControlsCommand.all([], ["brightness": 30, "zoom": 200])
    #expect(list.map(\.id) == ["brightness", "contrast", "zoom"])
    #expect(list.map(\.value) == [30, 0, 100], "digital zoom isn't kept")
    #expect(ControlsCommand.line(list[0]) == "brightness = 30  -100 to 100; default 0  (done by PhotoMe)")
    let camera = CameraDevice(id: "webcam", name: "Webcam", kind: .v4l2(path: "/dev/video9"), formats: [])
    #expect(try ControlsCommand.write("Contrast=-7", list, camera) == ControlValue("contrast", -7))
    let error = #expect(throws: CommandError.self) { try ControlsCommand.write("zoom=200", list, camera) }
    #expect(error?.errorDescription?.contains("“Webcam” has no zoom of its own") == true)
  }

  @Test func wrongNamesAndValuesSayTheValidOnes() throws {
    let place = try Place()
    let unknown = try place.result(controls + ["--set", "warmth=1"])
    #expect(unknown.status == 1 && unknown.errors.contains("has no control “warmth”. Available controls: brightness,"))
    let outside = try place.result(controls + ["--set", "brightness=20", "--set", "zoom=99"])
    #expect(outside.status == 1 && outside.output == "", "nothing is set before all are known to be valid")
    #expect(outside.errors.contains("“zoom” can’t be set to “99”. Possible values: 100 to 400, in steps of 5."))
    let malformed = try place.result(controls + ["--set", "brightness"])
    #expect(malformed.status == 64 && malformed.errors.contains("“brightness” isn’t in the form NAME=VALUE."))
    let camera = try place.result(["controls", "--camera", "nothing"])
    #expect(camera.status == 1 && camera.errors.contains("There is no camera “nothing”"))
  }
}
