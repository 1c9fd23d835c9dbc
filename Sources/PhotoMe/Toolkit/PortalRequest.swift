// Requests to the desktop's portal with files, awaited.

import CameraCore
import CameraModels
import Foundation
import GtkShim
import Localization

/// Hands files to the portal, as descriptors.
@MainActor enum PortalRequest {
  /// Opens files, makes a request with their descriptors, and waits for the person's answer.
  ///
  /// - Parameter make: Makes the request, with the data for `portalAnswerTrampoline`, which `releaseHandlerBox` releases.
  static func outcome(
    of files: [URL], _ make: (_ descriptors: [Int32], _ data: UnsafeMutableRawPointer) -> OpaquePointer
  ) async -> PortalOutcome {
    let opened = await Blocking.run { OpenFiles(files) }
    if let reason = opened.failure { return .failed(reason: reason) }
    let answer = OneShot<PortalOutcome, Never>()
    let answered: (PmPortalState, String?) -> Void = { answer.decide(.success(PortalOutcome($0, $1))) }
    // The request has copies of the descriptors.
    let request = withExtendedLifetime(opened) { make(opened.descriptors, HandlerBox.retained(answered)) }
    defer { pm_portal_request_end(request) }
    return await answer.wait()
  }
}

/// Files that are open for reading, all or none.
private final class OpenFiles: Sendable {
  let descriptors: [Int32]
  /// Why one of them couldn't be opened.
  let failure: String?

  /// Opens the files; a disk may take its time.
  init(_ files: [URL]) {
    var descriptors: [Int32] = []
    var failure: String?
    for file in files where failure == nil {
      let descriptor = open(file.path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
      if descriptor >= 0 {
        descriptors.append(descriptor)
      } else {
        failure = String(cString: strerror(errno))
      }
    }
    (self.descriptors, self.failure) = (descriptors, failure)
  }

  deinit { for descriptor in descriptors { close(descriptor) } }
}

extension PortalOutcome {
  init(_ state: PmPortalState, _ message: String?) {
    self =
      switch state {
      case PM_PORTAL_DONE: .done
      // By the person, or else by the portal itself: where the desktop is locked down.
      case PM_PORTAL_REFUSED where message == nil: .dismissed
      case PM_PORTAL_REFUSED: .failed(reason: localized("the desktop’s settings don’t allow it"))
      case PM_PORTAL_CLOSED: .closed
      case PM_PORTAL_MISSING, PM_PORTAL_UNSUPPORTED: .unavailable
      case PM_PORTAL_UNINTELLIGIBLE: .failed(reason: localized("its answer can’t be understood"))
      default: .failed(reason: message ?? localized("it gave no reason"))
      }
  }
}

/// `void (state, message, data)`, on the main thread, once
let portalAnswerTrampoline: @convention(c) (PmPortalState, UnsafePointer<CChar>?, UnsafeMutableRawPointer?) -> Void = {
  state, message, data in
  let handler: HandlerBox<(PmPortalState, String?) -> Void>? = .from(data)
  let text = message.map { String(cString: $0) }
  ownWork { handler?.handler(state, text) }
}
