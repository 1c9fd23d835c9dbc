// Child processes of tests: the exit status, and cancellation of the wait for it.

import Foundation
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(30))) struct ChildProcessTests {
  private func inFolder(_ body: (URL) async throws -> Void) async throws {
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent("photome-child-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    try await body(folder)
  }

  private let environment = ["PATH": "/usr/bin:/bin"]

  @Test func aCanceledWaitEndsWhileTheChildRuns() async throws {
    try await inFolder { folder in
      let child = try ChildProcess("tail", ["-f", "/dev/null"], environment: environment, in: folder)
      let wait = Task { try await child.exitStatus() }
      wait.cancel()
      await #expect(throws: CancellationError.self) { try await wait.value }
      #expect(child.isRunning)
    }
  }

  @Test func theStatusIsThatOfTheChild() async throws {
    try await inFolder { folder in
      let child = try ChildProcess("sh", ["-c", "exit 7"], environment: environment, in: folder)
      #expect(try await child.exitStatus() == 7)
    }
  }
}
