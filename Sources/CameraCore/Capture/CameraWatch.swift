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

/// Compares a camera's counts with those of some looks before. Arrivals alone are no life: a camera that sends nothing but
/// damaged frames shows a picture that stands still.
///
///     var watch = CameraWatch(receiver.tally)
///     …                                             // a quarter of the time that a camera may be silent
///     switch watch.look(at: receiver.tally) { … }
///
/// So a standstill is noticed after at most five quarters of that time.
public struct CameraWatch: Sendable {
  /// What has come in the time of the last looks.
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

  /// The number of looks in the time that a camera may be silent.
  public static let looks = 4

  /// The counts of the last looks, the oldest first.
  private var tallies: [FrameTally]

  public init(_ tally: FrameTally = FrameTally()) { tallies = [tally] }

  /// Compares the counts with those of as many looks before; a camera is alive until there were so many.
  public mutating func look(at tally: FrameTally) -> Finding {
    tallies.append(tally)
    guard tallies.count > Self.looks else { return .alive }
    let last = tallies.removeFirst()
    guard tally.kept > last.kept else { return tally.refused > last.refused ? .damaged : .silent }
    // Nothing is decoded while nothing is shown, and a painter that takes no frames stops the decoding, too.
    return tally.undecodable - last.undecodable >= Self.fewest && tally.decoded <= last.decoded ? .damaged : .alive
  }
}
