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
      case written(UnfinishedOpening)
      case removed
    }

    private let state = Mutex<[Event]>([])

    func write(_ opening: UnfinishedOpening) { state.withLock { $0.append(.written(opening)) } }
    func remove() { state.withLock { $0.append(.removed) } }
    func read() -> UnfinishedOpening? { nil }

    /// The number of calls since the last look.
    var count: Int { state.withLock { $0.count } }

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
    #expect(await eventually { recorder.count == 2 })
    #expect(recorder.take() == [.written(UnfinishedOpening(cameraID: "nonsense")), .removed])
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
    #expect(await eventually { recorder.count == 2 })
    #expect(recorder.take() == [.written(UnfinishedOpening(cameraID: "nonsense")), .removed])
  }

  /// A note on a disk that hangs.
  private final class HangingNote: OpeningNote {
    let (arrivals, arrival) = AsyncStream<Void>.makeStream()
    let letGo = DispatchSemaphore(value: 0)

    func write(_ opening: UnfinishedOpening) {
      arrival.yield()
      letGo.wait()
    }
    func remove() {}
    func read() -> UnfinishedOpening? { nil }
  }

  @Test("A note that can't be written, because its disk hangs, holds up no camera", .timeLimit(.minutes(30)))
  func hanging() async throws {
    let note = HangingNote()
    let engine = CameraEngine(limits: EngineLimits(), fault: .none, note: note)
    let opening = Task { try await engine.start(CameraConfiguration(cameraID: "nonsense")) }
    for await _ in note.arrivals { break }
    #expect(await Task { @PipelineActor in true }.value)
    await #expect(throws: CameraError.self) { try await opening.value }
    await engine.stop()
    for _ in 0..<4 { note.letGo.signal() }
  }

  @Test("The test camera takes no program with it")
  func testCamera() async throws {
    let recorder = Recorder()
    let engine = CameraEngine(limits: EngineLimits().times(4), fault: .none, note: recorder)
    try await engine.start(CameraConfiguration(cameraID: CameraDevice.testID))
    await engine.stop()
    #expect(recorder.take() == [], "and leaves the note of another")
  }

  @Test(
    "What the last run left is found once",
    arguments: [
      UnfinishedOpening(), UnfinishedOpening(cameraID: "usb-0000:00:14.0-1"),
      UnfinishedOpening(cameraID: "usb-0000:00:14.0-1", cameraName: "HD Webcam\nof two lines"),
    ])
  func unfinished(opening: UnfinishedOpening) throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: "photome-note-\(UUID().uuidString)")
    defer { try? FileManager.default.removeItem(at: folder) }
    let note = OpeningNoteFile(url: folder.appending(path: "photome/opening-camera"))
    #expect(note.read() == nil)
    note.write(UnfinishedOpening(cameraID: "another-camera", cameraName: "A name that is longer than all the others"))
    note.write(opening)
    let engine = CameraEngine(limits: EngineLimits(), fault: .none, note: note)
    #expect(engine.takeUnfinishedOpening() == opening)
    #expect(engine.takeUnfinishedOpening() == nil)
    note.write(opening)
    note.remove()
    #expect(engine.takeUnfinishedOpening() == nil)
  }
}
