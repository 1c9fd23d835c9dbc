// The terminal as a flash: through a pseudo-terminal, as a person's.

import Foundation
import TestSupport
import Testing

@testable import photomectl

@Suite(.timeLimit(.minutes(30))) struct TerminalLightTests {
  /// A command whose standard error is a terminal.
  private final class TerminalChild {
    private let process = Process()
    private let output = Pipe()
    /// The end of the terminal at which a person sits.
    private let screen: Int32
    /// What has been on the screen so far.
    private(set) var shown = ""

    init(_ place: Place, _ arguments: [String]) throws {
      var (screen, terminal) = (Int32(-1), Int32(-1))
      guard openpty(&screen, &terminal, nil, nil, nil) == 0 else {
        throw CommandFailure(output: "no pseudo-terminal: \(String(cString: strerror(errno)))")
      }
      self.screen = screen
      let standardError = FileHandle(fileDescriptor: terminal, closeOnDealloc: true)
      // Other tests' children don't get the ends.
      for end in [screen, terminal] { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
      process.executableURL = Command.products.appendingPathComponent("photomectl")
      process.arguments = arguments + place.library
      process.environment = place.environment
      process.standardInput = FileHandle.nullDevice
      process.standardOutput = output
      process.standardError = standardError
      try ChildProcess.withoutBlockedSignals { try process.runAlone() }
      // The screen ends with the child only if nobody else has the terminal open.
      try standardError.close()
    }

    deinit {
      if process.isRunning { process.terminate() }
      close(screen)
    }

    /// Reads the screen until a text is on it, or the child has ended.
    func read(until text: String? = nil) {
      var piece = [UInt8](repeating: 0, count: 4096)
      while text.map({ !shown.contains($0) }) ?? true {
        let count = Glibc.read(screen, &piece, piece.count)
        if count < 0, errno == EINTR { continue }
        // The end is an error: the terminal is closed.
        guard count > 0 else { return }
        shown += String(decoding: piece[..<count], as: UTF8.self)
      }
    }

    /// Waits until the child has been stopped, and reads what is on the screen by then.
    ///
    /// - Returns: Whether it was stopped.
    func readUntilStop() -> Bool {
      var change = siginfo_t()
      while waitid(P_PID, id_t(process.processIdentifier), &change, WSTOPPED) != 0 {
        guard errno == EINTR else { return false }
      }
      var piece = [UInt8](repeating: 0, count: 4096)
      var end = pollfd(fd: screen, events: Int16(POLLIN), revents: 0)
      while poll(&end, 1, 0) == 1 {
        let count = Glibc.read(screen, &piece, piece.count)
        guard count > 0 else { break }
        shown += String(decoding: piece[..<count], as: UTF8.self)
      }
      return true
    }

    func send(_ signal: Int32) { kill(process.processIdentifier, signal) }

    /// Reads everything to the end.
    func end() throws -> (status: Int32, output: String) {
      read()
      process.waitUntilExit()
      let text = try output.fileHandleForReading.readToEnd() ?? Data()
      return (process.terminationStatus, String(decoding: text, as: UTF8.self))
    }
  }

  private struct Shot: Decodable { var path: String }

  @Test func theTerminalIsWhiteForThePhotoAndThenAsBefore() throws {
    let place = try Place()
    let child = try TerminalChild(place, ["capture", "--camera", "test", "--flash", "--json"])
    let (status, output) = try child.end()
    #expect(status == 0, "\(child.shown)")
    let shot = try JSONDecoder().decode(Shot.self, from: Data(output.utf8))
    #expect(FileManager.default.fileExists(atPath: shot.path))
    #expect(child.shown == TerminalLight.lit + TerminalLight.dark)
  }

  @Test func photosAtOnceGetTheLightEach() throws {
    let place = try Place()
    let child = try TerminalChild(place, ["capture", "--camera", "test", "--flash", "--count", "3"])
    let (status, output) = try child.end()
    #expect(status == 0 && output.split(separator: "\n").count == 3, "\(child.shown)")
    #expect(child.shown.hasPrefix(TerminalLight.lit) && child.shown.hasSuffix(TerminalLight.dark))
  }

  @Test(arguments: [SIGINT, SIGTERM]) func aSignalRestoresTheTerminal(signal: Int32) throws {
    let place = try Place()
    let child = try TerminalChild(
      place, ["capture", "--camera", "test", "--flash", "--count", "2", "--interval", "3600"])
    child.read(until: TerminalLight.lit)
    child.send(signal)
    let (status, _) = try child.end()
    #expect(status == 128 + signal, "\(child.shown)")
    let parts = child.shown.components(separatedBy: TerminalLight.dark)
    #expect(parts.count == 2 && parts[0] == TerminalLight.lit, "\(child.shown)")
    #expect(parts.last?.contains("Interrupted. ") == true, "said when it can be read")
  }

  @Test func aStopGivesTheTerminalBack() throws {
    let place = try Place()
    let child = try TerminalChild(
      place, ["capture", "--camera", "test", "--flash", "--count", "2", "--interval", "3600"])
    child.read(until: TerminalLight.lit)
    child.send(SIGTSTP)
    #expect(child.readUntilStop())
    #expect(child.shown == TerminalLight.lit + TerminalLight.dark, "dark before the stop")
    child.send(SIGCONT)
    child.send(SIGINT)
    let (status, _) = try child.end()
    #expect(status == 128 + SIGINT, "\(child.shown)")
    // Lit again in the foreground, unless the photo had been taken.
    func count(_ text: String) -> Int { child.shown.components(separatedBy: text).count - 1 }
    #expect(count(TerminalLight.lit) == count(TerminalLight.dark), "\(child.shown)")
    let last = try #require(child.shown.components(separatedBy: TerminalLight.dark).last)
    #expect(last.contains("Interrupted. "), "said when it can be read")
  }

  @Test func quittingRestoresTheTerminal() throws {
    let place = try Place()
    let child = try TerminalChild(
      place, ["capture", "--camera", "test", "--flash", "--count", "2", "--interval", "3600"])
    child.read(until: TerminalLight.lit)
    child.send(SIGQUIT)
    let (status, _) = try child.end()
    #expect(status == SIGQUIT, "it still dies of the signal")
    #expect(child.shown == TerminalLight.lit + TerminalLight.dark)
  }

  @Test func withoutATerminalNothingIsTaken() throws {
    let place = try Place()
    let result = try place.result(["capture", "--camera", "test", "--flash"] + place.library)
    #expect(result.status == 1 && result.output.isEmpty)
    #expect(
      result.errors.hasPrefix("photomectl: --flash lights the terminal, but standard error isn’t one."), "\(result)")
    #expect(!FileManager.default.fileExists(atPath: place.folder.path + "/Library"))
    let burst = try place.result(["capture", "--camera", "test", "--flash", "--burst", "3"] + place.library)
    #expect(burst.status == 64 && burst.errors.contains("--burst can’t be used with --flash."))
  }
}
