// The test tone: onset, sharpness, loudness, and silence in between.

import Foundation
import Testing

@testable import MediaEngine

@Suite struct TestToneTests {
  private func samples(_ count: Int, from index: Int64) -> [Double] {
    var samples = [Int16](repeating: 0, count: count)
    samples.withUnsafeMutableBufferPointer { TestTone.fill($0, from: index) }
    return samples.map { Double(Int16(littleEndian: $0)) / 32_767 }
  }

  private func decibels(_ value: Double) -> Double { 20 * log10(max(value, 1e-9)) }

  @Test func beepIsSharpAndLoud() {
    let second = samples(48_000, from: 3 * 48_000)
    let loud = second.prefix(4_800).map(abs).max() ?? 0
    #expect(abs(decibels(loud) + 9) < 0.2)
    // Half the level is there within a millisecond of the second.
    #expect((second.firstIndex { abs($0) > loud / 2 } ?? .max) <= 48)
    let quiet = second[4_800...].map(abs).max() ?? 1
    #expect(decibels(quiet) <= -50 && quiet > 0)
  }

  @Test func beepIsOneKilohertz() {
    let crossings = samples(4_000, from: 400)
    let ups = zip(crossings, crossings.dropFirst()).count { $0 < 0 && $1 >= 0 }
    #expect((82...84).contains(ups))
  }

  @Test func piecesJoin() {
    let whole = samples(100_000, from: 47_000)
    var joined: [Double] = []
    for size in [1, 479, 520, 48_000, 51_000] {
      joined += samples(size, from: 47_000 + Int64(joined.count))
    }
    #expect(joined == whole)
    #expect(samples(480, from: 0) == samples(480, from: 48_000 * 1_000_000))
  }
}
