// A command's run from start to end, with its time.

import Foundation

/// One run of a command.
struct CommandRun {
  /// Wall time in seconds.
  let seconds: Double
  /// Processor time in seconds, of all threads and children.
  let processor: Double
  /// The last line of its output.
  let lastLine: String

  /// - Throws: `BenchError` when it can't be started, fails, or takes longer than `limit` seconds.
  init(_ command: [String], in folder: URL, limit: Double = 600) throws {
    let log = folder.appendingPathComponent("command-\(UUID().uuidString).log")
    defer { try? FileManager.default.removeItem(at: log) }
    let before = Self.childrenTime
    let began = ContinuousClock.now
    let child = try ChildProcess(command, environment: ProcessInfo.processInfo.environment, log: log)
    defer { child.end() }
    guard waitUntil(seconds: limit, interval: 0.002, { !child.isRunning }) else {
      throw BenchError("\(command[0]) hangs.")
    }
    seconds = began.milliseconds / 1000
    processor = Self.childrenTime - before
    lastLine = child.lastWords.split(separator: "\n").last.map(String.init) ?? ""
    guard child.exitStatus == 0 else { throw BenchError("\(command.joined(separator: " ")): \(lastLine)") }
  }

  /// Processor time of all children that have ended.
  private static var childrenTime: Double {
    var usage = rusage()
    getrusage(__rusage_who_t(RUSAGE_CHILDREN.rawValue), &usage)
    func seconds(_ time: timeval) -> Double { Double(time.tv_sec) + Double(time.tv_usec) / 1e6 }
    return seconds(usage.ru_utime) + seconds(usage.ru_stime)
  }
}
