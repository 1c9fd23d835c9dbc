// A program of someone else under a supervisor, with limits.

import Foundation
import LinuxShim

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

/// A running program, of which nothing outlives this value: neither a child in a session of its own, nor after a kill of
/// PhotoMe.
struct SupervisedProgram: ~Copyable {
  /// The limits of one run.
  struct Limits {
    /// Memory, in bytes.
    var memory: UInt64
    /// Of each file that it writes, in bytes.
    var fileSize: UInt64
    /// In seconds, of processor time of each of its processes.
    var processorTime: UInt64

    /// In processes and threads beyond those that there are: many for a program, few for a fork bomb.
    static let furtherProcesses: UInt64 = 512
    private static let leastMemory: UInt64 = 2 << 30
    private static let mostMemory: UInt64 = 16 << 30

    /// Three quarters of the machine's memory, 2 GiB at least and 16 GiB at most.
    static var usualMemory: UInt64 {
      min(max(ProcessInfo.processInfo.physicalMemory / 4 * 3, leastMemory), mostMemory)
    }
  }

  private let handle: linux_supervised
  private var control: Int32

  /// Starts a program.
  ///
  /// - Parameters:
  ///   - command: An absolute path, and the arguments.
  ///   - folder: Its working directory.
  ///   - output: The file for its standard output.
  ///   - errors: The file for its standard error.
  /// - Throws: `StartFailure` with the system's error number.
  init(
    _ command: [String], environment: [String: String], in folder: URL, output: URL, errors: URL, limits: Limits
  ) throws(StartFailure) {
    let arguments = command.map { strdup($0) } + [nil]
    let variables = environment.map { strdup("\($0.key)=\($0.value)") } + [nil]
    defer { (arguments + variables).forEach { free($0) } }
    var most = linux_limits(
      address_space: limits.memory, file_size: limits.fileSize, processor_seconds: limits.processorTime,
      processes: Self.processCount + Limits.furtherProcesses)
    var handle = linux_supervised()
    let code = linux_supervise(
      command[0], arguments, variables, folder.path, output.path, errors.path, &most, &handle)
    guard code == 0 else { throw StartFailure(code: code) }
    self.handle = handle
    control = handle.control
  }

  /// A program could not be started.
  struct StartFailure: Error {
    /// As `errno` had it.
    var code: Int32
  }

  /// All processes and threads of the system, which are no fewer than the user's.
  private static var processCount: UInt64 {
    // proc(5): the fourth word of /proc/loadavg is RUNNING/ALL.
    let text = (try? String(contentsOfFile: "/proc/loadavg", encoding: .utf8)) ?? ""
    let words = text.split(separator: " ")
    return words.count > 3 ? words[3].split(separator: "/").last.flatMap { UInt64($0) } ?? 4096 : 4096
  }

  /// How it ended, as `waitpid` has it; `nil` while it, or a descendant of it, is running.
  var status: Int32? {
    var status: Int32 = 0
    let count = read(handle.report, &status, MemoryLayout<Int32>.size)
    if count == MemoryLayout<Int32>.size { return status }
    // Without a report, somebody has killed the supervisor.
    return count < 0 && (errno == EAGAIN || errno == EINTR) ? nil : SIGKILL
  }

  /// Asks it to stop, with `SIGTERM`.
  func terminate() {
    guard control >= 0 else { return }
    var order: UInt8 = 1
    _ = write(control, &order, 1)
  }

  /// Kills it with all of its descendants; `status` tells when they are gone.
  mutating func kill() {
    guard control >= 0 else { return }
    close(control)
    control = -1
  }

  /// Kills what is left of it, and waits for that.
  deinit {
    if control >= 0 { close(control) }
    while waitpid(handle.supervisor, nil, 0) < 0, errno == EINTR {}
    close(handle.report)
  }
}
