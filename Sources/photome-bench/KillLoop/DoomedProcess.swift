// A child process that is killed at a random instant, and its output until then.

import Foundation

/// The instant at which a process is killed.
enum Doom {
  /// This many seconds after its start.
  case time(Double)
  /// After this many lines of output.
  case lines(Int)
}

/// Runs processes to their violent ends.
final class DoomedProcess {
  let name: String
  private let process: ChildProcess
  private let doom: Doom
  private let mayEnd: Bool
  private let began = ContinuousClock.now
  /// The reading end; -1 once everything has been read.
  private var descriptor: Int32
  private var said = Data()

  /// - Parameter mayEnd: Whether it may end by itself before it is killed.
  init(
    _ name: String, _ command: [String], environment: [String: String], log: URL, doom: Doom, mayEnd: Bool = false
  ) throws {
    var ends: [Int32] = [-1, -1]
    guard pipe(&ends) == 0 else { throw BenchError("There is no pipe: \(String(cString: strerror(errno)))") }
    for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
    defer { close(ends[1]) }
    self.name = name
    self.doom = doom
    self.mayEnd = mayEnd
    descriptor = ends[0]
    process = try ChildProcess(command, environment: environment, log: log, output: ends[1])
  }

  deinit { if descriptor >= 0 { close(descriptor) } }

  /// Whole lines; a kill may have come within the last.
  var lines: [Data] {
    let parts = said.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
    return parts.dropLast().map { Data($0) }
  }

  /// The status with which it ended by itself; `nil` when it was killed.
  var exitStatus: Int32? { process.exitStatus }

  /// Its standard error.
  var lastWords: String { process.lastWords }

  /// Listens to all until they are killed and everything is read.
  ///
  /// - Throws: `BenchError` when one ends by itself.
  static func run(_ all: [DoomedProcess]) throws {
    while true {
      let living = all.filter { $0.descriptor >= 0 }
      if living.isEmpty { return }
      var polled = living.map { pollfd(fd: $0.descriptor, events: Int16(POLLIN), revents: 0) }
      let wait = living.map(\.millisecondsLeft).min() ?? 0
      _ = poll(&polled, nfds_t(polled.count), wait)
      for (one, state) in zip(living, polled) where state.revents != 0 { try one.read() }
      for one in living where one.isDue { one.process.kill() }
    }
  }

  private var millisecondsLeft: Int32 {
    switch doom {
    case .time(let seconds): process.isRunning ? Int32(max(0, seconds * 1000 - began.milliseconds)) : -1
    case .lines: -1
    }
  }

  private var isDue: Bool {
    switch doom {
    case .time(let seconds): began.milliseconds >= seconds * 1000
    case .lines(let count): said.count { $0 == UInt8(ascii: "\n") } >= count
    }
  }

  private func read() throws {
    var buffer = [UInt8](repeating: 0, count: 64 << 10)
    let count = Glibc.read(descriptor, &buffer, buffer.count)
    if count > 0 {
      said.append(contentsOf: buffer[..<count])
    } else if count == 0 {
      close(descriptor)
      descriptor = -1
      // Those that are killed are waited for.
      if mayEnd { _ = waitUntil(seconds: 10, interval: 0.001) { !process.isRunning } }
      guard isDue || mayEnd else { throw BenchError("\(name) ended before it was killed: \(process.lastWords)") }
    }
  }
}
