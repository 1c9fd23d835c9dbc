// The controls of all cameras: V4L2 nodes, and the test camera's.

import CameraCore
import EngineInterface
import Foundation
import Synchronization

/// The `CameraControlService` of the program.
public final class CameraControls: CameraControlService {
  private let test: TestCameraControls
  private let limit: TimeSpan
  private let looks: LookBox
  private let queues = Mutex<[String: ControlQueue]>([:])

  /// - Parameters:
  ///   - test: The test camera's.
  ///   - looks: What is done to pictures.
  init(test: TestCameraControls, looks: LookBox, limits: EngineLimits) {
    (self.test, self.looks, limit) = (test, looks, limits.nodeAnswer)
  }

  /// The controls of a camera; see `CameraControlService`.
  ///
  /// - Throws: `CameraControlError.camera`.
  public func controls(of camera: CameraDevice) async throws(CameraControlError) -> [CameraControl] {
    if camera.kind == .test { return test.controls }
    guard let path = camera.controlNode else { return [] }
    return try await queue(path).run(on: camera) { $0.entries().map(\.control) }
  }

  /// Sets controls; see `CameraControlService`.
  ///
  /// - Throws: `CameraControlError`.
  public func set(
    _ values: [ControlValue], of camera: CameraDevice
  ) async throws(CameraControlError) -> [CameraControl] {
    if camera.kind == .test { return try test.set(values) }
    guard let path = camera.controlNode else { return [] }
    return try await queue(path).run(on: camera) { (controls) throws(CameraControlError) in
      let entries = controls.entries()
      for value in values {
        guard let entry = entries.first(where: { $0.control.id == value.id }) else {
          throw .unknown(name: value.id, camera: camera.name, known: entries.map(\.control.id))
        }
        try Self.set(entry, to: value.value, of: camera, by: controls)
      }
      return controls.entries().map(\.control)
    }
  }

  /// The number of rounds of a reset: a control may be freed by the reset of another one.
  private static let resetRounds = 4

  /// Resets a camera; see `CameraControlService`.
  ///
  /// - Throws: `CameraControlError`.
  public func reset(_ camera: CameraDevice) async throws(CameraControlError) -> [CameraControl] {
    if camera.kind == .test {
      for _ in 0..<Self.resetRounds { _ = try test.set(ControlPlan(test.controls).resetting()) }
      return test.controls
    }
    guard let path = camera.controlNode else { return [] }
    return try await queue(path).run(on: camera) { (controls) throws(CameraControlError) in
      var failures: [CameraControl.ID: CameraControlError] = [:]
      for _ in 0..<Self.resetRounds {
        let entries = controls.entries()
        let writes = ControlPlan(entries.map(\.control)).resetting().filter { failures[$0.id] == nil }
        if writes.isEmpty { break }
        for write in writes {
          guard let entry = entries.first(where: { $0.control.id == write.id }) else { continue }
          do throws(CameraControlError) { try Self.set(entry, to: write.value, of: camera, by: controls) } catch {
            failures[write.id] = error
          }
        }
      }
      if let failure = failures.min(by: { $0.key < $1.key })?.value { throw failure }
      return controls.entries().map(\.control)
    }
  }

  public func changes(of camera: CameraDevice) -> AsyncStream<[CameraControl]> {
    if camera.kind == .test { return test.changes() }
    let (stream, continuation) = AsyncStream.makeStream(of: [CameraControl].self, bufferingPolicy: .bufferingNewest(1))
    let watch = camera.controlNode.flatMap { path in
      ControlWatch(path: path, onChange: { continuation.yield($0) }, onEnd: { continuation.finish() })
    }
    guard let watch else {
      continuation.finish()
      return stream
    }
    continuation.onTermination = { _ in watch.stop() }
    return stream
  }

  public func setLook(_ look: FrameLook, of camera: CameraDevice) { looks.set(look, of: camera.id) }

  @inline(never)  // called by asynchronous functions: see “Locks” in MediaEngine.md
  private func queue(_ path: String) -> ControlQueue {
    queues.withLock { queues in
      if let known = queues[path] { return known }
      let made = ControlQueue(path: path, limit: limit)
      queues[path] = made
      return made
    }
  }

  private static func set(
    _ entry: V4L2Controls.Entry, to value: Int, of camera: CameraDevice, by controls: V4L2Controls
  ) throws(CameraControlError) {
    do throws(V4L2Controls.Refusal) { try controls.set(entry, to: value) } catch {
      switch error.number {
      case ENODEV, ENXIO: throw .camera(.unplugged(camera: camera.name))
      case EBUSY: throw .notWritable(name: entry.control.title, camera: camera.name)
      default: throw .refused(name: entry.control.title, camera: camera.name, message: error.message)
      }
    }
  }
}
