// Devices that hang: nobody hangs with them, and their late answers are heard.

import CameraCore
import Dispatch
import Foundation
import Synchronization
import Testing

@testable import MediaEngine

@Suite(.timeLimit(.minutes(30))) struct NodeProbesTests {
  @Test("Answers come in the order of the questions")
  func order() {
    let probes = NodeProbes(limit: .seconds(600)) { $0 == "b" ? .refused : .nothing }
    #expect(probes.answers(of: ["a", "b", "c"]) == [.nothing, .refused, .nothing])
    #expect(probes.answers(of: []) == [])
  }

  @Test("A device that hangs is given up, asked once only, and heard when it answers after all")
  func hanging() async {
    let gate = DispatchSemaphore(value: 0)
    let asked = Mutex(0)
    let heard = OneShot<Void, Never>()
    let probes = NodeProbes(limit: .zero) { _ in
      asked.withLock { $0 += 1 }
      gate.wait()
      return .refused
    }
    probes.listen { heard.decide(.success(())) }
    #expect(probes.answers(of: ["/dev/video0"]) == [.unanswered])
    #expect(probes.answers(of: ["/dev/video0"]) == [.unanswered])
    gate.signal()
    await heard.wait()
    #expect(asked.withLock { $0 } == 1)
  }

  @Test("A device file that can be opened is no trouble; one that isn't there is an unplug")
  func access() async throws {
    let camera = CameraDevice(id: "a", name: "Cam", kind: .v4l2(path: "/dev/null"), formats: [])
    try await NodeAccess.check("/dev/null", of: camera, atMost: .seconds(600))
    await #expect(throws: CameraError.unplugged(camera: "Cam")) {
      try await NodeAccess.check("/dev/photome-nothing", of: camera, atMost: .seconds(600))
    }
  }

  @Test("The holder of a device is the first program of one's own that has it open, and no mediator")
  func holder() throws {
    let proc = FileManager.default.temporaryDirectory.appending(path: "photome-proc-\(UUID().uuidString)")
    defer { try? FileManager.default.removeItem(at: proc) }
    func add(_ process: Int, _ name: String, opening files: String..., program: String = "/usr/bin/x") throws {
      let folder = proc.appending(path: "\(process)")
      try FileManager.default.createDirectory(at: folder.appending(path: "fd"), withIntermediateDirectories: true)
      try Data("\(name)\n".utf8).write(to: folder.appending(path: "comm"))
      try FileManager.default.createSymbolicLink(
        atPath: folder.appending(path: "exe").path, withDestinationPath: program)
      for (number, file) in files.enumerated() {
        try FileManager.default.createSymbolicLink(
          atPath: folder.appending(path: "fd/\(number)").path, withDestinationPath: file)
      }
    }
    func holder(_ path: String) -> String? { DeviceHolder.name(of: path, in: proc.path, besides: 5) }
    try add(5, "photome", opening: "/dev/video0")
    try add(20, "wireplumber", opening: "/dev/video0")
    try add(100, "cheese", opening: "/dev/null", "/dev/video0")
    try add(200, "guvcview", opening: "/dev/video0")
    try add(300, "a-program-with-", opening: "/dev/video1", program: "/opt/a-program-with-a-long-name")
    #expect(holder("/dev/video0") == "cheese")
    #expect(holder("/dev/video1") == "a-program-with-a-long-name")
    #expect(holder("/dev/video10") == nil)
  }
}
