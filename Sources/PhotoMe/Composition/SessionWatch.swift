// Notifications from logind to the camera: nobody looks at the viewfinder of a locked session or a sleeping machine.

import CGtk
import CameraModels
import GtkShim

/// Notifies a camera model when the session is locked and when the machine sleeps. Silent where there is no logind.
@MainActor enum SessionWatch {
  /// Starts watching, until the program ends.
  static func start(_ camera: CameraModel) {
    var (wasLocked, wasAsleep) = (false, false)
    let changed: (Bool, Bool) -> Void = { isLocked, isAsleep in
      if isLocked != wasLocked { Task { await camera.setSessionLocked(isLocked) } }
      if isAsleep != wasAsleep { Task { await camera.setAsleep(isAsleep) } }
      (wasLocked, wasAsleep) = (isLocked, isAsleep)
    }
    pm_session_watch_start(changedTrampoline, HandlerBox.retained(changed))
  }
}

/// `void (is_locked, is_asleep, data)`, on the main thread
private let changedTrampoline: @convention(c) (gboolean, gboolean, UnsafeMutableRawPointer?) -> Void = {
  isLocked, isAsleep, data in
  let handler: HandlerBox<(Bool, Bool) -> Void>? = .from(data)
  ownWork { handler?.handler(isLocked != 0, isAsleep != 0) }
}
