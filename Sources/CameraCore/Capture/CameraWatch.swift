// Supervision of a running camera: whether frames that can be used still arrive.

/// The numbers of frames that a camera has sent so far.
public struct FrameTally: Equatable, Sendable {
  /// Frames that were taken into the ring.
  public var kept: Int
  /// Frames that could not be used: cut short, damaged, marked as corrupt by the driver, or repeated.
  public var refused: Int
  /// Of the kept frames, those that were decoded for the viewfinder; 0 while nothing is shown.
  public var decoded: Int
  /// Of the kept frames, those that the viewfinder could not decode.
  public var undecodable: Int

  public init(kept: Int = 0, refused: Int = 0, decoded: Int = 0, undecodable: Int = 0) {
    self.kept = kept
    self.refused = refused
    self.decoded = decoded
    self.undecodable = undecodable
  }
}

/// Compares a camera's counts from one look to the next. Arrivals alone are no life: a camera that sends nothing but
/// damaged frames shows a picture that stands still.
///
///     var watch = CameraWatch(receiver.tally)
///     …                                             // the time that a camera may be silent
///     switch watch.look(at: receiver.tally) { … }
public struct CameraWatch: Sendable {
  /// What has come since the last look.
  public enum Finding: Equatable, Sendable {
    /// Frames that can be used.
    case alive
    /// No frame.
    case silent
    /// Only frames that can't be used.
    case damaged
  }

  /// The frames that can't be decoded, with none that can, from which a camera counts as damaged. The viewfinder may have
  /// been shown for a moment only, in which one bad frame came.
  static let fewest = 5

  private var last: FrameTally

  public init(_ tally: FrameTally = FrameTally()) { last = tally }

  /// Compares the counts with those of the last look.
  public mutating func look(at tally: FrameTally) -> Finding {
    defer { last = tally }
    guard tally.kept > last.kept else { return tally.refused > last.refused ? .damaged : .silent }
    // Nothing is decoded while nothing is shown, and a painter that takes no frames stops the decoding, too.
    return tally.undecodable - last.undecodable >= Self.fewest && tally.decoded <= last.decoded ? .damaged : .alive
  }
}
