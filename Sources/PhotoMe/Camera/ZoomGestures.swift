// Arithmetic of the viewfinder's zoom gestures: pinches and scrolling.

/// Turns the amounts of gestures into factors and steps of zoom.
struct ZoomGestures {
  /// The distance of a two-finger scroll that is one step, in scroll units.
  static let scrollDistance = 20.0

  private var pinchedFrom = 1.0
  private var scrolled = 0.0

  /// Two fingers are down.
  ///
  /// - Parameter factor: The zoom at that moment: a pinch changes it, and doesn't begin anew.
  mutating func pinchBegan(at factor: Double) { pinchedFrom = factor }

  /// The zoom for the distance of the two fingers.
  ///
  /// - Parameter scale: The distance as a multiple of that at the beginning.
  /// - Returns: `nil` for a scale that fingers can't have.
  func pinched(by scale: Double) -> Double? { scale > 0 && scale.isFinite ? pinchedFrom * scale : nil }

  /// The steps of zoom for a turn of the wheel, or for a two-finger scroll: small ones add up to a step.
  ///
  /// - Parameters:
  ///   - distance: Above 0 is down, which makes the picture smaller.
  ///   - isPrecise: Whether it is in scroll units of a touchpad, and not in notches of a wheel.
  /// - Returns: Above 0 to enlarge; `nil` until there is a whole step.
  mutating func scrolled(by distance: Double, isPrecise: Bool) -> Double? {
    guard isPrecise else { return -distance }
    scrolled -= distance / Self.scrollDistance
    guard abs(scrolled) >= 1 else { return nil }
    defer { scrolled = 0 }
    return scrolled
  }
}
