// The decision that somebody is in the picture.

import Testing

@testable import PersonMatte

@Suite struct PresenceGateTests {
  private struct Picture {
    var face: Double? = 0
    var coverage = 0.3
    var continuity = 0.95
    var likeness = 1.0
  }

  private static let here = Picture(face: 0.9)

  /// Runs pictures at 30 a second; faces are seen only when the gate looks for them.
  private func presences(_ pictures: [Picture], isExpected: Bool = false) -> [Double] {
    var gate = PresenceGate()
    if isExpected { gate.expect() }
    return pictures.enumerated().map { index, picture in
      let time = Double(index) / 30
      let matte = PresenceGate.Observation(
        coverage: picture.coverage, continuity: picture.continuity, likeness: picture.likeness)
      gate.update(time: time, face: gate.wantsFaces(at: time, matte) ? picture.face : nil, matte)
      return gate.presence
    }
  }

  private func pictures(_ picture: Picture, _ count: Int) -> [Picture] { [Picture](repeating: picture, count: count) }

  @Test("A cat that looks like a person to the network never gets through")
  func nobody() {
    #expect(presences(pictures(Picture(face: 0.58), 90)).allSatisfy { $0 == 0 })
  }

  @Test("A face in which the network sees nobody doesn't open the gate for a cat that comes by")
  func faceOnTheWall() {
    let result = presences(
      pictures(Picture(face: 0.9, coverage: 0.001), 30) + pictures(Picture(face: 0.5, coverage: 0.2), 60))
    #expect(result.allSatisfy { $0 == 0 })
  }

  @Test func somebodyIsThereFromTheFirstPicture() {
    #expect(presences(pictures(Self.here, 30)).allSatisfy { $0 == 1 })
  }

  @Test("An effect comes within 0.4 seconds of a face, and never jumps")
  func comes() {
    let result = presences(pictures(Picture(face: 0), 31) + pictures(Self.here, 30))
    #expect(result[30] == 0 && result[31 + 13] == 1, "\(result)")
    for (one, other) in zip(result, result.dropFirst()) { #expect(other >= one && other - one <= 0.12) }
  }

  @Test("Who looks away stays, for as long as it may be")
  func looksAway() {
    let result = presences(pictures(Self.here, 30) + pictures(Picture(face: 0.1, likeness: 0.8), 900))
    #expect(result.allSatisfy { $0 == 1 })
  }

  @Test("Somebody who is known to be there opens it without a face, and is gone like everybody else")
  func expected() {
    let away = Picture(face: 0)
    #expect(presences(pictures(away, 900), isExpected: true).allSatisfy { $0 == 1 })
    #expect(presences(pictures(Picture(face: 0, coverage: 0.001), 30), isExpected: true).allSatisfy { $0 == 0 })
    // A chair that has got their place bit by bit.
    let chair = Picture(face: 0, likeness: 0.3)
    #expect(presences(pictures(away, 30) + pictures(chair, 300), isExpected: true).last == 0)
    var gate = PresenceGate()
    gate.expect()
    let isPerson = gate.update(
      time: 0, face: 0, PresenceGate.Observation(coverage: 0.3, continuity: 1, likeness: 1))
    #expect(isPerson, "The first picture is what later ones are compared with.")
  }

  @Test("Who is there keeps the effect with a face that would not open it: three quarters from the side, in bad light")
  func hysteresis() {
    // Another matte than that of the last sure face: without any face the effect would end.
    let doubtful = Picture(face: 0.7, likeness: 0.3)
    #expect(presences(pictures(doubtful, 90)).allSatisfy { $0 == 0 })
    #expect(presences(pictures(Self.here, 30) + pictures(doubtful, 900)).allSatisfy { $0 == 1 })
    #expect(presences(pictures(Self.here, 30) + pictures(Picture(face: 0.6, likeness: 0.3), 900)).last == 0)
  }

  @Test("Who moves fast, leans back, or is left by another one stays without a flicker")
  func moves() {
    let result = presences(
      pictures(Self.here, 33) + pictures(Picture(face: 0.9, coverage: 0.1, continuity: 0.2), 5)
        + pictures(Picture(face: 0.9, coverage: 0.1), 30))
    #expect(result.allSatisfy { $0 == 1 }, "\(result)")
  }

  @Test("Who leaves takes the effect along, in 0.3 seconds")
  func leaves() {
    let away = (1...9).map { Picture(face: 0, coverage: 0.3 - Double($0) * 0.03, continuity: 0.8, likeness: 0.3) }
    let gone = Picture(face: 0, coverage: 0.01, continuity: 1, likeness: 0)
    // A chair that is taken for somebody afterward doesn't bring it back.
    let result = presences(
      pictures(Self.here, 30) + away + pictures(gone, 20) + pictures(Picture(face: 0.4, likeness: 0.4), 60))
    #expect(result[29] == 1 && result[58] == 0, "\(result)")
    for (one, other) in zip(result.dropFirst(29), result.dropFirst(30)) { #expect(one - other <= 0.12) }
    #expect(result.suffix(60).allSatisfy { $0 == 0 })
  }

  @Test("A chair that has got somebody's place bit by bit loses the effect after some seconds")
  func chair() {
    let result = presences(
      pictures(Self.here, 30) + pictures(Picture(face: 0.3, coverage: 0.2, likeness: 0.35), 200))
    #expect(result[60] == 1 && result.last == 0, "\(result)")
  }

  @Test("A matte that jumps to something else without a face isn't the person any more")
  func jumps() {
    let result = presences(
      pictures(Self.here, 30) + [Picture(face: 0, continuity: 0.1, likeness: 0.1)] + pictures(Picture(face: 0), 20))
    #expect(result[29] == 1 && result.last == 0)
  }
}
