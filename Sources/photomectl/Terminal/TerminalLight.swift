// The terminal as a flash: white for a photo, and as it was afterwards.

import Foundation
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
      "--flash lights the terminal, and standard error isn’t one. Run photomectl in a terminal, or leave --flash out.")
  }

  /// Lights the terminal, or makes it what it was before. Does nothing where it is so already.
  static func set(_ isLit: Bool) {
    held.withLock { held in
      guard isLit != (held != nil) else { return }
      write(Data((isLit ? lit : dark).utf8), to: STDERR_FILENO)
      held?.forEach { write($0.text, to: $0.file) }
      held = isLit ? [] : nil
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

  private static func write(_ text: Data, to file: Int32) {
    (file == STDOUT_FILENO ? FileHandle.standardOutput : .standardError).write(text)
  }
}
