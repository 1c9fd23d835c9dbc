// The calm path: what it takes out, what it leaves, and cuts.

import PhotoEffects
import TestSupport
import Testing

@Suite struct CameraPathTests {
  /// The offsets of all frames of a path.
  private func offsets(_ positions: [PixelShift], cuts: Set<Int> = [], lookAhead: Int = 15) -> [PixelShift] {
    var path = CameraPath(lookAhead: lookAhead)
    var result: [PixelShift] = []
    for (index, position) in positions.enumerated() {
      let before = index > 0 ? positions[index - 1] : position
      let motion = PixelShift(x: position.x - before.x, y: position.y - before.y)
      if let offset = path.add(index == 0 || cuts.contains(index) ? nil : motion) { result.append(offset) }
    }
    return result + path.finish()
  }

  /// The mean motion from frame to frame.
  private func jitter(_ positions: [PixelShift]) -> Double {
    let steps = zip(positions, positions.dropFirst()).map { abs($1.x - $0.x) + abs($1.y - $0.y) }
    return Double(steps.reduce(0, +)) / Double(steps.count)
  }

  @Test("Shaking is taken out but for a quarter")
  func shaking() {
    var numbers = SeededNumbers(state: 5)
    let positions = (0..<120).map { _ in
      PixelShift(x: Int.random(in: -8...8, using: &numbers), y: Int.random(in: -8...8, using: &numbers))
    }
    let offsets = offsets(positions)
    #expect(offsets.count == 120)
    let calm = zip(positions, offsets).map { PixelShift(x: $0.x - $1.x, y: $0.y - $1.y) }
    #expect(jitter(Array(calm[16..<104])) * 4 < jitter(Array(positions[16..<104])))
  }

  @Test("A steady pan is left alone, also at its ends and at a cut")
  func pan() {
    let positions = (0..<60).map { PixelShift(x: 3 * $0, y: -$0) }
    #expect(offsets(positions).allSatisfy { $0 == .zero })
    #expect(offsets(positions, cuts: [30]).allSatisfy { $0 == .zero })
  }

  @Test("A cut parts what is before it from what is behind it")
  func cuts() {
    let positions = (0..<60).map { PixelShift(x: $0 < 30 ? 0 : 500, y: 0) }
    #expect(offsets(positions, cuts: [30]).allSatisfy { $0 == .zero })
    #expect(offsets(positions).contains { $0 != .zero })
  }

  @Test("There is one offset for each frame, however few there are", arguments: [0, 1, 2, 15, 16, 17, 40])
  func count(frames: Int) {
    #expect(offsets((0..<frames).map { PixelShift(x: $0 % 3, y: 0) }).count == frames)
    #expect(offsets((0..<frames).map { PixelShift(x: $0 % 3, y: 0) }, lookAhead: 0).count == frames)
  }
}
