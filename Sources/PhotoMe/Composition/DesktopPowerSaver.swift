// The desktop's power saver, through GIO's monitor of power profiles.

import CGtk
import CameraModels

/// Follows power-profiles-daemon, or the portal within a sandbox. Silent where there is neither.
@MainActor final class DesktopPowerSaver: PowerSaverSource {
  private var monitor: GObjectRef?

  func start(_ tell: @escaping @MainActor (Bool) -> Void) {
    Task.detached {
      // It asks the system bus and waits for the answer, so not on the main thread. Without a context of this thread's
      // own, it tells of changes on the main one.
      let address = g_power_profile_monitor_dup_default().map { UInt(bitPattern: $0) }
      guard let address else { return }
      await self.follow(address, tell)
    }
  }

  /// - Parameter address: The monitor, with a reference that is taken over.
  private func follow(_ address: UInt, _ tell: @escaping @MainActor (Bool) -> Void) {
    guard let pointer = OpaquePointer(bitPattern: address) else { return }
    let monitor = GObjectRef(adopting: pointer)
    self.monitor = monitor
    let look = { [weak monitor] in
      guard let monitor else { return }
      tell(g_power_profile_monitor_get_power_saver_enabled(monitor.opaque) != 0)
    }
    monitor.onChange(of: "power-saver-enabled", look)
    look()
  }
}
