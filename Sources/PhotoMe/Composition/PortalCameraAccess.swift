// Cameras by the desktop's portal: permission, and the PipeWire that shows them.

import CameraCore
import EngineInterface
import GtkShim

/// Asks `org.freedesktop.portal.Camera`, once the window is on the screen: a question from nowhere is answered with no. The
/// portal takes no parent window for it.
@MainActor final class PortalCameraAccess: CameraAccess {
  private typealias Answer = OneShot<Void, CameraError>

  private var isMapped = false
  /// Those who ask before the window is on the screen.
  private var waiting: [Answer] = []

  /// The window is on the screen.
  func windowIsMapped() {
    isMapped = true
    for waiting in waiting { waiting.decide(.success(())) }
    waiting = []
  }

  func waitUntilReady() async throws(CameraError) {
    guard !isMapped else { return }
    let shown = Answer()
    waiting.append(shown)
    try await shown.wait(orWhenCancelled: .notRunning)
  }

  func request() async throws(CameraError) {
    let answer = Answer()
    let answered: (PmCameraState, String?) -> Void = { state, message in
      if let error = Self.error(state, message) { answer.decide(.failure(error)) } else { answer.decide(.success(())) }
    }
    let question = pm_camera_question_ask(answerTrampoline, HandlerBox.retained(answered), releaseHandlerBox)
    defer { pm_camera_question_end(question) }
    try await answer.wait(orWhenCancelled: .notRunning)
  }

  func connect() async throws(CameraError) -> Int32 {
    let result = await withCheckedContinuation {
      (continuation: CheckedContinuation<Result<Int32, CameraError>, Never>) in
      let opened: (PmCameraState, Int32, String?) -> Void = { state, descriptor, message in
        let error = Self.error(state, message)
        continuation.resume(returning: error.map { .failure($0) } ?? .success(descriptor))
      }
      pm_camera_remote_open(remoteTrampoline, HandlerBox.retained(opened))
    }
    // A portal that fails here has none of its own troubles: it couldn't reach PipeWire.
    if case .failure(.portal(.failed(let message))) = result { throw .portal(.noPipeWire(message: message)) }
    return try result.get()
  }

  /// - Returns: `nil` for a permission.
  nonisolated static func error(_ state: PmCameraState, _ message: String?) -> CameraError? {
    switch state {
    case PM_CAMERA_GRANTED: nil
    case PM_CAMERA_REFUSED: .accessDenied
    case PM_CAMERA_CLOSED: .portal(.closed)
    case PM_CAMERA_NO_PORTAL: .portal(.noPortal)
    case PM_CAMERA_NO_CAMERAS: .portal(.noCameras)
    default: .portal(.failed(message: message ?? "it gave no reason"))
    }
  }
}

/// `void (state, message, data)`, on the main thread, once
private let answerTrampoline: @convention(c) (PmCameraState, UnsafePointer<CChar>?, UnsafeMutableRawPointer?) -> Void =
  { state, message, data in
    let handler: HandlerBox<(PmCameraState, String?) -> Void>? = .from(data)
    let text = message.map { String(cString: $0) }
    ownWork { handler?.handler(state, text) }
  }

/// `void (state, descriptor, message, data)`, on the main thread, once
private let remoteTrampoline:
  @convention(c) (PmCameraState, Int32, UnsafePointer<CChar>?, UnsafeMutableRawPointer?) -> Void = {
    state, descriptor, message, data in
    let handler: HandlerBox<(PmCameraState, Int32, String?) -> Void>? = .from(data)
    let text = message.map { String(cString: $0) }
    ownWork { handler?.handler(state, descriptor, text) }
    releaseHandlerBox(data)
  }
