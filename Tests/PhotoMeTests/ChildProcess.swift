// A program that a test starts: what it prints as it comes, and its certain end.

import Foundation

/// A running child. It is ended when this object goes away, at the latest.
final class ChildProcess: @unchecked Sendable {
  // Sendable: `Process` is only started, signalled and waited for; the streams hand values over.
  private let process = Process()
  private let ended: AsyncStream<Int32>

  /// The lines of standard output; for one reader.
  let lines: AsyncStream<String>
  /// What was printed on standard error, complete once the child has ended.
  private let errors: URL

  /// Starts `program`, which is looked up in `PATH` unless it is a path.
  init(_ program: String, _ arguments: [String], environment: [String: String], in folder: URL) throws {
    errors = folder.appendingPathComponent("errors-\(UUID().uuidString)")
    try Data().write(to: errors)
    let output = Pipe()
    process.executableURL = URL(fileURLWithPath: program.hasPrefix("/") ? program : "/usr/bin/env")
    process.arguments = program.hasPrefix("/") ? arguments : [program] + arguments
    process.environment = environment
    process.standardInput = FileHandle.nullDevice
    process.standardOutput = output
    process.standardError = try FileHandle(forWritingTo: errors)
    let (lines, lineSink) = AsyncStream.makeStream(of: String.self)
    let (ended, endSink) = AsyncStream.makeStream(of: Int32.self)
    self.lines = lines
    self.ended = ended
    process.terminationHandler = {
      endSink.yield($0.terminationStatus)
      endSink.finish()
    }
    try process.run()
    let reader = output.fileHandleForReading
    // A thread of its own: reading a pipe blocks, and the pool's threads are few.
    Thread.detachNewThread {
      var rest = Data()
      while case let piece = reader.availableData, !piece.isEmpty {
        rest += piece
        while let end = rest.firstIndex(of: 0x0A) {
          lineSink.yield(String(decoding: rest[rest.startIndex..<end], as: UTF8.self))
          rest = Data(rest[(end + 1)...])
        }
      }
      lineSink.finish()
    }
  }

  deinit { if process.isRunning { process.terminate() } }

  var isRunning: Bool { process.isRunning }

  /// Sends `SIGTERM`.
  func terminate() { process.terminate() }

  /// Waits for the end. To be called once.
  func exitStatus() async -> Int32 {
    for await status in ended { return status }
    return process.terminationStatus
  }

  /// What was printed on standard error so far.
  var errorText: String { (try? String(contentsOf: errors, encoding: .utf8)) ?? "" }
}
