// Parallel work on the rows of a picture.

import Dispatch

/// Bands of rows that are worked on in parallel. The result must not depend on their number, which follows the machine.
public enum RowBands {
  /// Below this many pixels a band, starting a thread costs more than it saves.
  private static let smallestBand = 1 << 16

  /// Calls `body` with bands of rows that together are `0..<rows`, in parallel on up to `threads` threads.
  ///
  /// - Parameter body: Gets its rows and the number of its band, below `threads`. It writes nothing that another band
  ///   reads.
  public static func run(rows: Int, threads: Int, _ body: (_ rows: Range<Int>, _ band: Int) -> Void) {
    let bands = min(threads, rows)
    guard bands > 1 else { return body(0..<rows, 0) }
    withoutActuallyEscaping(body) { body in
      // The threads share nothing that one of them writes, and have all ended when concurrentPerform returns.
      nonisolated(unsafe) let work = body
      DispatchQueue.concurrentPerform(iterations: bands) { band in
        work(rows * band / bands..<rows * (band + 1) / bands, band)
      }
    }
  }

  /// The same for light work, with fewer bands for a small picture.
  public static func run(rows: Int, width: Int, threads: Int, _ body: (_ rows: Range<Int>) -> Void) {
    run(rows: rows, threads: max(1, min(threads, rows * width / smallestBand))) { rows, _ in body(rows) }
  }
}
