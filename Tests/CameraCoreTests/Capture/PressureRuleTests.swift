// Pressure: which signals call for which level, and that levels come and go in steps, without flapping, and always return.

import CameraCore
import TestSupport
import Testing

@Suite struct PressureRuleTests {
  /// A rule and its clock, which a reading advances by a second.
  private struct Run {
    var rule = PressureRule()
    var seconds: Int64 = 0
    var changes: [(second: Int64, level: PressureLevel)] = []

    var level: PressureLevel { rule.state.level }

    mutating func take(_ signals: PressureSignals, times: Int = 1) {
      for _ in 0..<times {
        let before = level
        let changed = rule.received(signals, at: MonotonicTime(nanoseconds: (1000 + seconds) * 1_000_000_000))
        #expect(changed == nil || changed == rule.state)
        if level != before { changes.append((seconds, level)) }
        #expect((level == .nominal) == rule.state.factors.isEmpty)
        seconds += 1
      }
    }
  }

  private static let calm = PressureSignals()

  @Test(
    "The level that each signal leads to when it stays",
    arguments: [
      (PressureSignals(), PressureLevel.nominal, SystemPressure.Factor?.none),
      (PressureSignals(previewLoss: 0.2), .nominal, nil),
      (PressureSignals(previewLoss: 0.25), .serious, .preview),
      (PressureSignals(previewLoss: 0.2, processorStall: 60), .serious, .preview),
      (PressureSignals(previewLoss: 0.5), .critical, .preview),
      (PressureSignals(processorStall: 100), .nominal, nil),
      (PressureSignals(movieBacklog: 0.3), .nominal, nil),
      (PressureSignals(movieBacklog: 0.5), .serious, .movie),
      (PressureSignals(movieBacklog: 0.9), .critical, .movie),
      (PressureSignals(memoryStall: 9), .nominal, nil),
      (PressureSignals(memoryStall: 10), .fair, .memory),
      (PressureSignals(memoryStall: 30), .serious, .memory),
      (PressureSignals(memoryStall: 60), .critical, .memory),
      (PressureSignals(temperature: .passive), .fair, .temperature),
      (PressureSignals(temperature: .hot), .serious, .temperature),
      (PressureSignals(temperature: .critical), .critical, .temperature),
      (PressureSignals(savesPower: true), .fair, .powerSaver),
    ])
  func table(signals: PressureSignals, level: PressureLevel, factor: SystemPressure.Factor?) {
    var run = Run()
    run.take(signals, times: 60)
    #expect(run.level == level)
    #expect(run.rule.state.factors == Set([factor].compactMap { $0 }))
    // One step at a time, and none back.
    #expect(run.changes.map(\.level) == PressureLevel.allCases.filter { $0 > .nominal && $0 <= level })
  }

  @Test func measuresOnlyGrowWithTheLevelAndMoviesComeLast() {
    let measures = PressureLevel.allCases.map(\.measures)
    #expect(measures[0] == PressureMeasures())
    for (lower, higher) in zip(measures, measures.dropFirst()) {
      #expect((higher.previewRate ?? 1000) < (lower.previewRate ?? 1000))
      #expect(higher.previewScale <= lower.previewScale && higher.previewScale > 0)
    }
    #expect(measures.map(\.halvesMovies) == [false, false, false, true])
  }

  @Test func aSingleBadReadingChangesNothing() {
    var run = Run()
    for _ in 0..<100 {
      run.take(PressureSignals(previewLoss: 1, movieBacklog: 1, memoryStall: 100, temperature: .critical))
      run.take(Self.calm)
    }
    #expect(run.changes.isEmpty)
  }

