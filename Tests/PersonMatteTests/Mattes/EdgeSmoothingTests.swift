// Edges of mattes over time: quiet in noise, at once after a jump.

import CameraCore
import TestSupport
import Testing

@testable import PersonMatte

@Suite struct EdgeSmoothingTests {
  private func block(_ bytes: [UInt8]) -> FrameBlock { FrameBlock(count: bytes.count) { $0.copyBytes(from: bytes) } }

  private func bytes(_ block: FrameBlock) -> [UInt8] { block.withUnsafeBytes { [UInt8]($0) } }

  @Test("Noise at an edge becomes less than 0.6 of what it was")
  func noise() {
    var numbers = SeededNumbers(state: 7)
    var smoothing = EdgeSmoothing()
    var changes = (plain: 0, smoothed: 0)
    var last: (plain: [UInt8], smoothed: [UInt8])?
    for _ in 0..<40 {
      // An odd count: eight bytes at a time leave a rest.
      let plain = (0..<1021).map { UInt8(60 + $0 % 130 + Int.random(in: -6...6, using: &numbers)) }
      let smoothed = bytes(smoothing.smooth(block(plain)))
      if let last {
        changes.plain += zip(plain, last.plain).reduce(0) { $0 + abs(Int($1.0) - Int($1.1)) }
        changes.smoothed += zip(smoothed, last.smoothed).reduce(0) { $0 + abs(Int($1.0) - Int($1.1)) }
      }
      last = (plain, smoothed)
    }
    #expect(Double(changes.smoothed) < 0.6 * Double(changes.plain))
  }

  @Test("Every value is reached, large changes at once", arguments: [0, 1, 3, 100, 127, 200, 254, 255] as [UInt8])
  func goal(value: UInt8) {
    let goal = [UInt8](repeating: value, count: 256)
    var smoothing = EdgeSmoothing()
    _ = smoothing.smooth(block((0...255).map { UInt8($0) }))
    let first = bytes(smoothing.smooth(block(goal)))
    for (start, byte) in first.enumerated() {
      // Never beyond, and never away from it.
      #expect(min(start, Int(value)) <= Int(byte) && Int(byte) <= max(start, Int(value)))
      if value == 0 || value == 255, abs(start - Int(value)) > 128 { #expect(byte == value) }
    }
    var last = first
    for _ in 0..<12 { last = bytes(smoothing.smooth(block(goal))) }
    #expect(last == goal)
  }

  @Test("After a picture of another size it begins anew")
  func size() {
    var smoothing = EdgeSmoothing()
    _ = smoothing.smooth(block([0, 0, 0]))
    #expect(bytes(smoothing.smooth(block([100, 100]))) == [100, 100])
    #expect(bytes(smoothing.smooth(block([110, 100]))) != [110, 100])
  }
}
