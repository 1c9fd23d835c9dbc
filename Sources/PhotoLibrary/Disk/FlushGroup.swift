// Flushing many new files at once.

import Dispatch
import Foundation
import Synchronization

/// Files that were written and have to be durable before the step that needs all of them.
///
/// Flushing thousands of small files one after the other takes minutes on a slow disk, which has nothing to do for most of
/// that time. Flushes that overlap share the file system's commits and the disk's. Each file is flushed by itself: an
/// error isn't lost among others, and nothing of other programs is waited for, as it would be with `syncfs`.
///
/// Confined to the thread that adds the files.
final class FlushGroup {
  private let disk: Disk
  private var files: [(descriptor: Int32, path: String)] = []

  /// The number of files that are kept open until they are flushed: there may be 1,024 descriptors in a process.
  private static let mostFiles = 64
  /// The number of flushes at a time.
  private static let mostFlushes = 8

  init(disk: Disk) { self.disk = disk }

  deinit { for file in files { close(file.descriptor) } }

  /// Takes over the descriptor of a file that is written; flushes all when there are many.
  ///
  /// - Throws: As `flush`.
  func add(_ descriptor: Int32, path: String) throws(PhotoLibraryError) {
    files.append((descriptor, path))
    if files.count >= Self.mostFiles { try flush() }
  }

  /// Flushes all files that were added, and closes them.
  ///
  /// - Throws: The first error of the disk; which files are durable is unknown then.
  func flush() throws(PhotoLibraryError) {
    let files = self.files
    self.files = []
    defer { for file in files { close(file.descriptor) } }
    for file in files { try disk.check(.synchronize, file.path) }
    let codes = Mutex([Int32](repeating: 0, count: files.count))
    let work = DispatchGroup()
    let laneCount = min(files.count, Self.mostFlushes)
    for lane in 0..<laneCount {
      // A serial queue, which has a thread of its own; a concurrent one has as many as there are cores.
      DispatchQueue(label: "photome.library.flush").async(group: work) { [system = disk.system] in
        for number in stride(from: lane, to: files.count, by: laneCount)
        where system.fsync(files[number].descriptor) != 0 {
          let code = errno
          codes.withLock { $0[number] = code }
        }
      }
    }
    work.wait()
    for (file, code) in zip(files, codes.withLock { $0 }) where code != 0 {
      throw .system(.synchronize, file.path, code: code)
    }
  }
}
