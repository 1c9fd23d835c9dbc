// Shares the rows of a picture among the threads that an effect may use.

import Dispatch

/// Runs of rows that can be worked on side by side.
enum RowRanges {
  /// Below this many pixels a band, starting a thread costs more than it saves.
  private static let smallestBand = 1 << 16

  /// Calls `body` with ranges that together are `0..<rows`, at the same time on up to `threads` threads, and waits for all.
  ///
  /// What `body` does must not depend on how the rows are divided: the division follows the machine.
  static func forEach(rows: Int, width: Int, threads: Int, _ body: (Range<Int>) -> Void) {
    let bands = max(1, min(threads, rows, rows * width / smallestBand))
    guard bands > 1 else { return body(0..<rows) }
    // Proof: the calls end before this one does, and each works on rows of its own.
    nonisolated(unsafe) let body = body
    DispatchQueue.concurrentPerform(iterations: bands) { band in
      body(rows * band / bands..<rows * (band + 1) / bands)
    }
  }
}
