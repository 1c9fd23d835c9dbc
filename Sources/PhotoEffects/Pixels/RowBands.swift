// Shares the rows of a picture among threads.

import Dispatch

enum RowBands {
  /// Calls `body` with bands of rows that together are `0..<rows`, side by side when more than one thread may be used.
  ///
  /// - Parameter body: Gets its rows and the number of its band, below `threads`. It writes nothing that another band
  ///   reads, so that the result does not depend on how many threads there are.
  static func run(rows: Int, threads: Int, _ body: (_ rows: Range<Int>, _ band: Int) -> Void) {
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
}
