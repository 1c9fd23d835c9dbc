// The note of an opening under way: written before a camera is touched, whoever asked for it, and removed afterwards.

import CameraCore
import EngineInterface
import Foundation
import Synchronization
import Testing

@testable import MediaEngine

@Suite struct OpeningNoteTests {
  /// Keeps every call.
  private final class Recorder: OpeningNote {
    enum Event: Equatable {
      case written(CameraDevice.ID?)
      case removed
    }

    private let state = Mutex<[Event]>([])

    func write(_ camera: CameraDevice.ID?) { state.withLock { $0.append(.written(camera)) } }
    func remove() { state.withLock { $0.append(.removed) } }
    func read() -> CameraDevice.ID? { nil }

    /// The calls since the last look.
    func take() -> [Event] {
      state.withLock { events in
        defer { events = [] }
        return events
      }
    }
  }

  @Test func theNoteIsThereWhileACameraIsLookedForAndOpened() async throws {
    let recorder = Recorder()
    let engine = CameraEngine(limits: EngineLimits(), fault: .none, note: recorder)
    await #expect(throws: CameraError.self) { try await engine.start(CameraConfiguration(cameraID: "nonsense")) }
    #expect(recorder.take() == [.written("nonsense"), .removed])
    await engine.stop()
  }

  @Test("The engine's own openings are noted, too")
  func reveal() async throws {
    let recorder = Recorder()
    let engine = CameraEngine(limits: EngineLimits(), fault: .none, note: recorder)
    await engine.conceal(.page)
    await #expect(throws: CameraError.notRunning) {
      try await engine.start(CameraConfiguration(cameraID: "nonsense"))
    }
    #expect(recorder.take() == [], "nothing opens out of sight")
    await engine.reveal(.page)
    await engine.stop()
    #expect(recorder.take() == [.written("nonsense"), .removed])
  }

  @Test("The test camera takes no program with it")
  func testCamera() async throws {
    let recorder = Recorder()
    let engine = CameraEngine(limits: EngineLimits().times(4), fault: .none, note: recorder)
    try await engine.start(CameraConfiguration(cameraID: CameraDevice.testID))
    await engine.stop()
    #expect(recorder.take().allSatisfy { $0 == .removed })
  }

  @Test("What the last run left is found once", arguments: [nil, "usb-0000:00:14.0-1"])
  func unfinished(camera: CameraDevice.ID?) throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: "photome-note-\(UUID().uuidString)")
    defer { try? FileManager.default.removeItem(at: folder) }
    let note = OpeningNoteFile(url: folder.appending(path: "photome/opening-camera"))
    #expect(note.read() == nil)
    note.write("another-camera-with-a-longer-name")
    note.write(camera)
    let engine = CameraEngine(limits: EngineLimits(), fault: .none, note: note)
    #expect(engine.takeUnfinishedOpening() == CameraConfiguration(cameraID: camera))
    #expect(engine.takeUnfinishedOpening() == nil)
    note.write(camera)
    note.remove()
    #expect(engine.takeUnfinishedOpening() == nil)
  }
}
