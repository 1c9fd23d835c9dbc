// The controls of the test camera, and of devices that hang or aren't there.

import CameraCore
import Dispatch
import EngineInterface
import Foundation
import LinuxShim
import Testing

@testable import MediaEngine

@Suite struct CameraControlsTests {
  private let controls = CameraControls(test: TestCameraControls(), looks: LookBox(), limits: EngineLimits())

  private func value(_ id: String, in list: [CameraControl]) -> Int? { list.first { $0.id == id }?.value }

  @Test("A driver's wrong limits of a menu leave it without items")
  func menuNumbers() {
    #expect(V4L2Controls.menuNumbers(from: 1, through: 3) == 1..<4)
    #expect(V4L2Controls.menuNumbers(from: -5, through: 0) == 0..<1)
    #expect(V4L2Controls.menuNumbers(from: 0, through: .max) == 0..<256)
    #expect(V4L2Controls.menuNumbers(from: 300, through: 400).isEmpty)
    #expect(V4L2Controls.menuNumbers(from: .max, through: .max).isEmpty)
    #expect(V4L2Controls.menuNumbers(from: -9, through: -3).isEmpty)
  }

  @Test("Buttons, which can't be read, are offered; other controls that can't be read are not")
  func buttons() {
    var control = linux_v4l2_control()
    (control.type, control.flags) = (V4L2_CTRL_TYPE_BUTTON.rawValue, UInt32(V4L2_CTRL_FLAG_WRITE_ONLY))
    #expect(V4L2Controls.isUsable(control))
    control.type = V4L2_CTRL_TYPE_INTEGER.rawValue
    #expect(!V4L2Controls.isUsable(control))
    control.flags = 0
    #expect(V4L2Controls.isUsable(control))
    (control.type, control.flags) = (V4L2_CTRL_TYPE_BUTTON.rawValue, UInt32(V4L2_CTRL_FLAG_DISABLED))
    #expect(!V4L2Controls.isUsable(control))
  }

  @Test func theTestCameraHasControls() async throws {
    let camera = TestCamera.device
    let list = try await controls.controls(of: camera)
    #expect(list.map(\.id).contains("brightness") && list.map(\.id).contains("zoom"))
    #expect(list.first { $0.id == "exposure-absolute" }?.isActive == false)
    let set = try await controls.set(ControlPlan(list).setting("exposure-absolute", to: 200), of: camera)
    #expect(value("exposure-absolute", in: set) == 200 && value("exposure-auto", in: set) == 1)
    #expect(set.first { $0.id == "exposure-absolute" }?.isActive == true)
    let reset = try await controls.reset(camera)
    #expect(reset == list)
  }

  @Test func changesAreTold() async throws {
    var changes = controls.changes(of: TestCamera.device).makeAsyncIterator()
    _ = try await controls.set([ControlValue("brightness", 20)], of: TestCamera.device)
    #expect(value("brightness", in: await changes.next() ?? []) == 20)
  }

  @Test func aCameraWithoutANodeHasNone() async throws {
    let camera = CameraDevice(id: "pipewire:x", name: "X", kind: .pipeWire(node: "x"), formats: [])
    #expect(try await controls.controls(of: camera).isEmpty)
    for await _ in controls.changes(of: camera) { Issue.record("nothing can change") }
  }

  @Test func aMissingDeviceIsUnplugged() async throws {
    let camera = CameraDevice(id: "v4l2:x", name: "X", kind: .v4l2(path: "/dev/no-such-video"), formats: [])
    await #expect(throws: CameraControlError.camera(.unplugged(camera: "X"))) {
      try await controls.controls(of: camera)
    }
    for await _ in controls.changes(of: camera) { Issue.record("nothing can change") }
  }

  @Test func aPipeWireCameraHasTheControlsOfItsNode() {
    let twin = CameraDevice.Twin(kind: .v4l2(path: "/dev/video7"), formats: [])
    let camera = CameraDevice(id: "x", name: "X", kind: .pipeWire(node: "x"), formats: [], twin: twin)
    #expect(camera.controlNode == "/dev/video7")
    let single = CameraDevice(
      id: "x", name: "X", kind: .pipeWire(node: "x"), formats: [], node: "/dev/video8")
    #expect(single.controlNode == "/dev/video8")
  }

  @Test("A device that hangs makes nobody wait, and is asked again when it answers")
  func hanging() async throws {
    let camera = CameraDevice(id: "x", name: "X", kind: .v4l2(path: "/dev/null"), formats: [])
    let queue = ControlQueue(path: "/dev/null", limit: .milliseconds(50))
    let release = DispatchSemaphore(value: 0)
    let hanging = CameraControlError.camera(.unresponsive(camera: "X"))
    await #expect(throws: hanging) { try await queue.run(on: camera) { _ in release.wait() } }
    // At once, whatever the limit.
    await #expect(throws: hanging) { try await queue.run(on: camera) { _ in } }
    release.signal()
    var answer: Int?
    while answer == nil { answer = try? await queue.run(on: camera) { _ in 1 } }
    #expect(answer == 1)
  }
}
