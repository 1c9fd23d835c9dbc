// Notifications of changes in the trash, by any program.

import Foundation
import Synchronization

/// Watches the trash folders in which the pictures of a library can lie.
///
/// The trash may not exist yet: then the nearest folder above it is watched, and the trash itself as soon as it
/// appears.
final class TrashWatcher: Sendable {
  private let folders: [String]
  private let listener = Mutex<InotifyHub.Listener?>(nil)

  private static let mask = UInt32(IN_CREATE | IN_DELETE | IN_MOVED_FROM | IN_MOVED_TO)

  /// - Parameters:
  ///   - folders: The trash folders, absolute; see `DesktopTrash.folders(for:)`.
  ///   - changed: Called on the hub's queue, often several times for one change; must not block.
  init(_ folders: [String], hub: InotifyHub = .shared, changed: @escaping @Sendable () -> Void) {
    self.folders = folders.flatMap { ["\($0)/info", "\($0)/files"] }
    let listener = hub.listen { [weak self] _ in
      self?.watch()
      changed()
    }
    self.listener.withLock { $0 = listener }
    watch()
  }

  /// Ends the notifications.
  func stop() {
    let listener = listener.withLock { listener in
      defer { listener = nil }
      return listener
    }
    listener?.end()
  }

  /// Watches what exists. A folder that is already watched keeps its watch. Where the kernel has none left, changes by
  /// other programs are seen when the list is shown again.
  private func watch() {
    guard let listener = listener.withLock({ $0 }) else { return }
    for folder in folders {
      if case .failure = listener.watch(folder, Self.mask), let above = DesktopTrash.nearestFolder(to: folder) {
        _ = listener.watch(above, UInt32(IN_CREATE | IN_MOVED_TO))
      }
    }
  }
}
