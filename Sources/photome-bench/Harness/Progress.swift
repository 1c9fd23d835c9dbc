// Progress messages of long work.

import Foundation

/// One line on a terminal that is written over again and again; nothing elsewhere.
enum Progress {
  static func show(_ text: String) {
    guard isatty(2) == 1 else { return }
    FileHandle.standardError.write(Data("\r\u{1b}[K\(text)".utf8))
  }

  /// Takes the line away.
  static func end() {
    guard isatty(2) == 1 else { return }
    FileHandle.standardError.write(Data("\r\u{1b}[K".utf8))
  }
}
