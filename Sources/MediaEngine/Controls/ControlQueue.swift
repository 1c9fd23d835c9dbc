// Requests to the controls of one device node, one after another, none of which can hang whoever asks.

import CameraCore
import Dispatch
import Foundation
import Synchronization

/// Opens a device node for each request, on a queue of its own: a device that hangs holds up this queue and nothing else.
final class ControlQueue: Sendable {
  private let path: String
  private let limit: TimeSpan
  private let queue: DispatchQueue
  /// Whether a request has met the time limit and not returned since.
  private let isStuck = Mutex(false)

  /// - Parameter limit: For one request, with those that wait before it.
  init(path: String, limit: TimeSpan) {
    self.path = path
    self.limit = limit
    queue = DispatchQueue(label: "photome.controls.\(path)", qos: .userInitiated)
  }

  /// Runs `body` with the open node.
  ///
  /// - Throws: The error of `body`; `CameraControlError.camera` when the node can't be opened, or hangs: then at once, until
  ///   it answers.
  func run<Output: Sendable>(
    on camera: CameraDevice, _ body: @escaping @Sendable (V4L2Controls) throws(CameraControlError) -> Output
  ) async throws(CameraControlError) -> Output {
    let late = CameraError.unresponsive(camera: camera.name)
    if stuck() { throw .camera(late) }
    let answer = OneShot<Result<Output, CameraControlError>, CameraError>()
    let path = path
    queue.async {
      // Nobody waits any more.
      if answer.result == nil {
        answer.decide(.success(Result { () throws(CameraControlError) in try Self.open(path, camera, body) }))
      }
    }
    let result: Result<Output, CameraControlError>
    do throws(CameraError) { result = try await answer.wait(atMost: limit, late: late) } catch {
      if error == late { noteStuck() }
      throw .camera(error)
    }
    return try result.get()
  }

  @inline(never)  // called by asynchronous functions: see “Locks” in MediaEngine.md
  private func stuck() -> Bool { isStuck.withLock { $0 } }

  @inline(never)  // called by asynchronous functions: see “Locks” in MediaEngine.md
  private func noteStuck() {
    isStuck.withLock { $0 = true }
    // Runs once the request has returned.
    queue.async { self.isStuck.withLock { $0 = false } }
  }

  private static func open<Output>(
    _ path: String, _ camera: CameraDevice, _ body: (V4L2Controls) throws(CameraControlError) -> Output
  ) throws(CameraControlError) -> Output {
    let descriptor = Foundation.open(path, O_RDWR | O_NONBLOCK | O_CLOEXEC)
    guard descriptor >= 0 else { throw .camera(CameraError(opening: camera, errno: errno)) }
    defer { close(descriptor) }
    return try body(V4L2Controls(descriptor))
  }
}
