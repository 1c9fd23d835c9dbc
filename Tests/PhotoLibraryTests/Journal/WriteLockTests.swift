// The lock of changes: programs have it in turn.

import CameraCore
import Foundation
import Synchronization
import Testing

@testable import PhotoLibrary

@Suite(.timeLimit(.minutes(30))) struct WriteLockTests {
  private static let kernelLocks = "/proc/locks"

  /// Whether the kernel lists someone who waits for the lock of a file.
  private static func isWaitedFor(_ path: String) -> Bool {
    guard let inode = Disk().status(path)?.number, let list = try? String(contentsOfFile: kernelLocks, encoding: .utf8)
    else { return false }
    // 5: -> FLOCK  ADVISORY  WRITE 9551 fe:00:1098563 0 EOF
    return list.split(separator: "\n").contains { $0.contains(" -> ") && $0.contains(":\(inode) ") }
  }

  @Test(
    "A program that makes one change after the other lets another one in between",
    .enabled(if: FileManager.default.isReadableFile(atPath: kernelLocks), "the kernel doesn't list its locks"))
  func turns() async throws {
    let scratch = try Scratch()
    let folder = LibraryFolder(scratch.pictures)
    let runner = JournalRunner(folder: folder, disk: Disk(), trash: DesktopTrash(disk: Disk()))
    let order = try await Blocking.run { () throws(PhotoLibraryError) in
      let holders = Mutex<[String]>([])
      let pressed = DispatchSemaphore(value: 0)
      // An import of many pictures; during its first change someone marks a favorite in another program.
      do throws(PhotoLibraryError) {
        let lock = try WriteLock(runner)
        holders.withLock { $0.append("import") }
        Thread.detachNewThread {
          do throws(PhotoLibraryError) {
            let lock = try WriteLock(runner)
            holders.withLock { $0.append("favorite") }
            lock.keep()
          } catch { holders.withLock { $0.append(error.description) } }
          pressed.signal()
        }
        while !Self.isWaitedFor(folder.lock) { sched_yield() }
        lock.keep()
      }
      do throws(PhotoLibraryError) {
        let lock = try WriteLock(runner)
        holders.withLock { $0.append("import") }
        lock.keep()
      }
      pressed.wait()
      return holders.withLock { $0 }
    }
    #expect(order == ["import", "favorite", "import"])
  }
}
