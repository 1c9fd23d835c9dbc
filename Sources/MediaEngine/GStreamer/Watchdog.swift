// A watchdog over whatever counts its steps.

import CameraCore

/// Notices standstills.
enum Watchdog {
  /// Calls `onStandstill` whenever nothing was counted for so long, until the task that it returns is canceled.
  ///
  /// Looks four times within the patience, so a standstill is noticed after at most five quarters of it.
  ///
  /// - Parameters:
  ///   - steps: The present count.
  ///   - isExcused: Whether somebody else is waited for now, whose time doesn't count.
  ///   - pause: Returns after that many nanoseconds; throws when the task is canceled.
  static func watch(
    _ patience: TimeSpan, steps: @escaping @Sendable () -> Int,
    isExcused: @escaping @Sendable () -> Bool = { false },
    pause: @escaping @Sendable (UInt64) async throws -> Void = { try await Task.sleep(nanoseconds: $0) },
    onStandstill: @escaping @Sendable () -> Void
  ) -> Task<Void, Never> {
    // Before the task runs: what is counted until then is progress.
    let start = steps()
    return Task.detached {
      var (seen, still) = (start, 0)
      while (try? await pause(UInt64(max(1, patience.nanoseconds / 4)))) != nil {
        let now = steps()
        still = now == seen && !isExcused() ? still + 1 : 0
        seen = now
        guard still == 4 else { continue }
        still = 0
        onStandstill()
      }
    }
  }
}
