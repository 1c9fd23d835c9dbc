// Notifications of file systems that are mounted and unmounted, for which inotify has no event.

import Foundation
import Synchronization

/// Watches the kernel's table of mounts for all libraries of this process, on one thread that sleeps in the kernel.
final class MountWatcher: Sendable {
  static let shared = MountWatcher()

  private struct State {
    var isStarted = false
    var lastNumber: UInt64 = 0
    var listeners: [UInt64: @Sendable () -> Void] = [:]
  }

  private let state = Mutex(State())

  /// A callback, until this object ends.
  final class Listener: Sendable {
    private let watcher: MountWatcher
    private let number: UInt64

    fileprivate init(_ watcher: MountWatcher, number: UInt64) { (self.watcher, self.number) = (watcher, number) }

    deinit { end() }

    func end() {
      // What the callback captures is released outside of the lock.
      let changed = watcher.state.withLock { $0.listeners.removeValue(forKey: number) }
      _ = changed
    }
  }

  /// - Parameter changed: Called on the watcher's thread whenever anything was mounted or unmounted; must not block.
  func listen(_ changed: @escaping @Sendable () -> Void) -> Listener {
    let (number, mustStart) = state.withLock { state in
      state.lastNumber += 1
      state.listeners[state.lastNumber] = changed
      defer { state.isStarted = true }
      return (state.lastNumber, !state.isStarted)
    }
    if mustStart { Thread.detachNewThread { [weak self] in Self.watch { self } } }
    return Listener(self, number: number)
  }

  /// Returns only where there is no such table.
  private static func watch(_ watcher: () -> MountWatcher?) {
    // See proc(5): a change of the table is an exceptional condition.
    let descriptor = KernelFileSystem().open("/proc/self/mounts", O_RDONLY | O_CLOEXEC, 0)
    guard descriptor >= 0 else { return }
    defer { close(descriptor) }
    var table = pollfd(fd: descriptor, events: Int16(POLLPRI), revents: 0)
    while true {
      let count = poll(&table, 1, -1)
      if count < 0, errno != EINTR { return }
      guard count > 0 else { continue }
      guard let watcher = watcher() else { return }
      for changed in watcher.state.withLock({ Array($0.listeners.values) }) { changed() }
    }
  }
}
