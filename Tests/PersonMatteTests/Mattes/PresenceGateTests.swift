// Whether anybody is there.

import Testing

@testable import PersonMatte

@Suite struct PresenceGateTests {
  private struct Picture {
    var face: Double? = 0
    var coverage = 0.3
    var resemblance = 0.95
  }

  /// Runs pictures at 30 a second; faces are seen only when the gate looks for them.
  private func presences(_ pictures: [Picture]) -> [Double] {
    var gate = PresenceGate()
    return pictures.enumerated().map { index, picture in
      let time = Double(index) / 30
      gate.update(
        time: time, face: gate.wantsFaces(at: time) ? picture.face : nil, coverage: picture.coverage,
        resemblance: picture.resemblance)
      return gate.presence
    }
  }

  @Test("A cat that looks like a person to the network never gets through")
  func nobody() {
    #expect(presences([Picture](repeating: Picture(face: 0.58), count: 90)).allSatisfy { $0 == 0 })
  }

  @Test func somebodyIsThereFromTheFirstPicture() {
    #expect(presences([Picture](repeating: Picture(face: 0.8), count: 30)).allSatisfy { $0 == 1 })
  }

  @Test("An effect comes within 0.4 seconds of a face, and never jumps")
  func comes() {
    let result = presences(
      [Picture](repeating: Picture(face: 0), count: 31) + [Picture](repeating: Picture(face: 0.8), count: 30))
    #expect(result[30] == 0 && result[31 + 13] == 1, "\(result)")
    for (one, other) in zip(result, result.dropFirst()) { #expect(other >= one && other - one <= 0.12) }
  }

  @Test("Who looks away stays, for as long as it may be")
  func looksAway() {
    let result = presences(
      [Picture](repeating: Picture(face: 0.8), count: 30) + [Picture](repeating: Picture(face: 0.1), count: 900))
    #expect(result.allSatisfy { $0 == 1 })
  }

  @Test("Who leaves takes the effect along, in 0.3 seconds")
  func leaves() {
    let away = (1...9).map { Picture(face: 0, coverage: 0.3 - Double($0) * 0.03, resemblance: 0.8) }
    let result = presences(
      [Picture](repeating: Picture(face: 0.8), count: 30) + away
        + [Picture](repeating: Picture(face: 0, coverage: 0.01, resemblance: 1), count: 20))
    #expect(result[29] == 1 && result.last == 0, "\(result)")
    for (one, other) in zip(result.dropFirst(29), result.dropFirst(30)) { #expect(one - other <= 0.12) }
    // A chair that is taken for somebody afterward doesn't bring it back.
    #expect(result.suffix(8).allSatisfy { $0 == 0 })
  }

  @Test("A matte that jumps to something else without a face isn't the person any more")
  func jumps() {
    let result = presences(
      [Picture](repeating: Picture(face: 0.8), count: 30) + [Picture(face: 0, resemblance: 0.1)]
        + [Picture](repeating: Picture(face: 0), count: 20))
    #expect(result[29] == 1 && result.last == 0)
  }
}
