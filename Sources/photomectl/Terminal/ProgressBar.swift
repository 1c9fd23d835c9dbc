// A progress bar on the terminal.

import Foundation
import Localization
import PhotoLibrary
import Synchronization

/// Draws on standard error if that is a terminal.
final class ProgressBar: Sendable {
  private let isShown = isatty(FileHandle.standardError.fileDescriptor) == 1
  private let drawn = Mutex("")

  /// In characters.
  private static let length = 40

  func show(_ progress: LibraryProgress) {
    show(Self.title(of: progress.step), progress.fraction, localized("\(progress.done) of \(progress.total)"))
  }

  func show(_ step: LibraryProgress.Step, _ fraction: Double) { show(Self.title(of: step), fraction) }

  /// - Parameters:
  ///   - work: The current step.
  ///   - fraction: 0…1.
  ///   - count: The progress in words; `nil` for percent.
  func show(_ work: String, _ fraction: Double, _ count: String? = nil) {
    guard isShown else { return }
    let fraction = min(1, max(0, fraction))
    let full = Int(fraction * Double(Self.length))
    let bar = String(repeating: "█", count: full) + String(repeating: "░", count: Self.length - full)
    // At most once per thousandth.
    let share = "\(work) \(bar) \(Int(fraction * 1000))"
    drawn.withLock { drawn in
      guard drawn != share else { return }
      drawn = share
      write("\r\u{1b}[K\(work) \(bar) \(count ?? "\(Int(fraction * 100)) %")")
    }
  }

  private static func title(of step: LibraryProgress.Step) -> String {
    switch step {
    case .looking: localized("looking", context: "progress bar", comment: "For files to import")
    case .importing: localized("importing", context: "progress bar")
    case .exporting: localized("exporting", context: "progress bar")
    case .checking: localized("checking", context: "progress bar", comment: "Whether files are as they were")
    case .reading: localized("reading", context: "progress bar", comment: "Files into a new index")
    }
  }

  /// Removes the bar.
  func end() {
    guard isShown else { return }
    drawn.withLock { drawn in
      if !drawn.isEmpty { write("\r\u{1b}[K") }
      drawn = ""
    }
  }

  private func write(_ text: String) { FileHandle.standardError.write(Data(text.utf8)) }
}
