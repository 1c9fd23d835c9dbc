// Cameras by the desktop's portal: permission, and the PipeWire that shows them.

import CameraCore
import EngineInterface
import GtkShim
import Localization

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
    let answered: (PmPortalState, String?) -> Void = { state, message in
      if let error = Self.error(state, message) { answer.decide(.failure(error)) } else { answer.decide(.success(())) }
    }
    let question = pm_camera_permission_ask(portalAnswerTrampoline, HandlerBox.retained(answered), releaseHandlerBox)
    defer { pm_portal_request_end(question) }
    try await answer.wait(orWhenCancelled: .notRunning)
  }

  func connect() async throws(CameraError) -> Int32 {
    let result = await withCheckedContinuation {
      (continuation: CheckedContinuation<Result<Int32, CameraError>, Never>) in
      let opened: (PmPortalState, Int32, String?) -> Void = { state, descriptor, message in
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
  nonisolated static func error(_ state: PmPortalState, _ message: String?) -> CameraError? {
    switch state {
    case PM_PORTAL_DONE: nil
    case PM_PORTAL_REFUSED: .accessDenied
    case PM_PORTAL_CLOSED: .portal(.closed)
    case PM_PORTAL_MISSING: .portal(.noPortal)
    case PM_PORTAL_UNSUPPORTED: .portal(.noCameras)
    case PM_PORTAL_UNINTELLIGIBLE: .portal(.failed(message: localized("its answer can’t be understood")))
    default: .portal(.failed(message: message ?? localized("it gave no reason")))
    }
  }
}

/// `void (state, descriptor, message, data)`, on the main thread, once
private let remoteTrampoline:
  @convention(c) (PmPortalState, Int32, UnsafePointer<CChar>?, UnsafeMutableRawPointer?) -> Void = {
    state, descriptor, message, data in
    let handler: HandlerBox<(PmPortalState, Int32, String?) -> Void>? = .from(data)
    let text = message.map { String(cString: $0) }
    ownWork { handler?.handler(state, descriptor, text) }
    releaseHandlerBox(data)
  }
