// A child process that is certain to end.

import Foundation
import Synchronization

/// A running program in a process group of its own, whose output goes to a log file.
final class ChildProcess {
  /// Every group that is still to be ended, for the signal handlers.
  private static let running = Mutex<Set<pid_t>>([])

  let command: [String]
  let pid: pid_t
  let log: URL
  /// As `waitpid` gave it, once the program has ended.
  private var status: Int32?

  /// Starts a program that is found through PATH.
  ///
  /// - Parameter output: The file that takes its standard output instead of the log.
  /// - Throws: `BenchError` when it can't be started.
  init(_ command: [String], environment: [String: String], log: URL, output: Int32? = nil) throws {
    self.command = command
    self.log = log
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0)
    posix_spawn_file_actions_addopen(&actions, 1, log.path, O_WRONLY | O_CREAT | O_APPEND, 0o644)
    posix_spawn_file_actions_adddup2(&actions, 1, 2)
    if let output { posix_spawn_file_actions_adddup2(&actions, output, 1) }
    var attributes = posix_spawnattr_t()
    posix_spawnattr_init(&attributes)
    posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGDEF))
    // This process ignores interrupting signals, to end in order; its children must not.
    var interrupts = sigset_t()
    sigemptyset(&interrupts)
    sigaddset(&interrupts, SIGINT)
    sigaddset(&interrupts, SIGTERM)
    posix_spawnattr_setsigdefault(&attributes, &interrupts)
    posix_spawnattr_setpgroup(&attributes, 0)
    defer {
      posix_spawn_file_actions_destroy(&actions)
      posix_spawnattr_destroy(&attributes)
    }
    var arguments = command.map { strdup($0) } + [nil]
    var variables = environment.map { strdup("\($0)=\($1)") } + [nil]
    defer { (arguments + variables).forEach { free($0) } }
    var pid: pid_t = 0
    let error = posix_spawnp(&pid, command[0], &actions, &attributes, &arguments, &variables)
    guard error == 0 else {
      throw BenchError("\(command[0]) could not be started: \(String(cString: strerror(error))).")
    }
    self.pid = pid
    Self.running.withLock { _ = $0.insert(pid) }
  }

  deinit { end() }

  var isRunning: Bool {
    if status != nil { return false }
    var status: Int32 = 0
    guard waitpid(pid, &status, WNOHANG) != 0 else { return true }
    self.status = status
    return false
  }

  /// The exit status; `nil` while it runs, and after a signal.
  var exitStatus: Int32? {
    guard !isRunning, let status, status & 0x7f == 0 else { return nil }
    return status >> 8 & 0xff
  }

  /// Kills the program and all that it started, as a power cut would, and returns when it is gone.
  func kill() {
    let mine = Self.running.withLock { $0.remove(pid) != nil }
    guard mine else { return }
    Glibc.kill(-pid, SIGKILL)
    _ = waitUntil(seconds: 10, interval: 0.001) { !self.isRunning }
  }

  /// Ends the program and all that it started: with SIGTERM, and after two seconds with SIGKILL.
  func end() {
    let mine = Self.running.withLock { $0.remove(pid) != nil }
    guard mine else { return }
    Glibc.kill(-pid, SIGTERM)
    _ = waitUntil(seconds: 2) { !self.isRunning }
    Glibc.kill(-pid, SIGKILL)
    _ = waitUntil(seconds: 2) { !self.isRunning }
  }

  /// The last lines that the program printed.
  var lastWords: String {
    let text = (try? String(contentsOf: log, encoding: .utf8)) ?? ""
    return text.split(separator: "\n").suffix(5).joined(separator: "\n")
  }

  /// Ends everything that runs at once, for the end of the process: there is no time for SIGTERM then.
  static func endAll() {
    let groups = running.withLock { groups in
      defer { groups = [] }
      return groups
    }
    for group in groups { Glibc.kill(-group, SIGKILL) }
  }

  /// Whether a program is installed.
  static func exists(_ name: String) -> Bool {
    if name.contains("/") { return access(name, X_OK) == 0 }
    let path = ProcessInfo.processInfo.environment["PATH"] ?? "/usr/bin:/bin"
    return path.split(separator: ":").contains { access("\($0)/\(name)", X_OK) == 0 }
  }

  /// Runs a program to its end and returns what it printed; `nil` when it failed.
  static func output(of command: [String], environment: [String: String], folder: URL) -> String? {
    let log = folder.appendingPathComponent("output-\(UUID().uuidString)")
    defer { try? FileManager.default.removeItem(at: log) }
    guard let child = try? ChildProcess(command, environment: environment, log: log) else { return nil }
    let hasEnded = waitUntil(seconds: 20) { !child.isRunning }
    guard hasEnded, child.status == 0 else { return nil }
    return try? String(contentsOf: log, encoding: .utf8)
  }
}

/// Asks again and again, `interval` seconds apart, until `condition` holds. Returns whether it came to hold in time.
func waitUntil(seconds: Double, interval: Double = 0.01, _ condition: () -> Bool) -> Bool {
  let end = ContinuousClock.now + .seconds(seconds)
  while !condition() {
    if ContinuousClock.now > end { return false }
    usleep(UInt32(interval * 1e6))
  }
  return true
}

/// Lets time pass, for a program to become idle, or for a measurement.
func pass(seconds: Double) { usleep(UInt32(seconds * 1e6)) }

/// The error of a measurement: what could not be done, and what can be.
struct BenchError: Error, CustomStringConvertible, LocalizedError {
  var description: String
  var errorDescription: String? { description }

  init(_ description: String) { self.description = description }
}
