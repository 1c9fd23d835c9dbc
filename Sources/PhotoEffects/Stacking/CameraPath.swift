// The path of a camera that shakes, and a calm one near it.

/// Follows a camera from frame to frame, and tells by how much each frame is off a calm path.
///
///     var path = CameraPath(lookAhead: 15)
///     for motion in motions { if let offset = path.add(motion) { … } }     // of the frame 15 frames before
///     for offset in path.finish() { … }                                    // of the last 15
///
/// The calm path is the mean of the positions around a frame, weighted by a triangle: what shakes several times a second
/// goes, and a slow pan stays. Near a cut and at both ends the triangle is narrower, so that it is symmetric always: a
/// steady pan is left alone there as well.
///
/// - Complexity: Each frame takes O(`lookAhead`).
public struct CameraPath: Sendable {
  private struct Position {
    var x: Double
    var y: Double
    /// Grows with each cut.
    var shot: Int
  }

  /// The frames after one that have to be known before its offset is.
  public let lookAhead: Int
  private var positions: [Position] = []
  /// The place in `positions` of the first frame whose offset isn't known.
  private var next = 0

  /// - Parameter lookAhead: At least 1.
  public init(lookAhead: Int) { self.lookAhead = max(1, lookAhead) }

  /// Adds a frame.
  ///
  /// - Parameter motion: The shift of its picture against the frame before; `nil` after a cut, and for the first.
  /// - Returns: The offset of the frame that came `lookAhead` frames before; `nil` at the beginning. Its picture is calm when
  ///   it is looked at from that offset on.
  public mutating func add(_ motion: PixelShift?) -> PixelShift? {
    if let last = positions.last, let motion {
      positions.append(Position(x: last.x + Double(motion.x), y: last.y + Double(motion.y), shot: last.shot))
    } else {
      positions.append(Position(x: 0, y: 0, shot: (positions.last?.shot ?? 0) + 1))
    }
    guard positions.count - next > lookAhead else { return nil }
    return takeOffset()
  }

  /// The offset of the oldest frame that waits, by what is known now; `nil` when none does.
  public mutating func takeNext() -> PixelShift? { next < positions.count ? takeOffset() : nil }

  /// The offsets of the frames that are left. The next frame has no motion: it is added as after a cut.
  public mutating func finish() -> [PixelShift] {
    var offsets: [PixelShift] = []
    while let offset = takeNext() { offsets.append(offset) }
    return offsets
  }

  private mutating func takeOffset() -> PixelShift {
    let own = positions[next]
    var radius = 0
    while radius < lookAhead, next - radius > 0, next + radius + 1 < positions.count,
      positions[next - radius - 1].shot == own.shot, positions[next + radius + 1].shot == own.shot
    {
      radius += 1
    }
    var (x, y, sum) = (0.0, 0.0, 0.0)
    for distance in -radius...radius {
      let (position, weight) = (positions[next + distance], Double(radius + 1 - abs(distance)))
      x += position.x * weight
      y += position.y * weight
      sum += weight
    }
    next += 1
    // Of what was, only what later frames look back to is kept.
    let old = next - lookAhead
    if old > 0 {
      positions.removeFirst(old)
      next -= old
    }
    return PixelShift(x: Int((own.x - x / sum).rounded()), y: Int((own.y - y / sum).rounded()))
  }
}
