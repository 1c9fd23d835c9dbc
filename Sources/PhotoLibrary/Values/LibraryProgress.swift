// The progress of long work on a library: imports, exports, checks.

/// The progress of an operation that takes long.
public struct LibraryProgress: Sendable, Hashable {
  /// The stage of an operation.
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
  /// Never decreases within a step.
  public var done: Int
  /// Mostly files; 0 while the number isn't known.
  public var total: Int
  /// The completed part of the current file, from 0 to 1, where that is known.
  public var part: Double

  public init(step: Step, done: Int, total: Int, part: Double = 0) {
    (self.step, self.done, self.total, self.part) = (step, done, total, part)
  }

  /// From 0 to 1.
  public var fraction: Double { total > 0 ? min(1, (Double(done) + part) / Double(total)) : 0 }
}
