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

  @inline(never)  // locks, for an asynchronous function
  private static func read(_ names: borrowing Mutex<[String]>) -> [String] { names.withLock { $0 } }

  @Test(
    "A program that makes one change after the other lets another one in between",
    .enabled(if: FileManager.default.isReadableFile(atPath: kernelLocks), "the kernel doesn't list its locks"))
  func turns() async throws {
    let scratch = try Scratch()
    let folder = LibraryFolder(scratch.pictures)
    let runner = JournalRunner(folder: folder, disk: Disk(), trash: DesktopTrash(disk: Disk()))
    let holders = Mutex<[String]>([])
    @Sendable func hold(as name: String, _ body: () -> Void = {}) {
      do throws(PhotoLibraryError) {
        let lock = try WriteLock(runner)
        holders.withLock { $0.append(name) }
        body()
        lock.keep()
      } catch { holders.withLock { $0.append(error.description) } }
    }
    await Blocking.run {
      let marked = DispatchSemaphore(value: 0)
      // An import of many pictures; during its first change someone marks a favorite in another program.
      hold(as: "import") {
        Thread.detachNewThread {
          hold(as: "favorite")
          marked.signal()
        }
        while !Self.isWaitedFor(folder.lock) { sched_yield() }
      }
      hold(as: "import")
      marked.wait()
    }
    #expect(Self.read(holders) == ["import", "favorite", "import"])
  }

  /// A program that waits for the lock has its turn, and is stopped, as by Ctrl-Z.
  @Test func aStoppedProgramKeepsNobodyFromChangingSomething() async throws {
    let scratch = try Scratch()
    let library = try await scratch.library()
    let asset = try await library.shoot()
    let turn = open(library.layout.hidden, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    try #require(turn >= 0 && flock(turn, LOCK_EX) == 0)
    try await library.performChanges { $0.change(AssetChangeRequest(for: asset.id, isFavorite: true)) }
    #expect(try await library.asset(id: asset.id)?.isFavorite == true)
    close(turn)
    await library.close()
  }

  /// So undo keeps what it could not undo.
  @Test func aLockOfAnotherComputerIsAReasonThatPasses() async throws {
    let scratch = try Scratch()
    let library = try await scratch.library()
    let asset = try await library.shoot()
    let other = MachineIdentity(machine: "1", boot: "2", name: "attic")
    try scratch.put(other.json, ".photome/lock")
    let error = await #expect(throws: PhotoLibraryError.self) {
      try await library.performChanges { $0.change(AssetChangeRequest(for: asset.id, isFavorite: true)) }
    }
    guard case .unfinishedChange(let reason) = error else {
      Issue.record("\(String(describing: error))")
      return
    }
    #expect(reason.contains("attic"))
    await library.close()
  }
}
