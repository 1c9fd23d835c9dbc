// A bar on the terminal for what takes its time.

import Foundation
import PhotoLibrary
import Synchronization

/// Draws on standard error when that is a terminal, and nothing else anywhere.
final class ProgressBar: Sendable {
  private let isShown = isatty(FileHandle.standardError.fileDescriptor) == 1
  private let drawn = Mutex("")

  /// In characters.
  private static let length = 40

  func show(_ progress: LibraryProgress) {
    guard isShown else { return }
    let full = Int(progress.fraction * Double(Self.length))
    let bar = String(repeating: "█", count: full) + String(repeating: "░", count: Self.length - full)
    // As often as a thousandth is done: more is not seen.
    let share = "\(progress.step.rawValue) \(bar) \(Int(progress.fraction * 1000))"
    drawn.withLock { drawn in
      guard drawn != share else { return }
      drawn = share
      let count =
        progress.total == 1 ? "\(Int(progress.fraction * 100)) %" : "\(progress.done) of \(progress.total)"
      write("\r\u{1b}[K\(progress.step.rawValue) \(bar) \(count)")
    }
  }

  /// Takes the bar away.
  func end() {
    guard isShown else { return }
    drawn.withLock { drawn in
      if !drawn.isEmpty { write("\r\u{1b}[K") }
      drawn = ""
    }
  }

  private func write(_ text: String) { FileHandle.standardError.write(Data(text.utf8)) }
}
