// Notifications from logind: nobody looks at the viewfinder, or at hidden pictures, of a locked session or a sleeping
// machine.

import CGtk
import CameraModels
import GtkShim

/// Notifies models when the session is locked and when the machine sleeps. Silent where there is no logind.
@MainActor enum SessionWatch {
  /// Starts watching, until the program ends.
  static func start(_ camera: CameraModel, _ navigation: NavigationModel) {
    var (wasLocked, wasAsleep) = (false, false)
    let changed: (Bool, Bool) -> Void = { isLocked, isAsleep in
      if isLocked != wasLocked { Task { await camera.setSessionLocked(isLocked) } }
      if isAsleep != wasAsleep { Task { await camera.setAsleep(isAsleep) } }
      if isLocked || isAsleep { navigation.userLeft() }
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
