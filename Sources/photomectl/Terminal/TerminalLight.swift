// The terminal as a flash: white for a photo, and as it was afterwards.

import Dispatch
import Foundation
import Localization
import Synchronization

/// Lights up the terminal of standard error.
///
/// The white is on the alternate screen, so that what was on the terminal is there again afterwards. Lines for the
/// terminal that come meanwhile would go with the white: they are printed when it is dark again.
enum TerminalLight {
  /// The alternate screen, no cursor, and everything erased in white.
  static let lit = "\u{1b}[?1049h\u{1b}[?25l\u{1b}[48;2;255;255;255m\u{1b}[2J"
  /// Colors, cursor and screen as before.
  static let dark = "\u{1b}[0m\u{1b}[?25h\u{1b}[?1049l"

  /// What waits to be printed; `nil` while the terminal isn't lit.
  private static let held = Mutex<[(file: Int32, text: Data)]?>(nil)

  /// - Throws: A `CommandError` when there is no terminal that could be lit.
  static func check() throws {
    guard isatty(STDERR_FILENO) == 0 else { return }
    throw CommandError(
      localized(
        """
        --flash lights the terminal, but standard error isn’t one. Run photomectl in a terminal, or leave --flash out.
        """))
  }

  /// Lights the terminal, or makes it what it was before. Does nothing where it is so already.
  static func set(_ isLit: Bool) {
    held.withLock { held in
      guard isLit != (held != nil) else { return }
      guard isLit else { return darken(&held) }
      write(Data(lit.utf8), to: STDERR_FILENO)
      held = []
    }
  }

  /// Prints a text, on a terminal that is lit once it no longer is.
  ///
  /// - Parameter file: `STDOUT_FILENO` or `STDERR_FILENO`.
  static func print(_ text: Data, to file: Int32) {
    let isHeld = held.withLock { held in
      guard held != nil, isatty(file) != 0 else { return false }
      held?.append((file, text))
      return true
    }
    // Not under the lock: a full pipe must not keep a signal from ending the program.
    if !isHeld { write(text, to: file) }
  }

  // MARK: Signals

  /// Gives the terminal back before Ctrl-Z stops the program or Ctrl-\ ends it, until the result is released. A program that
  /// goes on in the foreground lights it again.
  static func yieldsToSignals() -> SignalSources {
    SignalSources(
      [SIGTSTP, SIGQUIT].map { number in
        signal(number, SIG_IGN)
        let source = DispatchSource.makeSignalSource(signal: number, queue: .global(qos: .userInitiated))
        source.setEventHandler { number == SIGQUIT ? quit() : stop() }
        source.resume()
        return (number, source)
      })
  }

  /// Stops the program. The lock is kept meanwhile: nothing else is printed before the light is on again.
  private static func stop() {
    held.withLock { held in
      let lines = held
      if lines != nil { darken(&held) }
      // Not `kill`: this thread itself doesn't get any further.
      raise(SIGSTOP)
      guard lines != nil, isInForeground else { return }
      write(Data(lit.utf8), to: STDERR_FILENO)
      held = []
    }
  }

  /// Ends the program as it would have ended without this handler, for example with a dump of its memory.
  private static func quit() {
    held.withLock { held in
      if held != nil { darken(&held) }
      signal(SIGQUIT, SIG_DFL)
      // The threads of queues block signals.
      var quit = sigset_t()
      sigemptyset(&quit)
      sigaddset(&quit, SIGQUIT)
      pthread_sigmask(SIG_UNBLOCK, &quit, nil)
      raise(SIGQUIT)
    }
  }

  /// Whether the terminal isn't another job's. Without job control there is none.
  private static var isInForeground: Bool {
    let group = tcgetpgrp(STDERR_FILENO)
    return group == -1 || group == getpgrp()
  }

  /// Makes a lit terminal what it was before, and prints what waits.
  private static func darken(_ held: inout [(file: Int32, text: Data)]?) {
    write(Data(dark.utf8), to: STDERR_FILENO)
    held?.forEach { write($0.text, to: $0.file) }
    held = nil
  }

  private static func write(_ text: Data, to file: Int32) {
    (file == STDOUT_FILENO ? FileHandle.standardOutput : .standardError).write(text)
  }
}

/// Handles signals for as long as it is there; then they do again what they do by default.
final class SignalSources {
  private let sources: [(number: Int32, source: any DispatchSourceSignal)]

  init(_ sources: [(number: Int32, source: any DispatchSourceSignal)]) { self.sources = sources }

  deinit {
    for (number, source) in sources {
      source.cancel()
      signal(number, SIG_DFL)
    }
  }
}
