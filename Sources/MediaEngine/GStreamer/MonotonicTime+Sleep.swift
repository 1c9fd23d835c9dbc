// Waiting for an instant, on threads of our own.

import CameraCore
import Glibc

extension MonotonicTime {
  /// Blocks the calling thread until an instant; for threads of our own only, never for the pool's.
  static func sleep(until time: MonotonicTime) {
    var due = timespec()
    due.tv_sec = Int(time.nanoseconds / 1_000_000_000)
    due.tv_nsec = Int(time.nanoseconds % 1_000_000_000)
    while clock_nanosleep(CLOCK_MONOTONIC, Int32(TIMER_ABSTIME), &due, nil) == EINTR {}
  }
}
