// The microphone's meter: peaks, their decay, the rate of levels, overload, and digital silence.

import CameraCore
import TestSupport
import Testing

@Suite struct SoundMeterTests {
  private static let start = MonotonicTime(nanoseconds: 1_000_000_000)

  /// The meter with a clock of its own: chunk follows chunk.
  private struct Bench {
    var meter = SoundMeter()
    var time = SoundMeterTests.start
    var levels: [(at: MonotonicTime, level: SoundLevel)] = []
    var news: [(at: MonotonicTime, isSilent: Bool)] = []

    mutating func hear(_ peak: Int, milliseconds: Int64 = 10) {
      let end = time + .milliseconds(milliseconds)
      let reading = meter.receive(peak: peak, from: time, to: end)
      if let level = reading.level { levels.append((end, level)) }
      if let isSilent = reading.isSilent { news.append((end, isSilent)) }
      time = end
    }
  }

  @Test(
    arguments: [(32_768, 0.0), (16_384, -6.02), (3277, -20), (328, -39.99), (33, -59.94), (1, -90.31)]
      as [(Int, Double)])
  func decibels(peak: Int, expected: Double) {
    #expect(abs(SoundMeter.decibels(of: peak) - expected) < 0.01)
  }

  @Test func nothingIsMinusInfinity() {
    #expect(SoundMeter.decibels(of: 0) == -.infinity)
    #expect(SoundLevel(decibels: -.infinity).decibels == SoundLevel.floor)
    #expect(SoundLevel(decibels: .nan).decibels == SoundLevel.floor)
    #expect(SoundLevel(decibels: 3).decibels == 0)
  }

  @Test func thePeakOfAChunkIsItsLoudestSample() {
    func peak(_ samples: [Int16]) -> Int {
      let block = samples.withUnsafeBytes { FrameBlock(copying: $0) }
      return SoundChunk(time: Self.start, channels: 1, block: block).peak
    }
    #expect(peak([]) == 0)
    #expect(peak([3, -200, 100]) == 200)
    #expect(peak([.min, .max]) == 32_768)
  }

  @Test func aPeakRisesAtOnceAndFallsBy20DecibelsIn1700Milliseconds() {
    var bench = Bench()
    bench.hear(32_768)
    #expect(bench.levels.last?.level.decibels == 0)
    for _ in 0..<170 { bench.hear(0) }
    #expect(bench.levels.last.map { abs($0.level.decibels + 20) <= 1 } == true, "\(bench.levels.last as Any)")
    bench.hear(16_384, milliseconds: 100)
    #expect(bench.levels.last?.level.decibels == -6)
  }

  @Test func aSteadySoundIsOneLevel() {
    var bench = Bench()
    for _ in 0..<1000 { bench.hear(3277) }
    #expect(bench.levels.count == 1 && bench.levels[0].level.decibels == -20)
  }

  @Test("Whatever is heard: 15 levels a second at most, none below what was just heard, all on the scale")
  func anything() {
    var numbers = SeededNumbers.fresh()
    for _ in 0..<50 {
      var bench = Bench()
      for _ in 0..<400 {
        let peak = numbers.fraction() < 0.3 ? 0 : Int.random(in: 0...32_768, using: &numbers)
        let before = bench.levels.count
        bench.hear(peak, milliseconds: .random(in: 1...120, using: &numbers))
        if bench.levels.count > before, let level = bench.levels.last?.level {
          #expect(level.decibels >= max(SoundLevel.floor, SoundMeter.decibels(of: peak).rounded()))
          #expect((SoundLevel.floor...0).contains(level.decibels) && (0...1).contains(level.fraction))
        }
      }
      for (first, second) in zip(bench.levels, bench.levels.dropFirst()) {
        #expect(second.at - first.at >= SoundMeter.interval)
        #expect(second.level != first.level)
      }
    }
  }

  @Test func tooLoudIsShownForASecond() {
    var bench = Bench()
    bench.hear(32_767)
    #expect(bench.levels.last?.level.isOverloaded == true)
    for _ in 0..<90 { bench.hear(3277) }
    #expect(bench.levels.last?.level.isOverloaded == true)
    for _ in 0..<30 { bench.hear(3277) }
    #expect(bench.levels.last?.level.isOverloaded == false)
  }

  @Test func zerosForFiveSecondsAreSilenceUntilAnythingIsHeard() {
    var bench = Bench()
    for _ in 0..<499 { bench.hear(0) }
    #expect(bench.news.isEmpty)
    for _ in 0..<500 { bench.hear(0) }
    #expect(bench.news.map(\.isSilent) == [true])
    #expect(bench.news.first?.at == Self.start + SoundMeter.silence)
    for _ in 0..<10 { bench.hear(1) }
    #expect(bench.news.map(\.isSilent) == [true, false])
    for _ in 0..<501 { bench.hear(0) }
    #expect(bench.news.map(\.isSilent) == [true, false, true])
  }

  @Test func theNoiseOfAQuietRoomIsNoSilence() {
    var bench = Bench()
    for index in 0..<3000 { bench.hear(index % 400 == 0 ? 1 : 0) }
    #expect(bench.news.isEmpty)
  }

  @Test(
    arguments: [
      (SoundLevel(decibels: -60), "Quiet", 0.0), (SoundLevel(decibels: -58), "Quiet", 1 / 30),
      (SoundLevel(decibels: -31), "−30 decibels", 29 / 60.0), (SoundLevel(decibels: -2), "0 decibels", 58 / 60.0),
      (SoundLevel(decibels: 0, isOverloaded: true), "Too loud", 1),
    ] as [(SoundLevel, String, Double)])
  func words(level: SoundLevel, text: String, fraction: Double) {
    #expect(level.text == text)
    #expect(abs(level.fraction - fraction) < 1e-9)
  }
}
