// The decision that somebody is in the picture.

/// Decides that a matte is of a person. The networks take cats, coins and coffee for people; the face detector doesn't.
///
/// A face opens the gate, where the matte covers something; so does the knowledge that somebody is there. From then on a person
/// may look away: the gate stays open as long as the matte goes on from the picture before and covers what it covered. When it
/// doesn't, faces are looked for at once, and the gate closes when there are none. It also closes when the matte has become
/// another one, and no face has been seen for a while: a chair that somebody has left. Presence follows within 0.3 seconds, so
/// that effects come and go gently; in the first picture at once.
struct PresenceGate {
  /// From nobody to somebody, in seconds.
  static let fade = 0.3
  /// In seconds, from one look for faces to the next: with nobody there, and with somebody.
  static let lookPeriods = (0.1, 0.5)
  /// In parts of the picture. Of less, nobody can be told.
  static let leastArea = 0.005
  /// Doubtful below this part of the area that was covered with a face.
  static let leastCoverage = 0.4
  /// Doubtful when mattes of two pictures have less in common (intersection over union).
  static let leastContinuity = 0.3
  /// Another one than that of the last face when they have less in common (intersection over union).
  static let leastLikeness = 0.5
  /// Looks without a face at a matte that has become another one.
  static let mostFailedLooks = 10

  /// What the matte of a picture covers.
  struct Observation {
    /// The part of the picture, 0…1.
    var coverage: Double
    /// What it has in common with the matte of the picture before (intersection over union).
    var continuity: Double
    /// What it has in common with the matte of the last picture with a face (intersection over union).
    var likeness: Double
  }

  private(set) var presence = 0.0
  private var isOpen = false
  /// Whether somebody is there, whom no face tells of.
  private var isExpected = false
  private var coverage = 0.0
  private var failedLooks = 0
  private var time: Double?
  private var lastLook: Double?

  private func isDoubtful(_ matte: Observation) -> Bool {
    matte.coverage < max(Self.leastArea, coverage * Self.leastCoverage) || matte.continuity < Self.leastContinuity
  }

  /// The score from which on a face counts: more for one who comes than for one who is there.
  var surely: Double { isOpen ? FaceFinder.still : FaceFinder.surely }

  /// Somebody is in the next picture, where the matte covers something.
  mutating func expect() { isExpected = true }

  /// Whether faces have to be looked for in the picture of a time.
  func wantsFaces(at time: Double, _ matte: Observation) -> Bool {
    guard let lastLook else { return true }
    if isOpen && isDoubtful(matte) || time < lastLook { return true }
    return time - lastLook >= (isOpen ? Self.lookPeriods.1 : Self.lookPeriods.0)
  }

  /// - Parameters:
  ///   - time: Of the picture, in seconds.
  ///   - face: The score of the surest face, 0 for none; `nil` when nobody looked.
  /// - Returns: Whether the picture has a face that counts, or somebody who is known to be there: what its matte covers is a
  ///   person.
  @discardableResult
  mutating func update(time: Double, face: Double?, _ matte: Observation) -> Bool {
    var hasFace = false
    if isExpected {
      isExpected = false
      hasFace = matte.coverage >= Self.leastArea
      if hasFace { (isOpen, coverage) = (true, matte.coverage) }
    }
    if let face {
      lastLook = time
      let isSure = face >= surely && matte.coverage >= Self.leastArea
      if isSure {
        hasFace = true
        (isOpen, coverage, failedLooks) = (true, matte.coverage, 0)
      } else {
        failedLooks = matte.likeness < Self.leastLikeness ? failedLooks + 1 : 0
        if isDoubtful(matte) || failedLooks >= Self.mostFailedLooks { isOpen = false }
      }
    }
    let target = isOpen ? 1.0 : 0
    if let last = self.time {
      let step = max(0, time - last) / Self.fade
      presence += min(step, max(-step, target - presence))
    } else {
      presence = target
    }
    self.time = time
    return hasFace
  }
}
