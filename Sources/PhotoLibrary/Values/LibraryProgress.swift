// The progress of long work on a library: imports, exports, checks.

/// How far something long is.
public struct LibraryProgress: Sendable, Hashable {
  public enum Step: String, Sendable, Hashable {
    /// Looking for files that can be imported.
    case looking
    /// Importing them.
    case importing
    /// Copying them to another place.
    case exporting
    /// Checking assets and records.
    case checking
    /// Reading assets and records into a new index.
    case reading
  }

  public var step: Step
  /// Never less than before in the same step.
  public var done: Int
  /// Files, mostly; 0 while nothing is known.
  public var total: Int
  /// What is done of the file under way, from 0 to 1, where that is known.
  public var part: Double

  public init(step: Step, done: Int, total: Int, part: Double = 0) {
    (self.step, self.done, self.total, self.part) = (step, done, total, part)
  }

  /// From 0 to 1.
  public var fraction: Double { total > 0 ? min(1, (Double(done) + part) / Double(total)) : 0 }
}