  @Test func aLevelFallsAfterTenCalmSecondsOneStepAtATime() {
    var run = Run()
    run.take(PressureSignals(memoryStall: 60), times: 6)
    #expect(run.level == .critical)
    // Half of what called for the level still holds it.
    run.take(PressureSignals(memoryStall: 30), times: 100)
    #expect(run.level == .critical)
    let rises = run.changes.count
    run.take(Self.calm, times: 100)
    let falls = run.changes.dropFirst(rises)
    #expect(falls.map(\.level) == [.serious, .fair, .nominal])
    for (earlier, later) in zip(falls, falls.dropFirst()) { #expect(later.second - earlier.second >= 10) }
    #expect(run.rule.state == SystemPressure())
  }

  @Test func aClosedCameraIsUnderNoPressure() {
    var run = Run()
    #expect(run.rule.rested() == nil)
    run.take(PressureSignals(savesPower: true), times: 3)
    #expect(run.rule.rested() == SystemPressure())
    #expect(run.level == .nominal)
  }

  /// A computer that can show so many frames a second of a camera with 30, whatever their size.
  private func loss(_ level: PressureLevel, capacity: Double) -> PressureSignals {
    let asked = min(30, level.measures.previewRate ?? 30)
    return PressureSignals(previewLoss: max(0, 1 - capacity / asked))
  }

  @Test(
    "A computer that is too slow for good settles at the level that it can keep, and recovers once it is fast",
    arguments: [(22.0, PressureLevel.fair), (13, .serious), (11, .serious), (5, .critical)])
  func closedLoop(capacity: Double, level: PressureLevel) {
    var run = Run()
    for _ in 0..<3600 { run.take(loss(run.level, capacity: capacity)) }
    // Rising and falling back is tried less and less often.
    let lastHalf = run.changes.filter { $0.second >= 1800 }
    #expect(lastHalf.count <= 2 * 1800 / 160 + 2, "\(lastHalf)")
    let atLevel = run.changes.max { $0.level < $1.level }
    #expect(atLevel?.level == level)
    for _ in 0..<400 { run.take(loss(run.level, capacity: 60)) }
    #expect(run.level == .nominal)
  }

  @Test("While people are found the first step comes early: it costs mattes and no frames")
  func mattes() {
    func signals(_ level: PressureLevel, _ loss: Double, findsPeople: Bool = true) -> PressureSignals {
      PressureSignals(previewLoss: loss, findsPeople: findsPeople)
    }
    var run = Run()
    run.take(signals(.nominal, 0.12, findsPeople: false), times: 100)
    #expect(run.level == .nominal)
    run.take(signals(.nominal, 0.12), times: 100)
    // A little loss is worth no further step.
    #expect(run.level == .fair)
    #expect(run.rule.state.measures.keepsRateWithMattes && run.rule.state.measures.mattePeriod == 2)
    let saving = SystemPressure(level: .fair, factors: [.preview, .powerSaver])
    #expect(!saving.measures.keepsRateWithMattes && saving.measures.previewRate == 20)
    run.take(signals(.fair, 0.06), times: 100)
    #expect(run.level == .fair)
    run.take(signals(.fair, 0.3), times: 3)
    #expect(run.level == .serious && !run.level.measures.keepsRateWithMattes)
  }

  private func random(_ numbers: inout SeededNumbers) -> PressureSignals {
    PressureSignals(
      previewLoss: numbers.fraction(), movieBacklog: numbers.fraction(), processorStall: 100 * numbers.fraction(),
      memoryStall: 100 * numbers.fraction() * numbers.fraction(),
      temperature: PressureSignals.Temperature.allCases.randomElement(using: &numbers) ?? .normal,
      savesPower: .random(using: &numbers))
  }

  @Test func whateverComesStepsAreSingleNeverFlapAndAlwaysReturn() {
    var numbers = SeededNumbers.fresh()
    for _ in 0..<200 {
      var run = Run()
      var level = run.level
      for _ in 0..<20 {
        let (signals, times) = (random(&numbers), Int.random(in: 1...40, using: &numbers))
        for _ in 0..<times {
          run.take(numbers.fraction() < 0.3 ? Self.calm : signals)
          #expect(abs(run.level.rawValue - level.rawValue) <= 1)
          level = run.level
        }
      }
      for (earlier, later) in zip(run.changes, run.changes.dropFirst()) where later.level < earlier.level {
        #expect(later.second - earlier.second >= 10, "a level that rose or fell is kept for 10 seconds before it falls")
      }
      // At worst, the longest patience for the first step and the shortest for the others.
      run.take(Self.calm, times: 160 + 3 * 21 + 3)
      #expect(run.level == .nominal)
    }
  }

  @Test func aWorseReadingNeverLeadsToALowerLevel() {
    var numbers = SeededNumbers.fresh()
    for _ in 0..<500 {
      var run = Run()
      for _ in 0..<Int.random(in: 0...40, using: &numbers) {
        run.take(numbers.fraction() < 0.5 ? Self.calm : random(&numbers))
      }
      let better = random(&numbers)
      var worse = better
      worse.previewLoss = min(1, worse.previewLoss + numbers.fraction())
      worse.movieBacklog = min(1, worse.movieBacklog + numbers.fraction())
      worse.processorStall = min(100, worse.processorStall + 50 * numbers.fraction())
      worse.memoryStall = min(100, worse.memoryStall + 50 * numbers.fraction())
      worse.temperature = max(
        worse.temperature, PressureSignals.Temperature.allCases.randomElement(using: &numbers) ?? .normal)
      worse.savesPower = worse.savesPower || .random(using: &numbers)
      var other = run
      for _ in 0..<5 {
        run.take(better)
        other.take(worse)
        #expect(other.level >= run.level, "\(better) \(worse)")
      }
    }
  }
}
