// Whether anybody is there.

/// Decides whether a matte is of a person. The networks take cats, coins and coffee for people; the face detector doesn't.
///
/// A face opens the gate. From then on a person may look away: the gate stays open as long as the matte goes on from the
/// picture before and covers what it covered. It closes when they leave. Presence follows within 0.3 seconds, so that effects
/// come and go gently; in the first picture at once.
struct PresenceGate {
  /// Of the whole way, in seconds.
  static let fade = 0.3
  /// In seconds, from one look for faces to the next: with nobody there, and with somebody.
  static let lookPeriods = (0.1, 0.5)
  /// The gate closes without a face below this part of the area that was covered with one.
  static let leastCoverage = 0.4
  /// The gate closes without a face when mattes of two pictures have less in common, in parts of both together.
  static let leastResemblance = 0.3

  private(set) var presence = 0.0
  private var isOpen = false
  private var coverage = 0.0
  private var time: Double?
  private var lastLook: Double?

  /// Whether faces should be looked for in the picture of a time.
  func wantsFaces(at time: Double) -> Bool {
    guard let lastLook else { return true }
    return time - lastLook >= (isOpen ? Self.lookPeriods.1 : Self.lookPeriods.0) || time < lastLook
  }

  /// - Parameters:
  ///   - time: Of the picture, in seconds.
  ///   - face: The score of the surest face, 0 for none; `nil` when nobody looked.
  ///   - coverage: The part of the picture that the matte covers, 0…1.
  ///   - resemblance: What the matte has in common with that of the picture before, in parts of both together.
  mutating func update(time: Double, face: Double?, coverage: Double, resemblance: Double) {
    if let face {
      lastLook = time
      if face >= FaceFinder.surely {
        isOpen = true
        self.coverage = coverage
      }
    }
    let hasFace = (face ?? 0) >= FaceFinder.surely
    if !hasFace, coverage < self.coverage * Self.leastCoverage || resemblance < Self.leastResemblance { isOpen = false }
    let target = isOpen ? 1.0 : 0
    if let last = self.time {
      let step = max(0, time - last) / Self.fade
      presence += min(step, max(-step, target - presence))
    } else {
      presence = target
    }
    self.time = time
  }
}
