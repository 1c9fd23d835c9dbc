// A test's child process: its output as it arrives, and its certain end.

import Foundation
import Glibc

/// A running child, ended at the latest when this object is deinitialized.
public final class ChildProcess: @unchecked Sendable {
  // Sendable: `Process` is only started, signaled and waited for; the streams hand values over.
  private let process = Process()
  private let ended: AsyncStream<Int32>

  /// The lines of standard output; for one reader.
  public let lines: AsyncStream<String>
  /// The file of standard error, complete once the child has ended.
  private let errors: URL

  /// Starts `program`, which is looked up in `PATH` unless it is a path.
  public init(_ program: String, _ arguments: [String], environment: [String: String], in folder: URL) throws {
    errors = folder.appendingPathComponent("errors-\(UUID().uuidString)")
    try Data().write(to: errors)
    let output = Pipe()
    process.executableURL = URL(fileURLWithPath: program.hasPrefix("/") ? program : "/usr/bin/env")
    process.arguments = program.hasPrefix("/") ? arguments : [program] + arguments
    process.environment = environment
    process.standardInput = FileHandle.nullDevice
    process.standardOutput = output
    let errorSink = try FileHandle(forWritingTo: errors)
    process.standardError = errorSink
    let (lines, lineSink) = AsyncStream.makeStream(of: String.self)
    let (ended, endSink) = AsyncStream.makeStream(of: Int32.self)
    self.lines = lines
    self.ended = ended
    process.terminationHandler = {
      endSink.yield($0.terminationStatus)
      endSink.finish()
    }
    try Self.withoutBlockedSignals { try process.runAlone() }
    // The child has its own. `Process` keeps ours open for good, and a run of all tests has thousands of children.
    try errorSink.close()
    let reader = output.fileHandleForReading
    // A thread of its own: reading a pipe blocks, and the pool's threads are few. Not `availableData`: it ends the process
    // when a signal interrupts the read.
    Thread.detachNewThread {
      var rest: [UInt8] = []
      var piece = [UInt8](repeating: 0, count: 4096)
      while true {
        let count = read(reader.fileDescriptor, &piece, piece.count)
        if count < 0, errno == EINTR { continue }
        guard count > 0 else { break }
        rest += piece[..<count]
        while let end = rest.firstIndex(of: 0x0A) {
          lineSink.yield(String(decoding: rest[..<end], as: UTF8.self))
          rest.removeSubrange(...end)
        }
      }
      // Nothing could be done about a failure, and nobody needs the pipe any more.
      try? reader.close()
      lineSink.finish()
    }
  }

  /// A child inherits the signals that its maker's thread blocks, and the threads of the pool block them all: such a
  /// child could not be ended.
  public static func withoutBlockedSignals(_ body: () throws -> Void) rethrows {
    var none = sigset_t()
    var before = sigset_t()
    sigemptyset(&none)
    pthread_sigmask(SIG_SETMASK, &none, &before)
    defer { pthread_sigmask(SIG_SETMASK, &before, nil) }
    try body()
  }

  deinit { if process.isRunning { process.terminate() } }

  public var isRunning: Bool { process.isRunning }

  /// Sends `SIGTERM`.
  public func terminate() { process.terminate() }

  /// Sends `SIGINT`, as a terminal does.
  public func interrupt() { process.interrupt() }

  /// SIGKILL, as a power failure: the process has no say.
  public func kill() { _ = Glibc.kill(process.processIdentifier, SIGKILL) }

  /// Waits for the end. To be called once.
  ///
  /// - Throws: `CancellationError` when the task is canceled first, as by a test's time limit. The child goes on then.
  public func exitStatus() async throws -> Int32 {
    for await status in ended { return status }
    // A child that runs has no status, and Foundation traps when it is asked for one.
    throw CancellationError()
  }

  /// Standard error so far.
  public var errorText: String { (try? String(contentsOf: errors, encoding: .utf8)) ?? "" }
}
