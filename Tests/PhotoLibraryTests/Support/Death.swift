// A simulated kill at any disk operation.

import Foundation
import Synchronization

@testable import PhotoLibrary

/// From the n-th step on nothing reaches the disk anymore, as if the process had been killed.
final class Death: Sendable {
  let number: Int
  private let count = Atomic<Int>(0)
  private let isArmed = Atomic<Bool>(false)

  init(at number: Int) { self.number = number }

  func arm() { isArmed.store(true, ordering: .sequentiallyConsistent) }
  var hasCome: Bool { count.load(ordering: .sequentiallyConsistent) >= number }

  var disk: Disk {
    Disk { [self] step, _ in
      guard step != .read, step != .watch, isArmed.load(ordering: .sequentiallyConsistent) else { return nil }
      return count.add(1, ordering: .sequentiallyConsistent).newValue >= number ? EIO : nil
    }
  }

  /// Closes the library of the dead, and returns when the next one may have what it left.
  ///
  /// The kernel drops a lock with its last descriptor, and a child that another test is starting has a copy of it until
  /// its own program begins.
  static func bury(_ library: PhotoLibrary) async {
    await library.close()
    let descriptor = open(LibrarySession.lockPath(library.layout, library.session.token), O_RDWR | O_CLOEXEC)
    guard descriptor >= 0 else { return }
    while flock(descriptor, LOCK_EX) != 0, errno == EINTR {}
    flock(descriptor, LOCK_UN)
    close(descriptor)
  }
}

extension Scratch {
  /// The leftovers of a dead process that the next one should have removed.
  func remains() -> [String] {
    let all = FileManager.default.enumerator(atPath: pictures.path)?.compactMap { $0 as? String } ?? []
    return all.filter { $0.hasSuffix(".tmp") || $0.hasPrefix(".photome/journal/") }
  }
}
