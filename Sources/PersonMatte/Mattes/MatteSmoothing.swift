// Mattes of a sequence that don't flicker.

/// Smooths the mattes of a sequence in time, pixel by pixel: where a network is unsure it changes its mind with every frame's
/// noise, and where it is sure it follows movement at once.
///
/// With the last value p and the new one x: u = 1 − |2x − 1| is how unsure the network is, d = |x − p| how much has changed.
/// The kept part of p is min(0.85, 0.75 · max(u, 1 − 2d)), and after a large change (d > 0.5) only 0.3 · u.
struct MatteSmoothing {
  private var last: Plane?

  /// The smoothed matte of the next picture.
  mutating func smooth(_ matte: Plane) -> Plane {
    guard let last, (last.width, last.height) == (matte.width, matte.height) else {
      self.last = matte
      return matte
    }
    let result = Plane.combined(matte, last) { new, old in new + (old - new) * Self.kept(new, old) }
    self.last = result
    return result
  }

  static func kept(_ new: Float, _ old: Float) -> Float {
    let unsure = 1 - abs(2 * new - 1)
    let change = abs(new - old)
    return change > 0.5 ? 0.3 * unsure : min(0.85, 0.75 * max(unsure, 1 - 2 * change))
  }
}
