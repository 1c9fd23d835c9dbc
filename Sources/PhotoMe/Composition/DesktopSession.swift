// The desktop session over D-Bus: locks of the screen, the machine's sleep, and delays of it.

import CGtk
import CameraModels
import GtkShim

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

/// Follows logind and the desktop's screen saver. Silent where there are none.
@MainActor final class DesktopSession: SessionService {
  func start(_ onNotice: @escaping @MainActor (SessionNotice) -> Void) {
    var (wasLocked, wasAsleep) = (false, false)
    let changed: (Bool, Bool) -> Void = { isLocked, isAsleep in
      if isLocked != wasLocked { onNotice(.locked(isLocked)) }
      if isAsleep != wasAsleep { onNotice(.asleep(isAsleep)) }
      (wasLocked, wasAsleep) = (isLocked, isAsleep)
    }
    pm_session_watch_start(changedTrampoline, HandlerBox.retained(changed))
  }

  func delaySleep(because reason: String, _ done: @escaping @MainActor ((any SleepDelay)?) -> Void) {
    let answered: (Int32) -> Void = { done($0 < 0 ? nil : DescriptorDelay($0)) }
    pm_sleep_delay_ask(reason, delayTrampoline, HandlerBox.retained(answered))
  }
}

/// A delay that lasts until its descriptor is closed.
private final class DescriptorDelay: SleepDelay, @unchecked Sendable {
  // Sendable: used on the main actor only, until it is freed.
  private var descriptor: Int32

  init(_ descriptor: Int32) { self.descriptor = descriptor }

  func release() {
    if descriptor >= 0 { close(descriptor) }
    descriptor = -1
  }

  deinit { release() }
}

/// `void (is_locked, is_asleep, data)`, on the main thread
private let changedTrampoline: @convention(c) (gboolean, gboolean, UnsafeMutableRawPointer?) -> Void = {
  isLocked, isAsleep, data in
  let handler: HandlerBox<(Bool, Bool) -> Void>? = .from(data)
  ownWork { handler?.handler(isLocked != 0, isAsleep != 0) }
}

/// `void (descriptor, data)`, on the main thread, once
private let delayTrampoline: @convention(c) (Int32, UnsafeMutableRawPointer?) -> Void = { descriptor, data in
  let handler: HandlerBox<(Int32) -> Void>? = .from(data)
  ownWork { handler?.handler(descriptor) }
  releaseHandlerBox(data)
}
