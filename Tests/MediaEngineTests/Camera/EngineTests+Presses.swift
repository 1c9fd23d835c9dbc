// What happens at a press itself, and what only after it.

import CameraCore
import Foundation
import Synchronization
import Testing

@testable import MediaEngine

extension EngineTests {
  @Test("A press decodes nothing on the thread that presses") func aPressDecodesNothing() async throws {
    let goesOn = DispatchSemaphore(value: 0)
    let isFree = Atomic(true)
    let engine = CameraEngine(
      limits: EngineLimits().times(4), fault: .none,
      isWhole: { _ in
        // Whoever presses can't let it go on while it waits itself.
        if goesOn.wait(timeout: .now() + 20) == .timedOut { isFree.store(false, ordering: .releasing) }
        return true
      })
    let folder = FileManager.default.temporaryDirectory.appending(path: "photome-press-\(UUID().uuidString)")
    defer { try? FileManager.default.removeItem(at: folder) }
    try await engine.start(CameraConfiguration(cameraID: CameraDevice.testID))
    let events = engine.capture(PhotoSettings(isLive: false, pressed: .now, movieFolder: folder))
    goesOn.signal()
    let shot = try await ShotRecord(events)
    #expect(shot.photo != nil && shot.names.first == "willBegin")
    let wasFree = isFree.load(ordering: .acquiring)
    #expect(wasFree)
    await engine.stop()
  }
}
