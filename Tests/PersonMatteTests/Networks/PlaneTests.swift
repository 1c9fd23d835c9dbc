// Means of planes, and the smoothing in time.

import Foundation
import TestSupport
import Testing

@testable import PersonMatte

@Suite struct PlaneTests {
  static func noise(_ width: Int, _ height: Int, seed: UInt64 = 1) -> Plane {
    var random = SeededNumbers(state: seed)
    return Plane(
      width: width, height: height, numbers: (0..<width * height).map { _ in Float.random(in: 0...1, using: &random) })
  }

  @Test(arguments: [(7, 5, 1), (16, 9, 3), (3, 4, 5), (1, 1, 2)])
  func theMeanIsThatOfTheWindow(_ width: Int, _ height: Int, _ radius: Int) {
    let plane = Self.noise(width, height)
    let blurred = plane.blurred(radius: radius)
    #expect((blurred.width, blurred.height) == (width, height))
    for y in 0..<height {
      for x in 0..<width {
        let rows = max(0, y - radius)...min(height - 1, y + radius)
        let columns = max(0, x - radius)...min(width - 1, x + radius)
        let values = rows.flatMap { row in columns.map { Double(plane.numbers[row * width + $0]) } }
        let mean = values.reduce(0, +) / Double(values.count)
        #expect(abs(Double(blurred.numbers[y * width + x]) - mean) < 1e-5)
      }
    }
  }

  @Test("A sure network is followed at once, an unsure one slowly")
  func kept() {
    // From the wall to the person, in one picture.
    #expect(MatteSmoothing.kept(1, 0) == 0)
    #expect(MatteSmoothing.kept(0, 1) == 0)
    // Nothing changes.
    #expect(MatteSmoothing.kept(1, 1) == 0.75)
    // Unsure, and nothing changes.
    #expect(MatteSmoothing.kept(0.5, 0.5) == 0.75)
    for new in stride(from: Float(0), through: 1, by: 0.05) {
      for old in stride(from: Float(0), through: 1, by: 0.05) {
        #expect((0...0.85).contains(MatteSmoothing.kept(new, old)), "\(new) after \(old)")
      }
    }
  }

  @Test("A still picture with noise flickers by less than a third of what it does without smoothing")
  func flicker() {
    // An edge that is unsure over some pixels, as networks draw it.
    let edge = Plane(width: 64, height: 1, numbers: (0..<64).map { 1 / (1 + exp(-(Float($0) - 32) / 3)) })
    var smoothing = MatteSmoothing()
    var (last, lastSmooth): (Plane?, Plane?)
    var (flicker, smoothFlicker) = (Float(0), Float(0))
    for frame in 0..<60 {
      let noise = Self.noise(64, 1, seed: UInt64(frame + 1))
      let matte = Plane.combined(edge, noise) { max(0, min(1, $0 + ($1 - 0.5) * 0.1)) }
      let smooth = smoothing.smooth(matte)
      if frame > 10, let last, let lastSmooth {
        flicker += zip(matte.numbers, last.numbers).reduce(0) { $0 + abs($1.0 - $1.1) }
        smoothFlicker += zip(smooth.numbers, lastSmooth.numbers).reduce(0) { $0 + abs($1.0 - $1.1) }
      }
      (last, lastSmooth) = (matte, smooth)
    }
    #expect(smoothFlicker < flicker / 3, "\(smoothFlicker) of \(flicker)")
  }

  @Test func aSequenceOfAnotherSizeBeginsAnew() {
    var smoothing = MatteSmoothing()
    _ = smoothing.smooth(Plane(width: 2, height: 2, repeating: 1))
    let other = Plane(width: 3, height: 1, repeating: 0.2)
    #expect(smoothing.smooth(other) == other)
  }
}
