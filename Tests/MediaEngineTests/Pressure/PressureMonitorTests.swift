// A computer that can't keep up: frames are counted, measures taken, memory bounded; and all comes back.

import CameraCore
import EngineInterface
import Foundation
import Synchronization
import Testing

@testable import MediaEngine

@Suite(.timeLimit(.minutes(30))) struct PressureMonitorTests {
  init() throws { try GStreamerRuntime.start() }

  private static let size = PixelSize(width: 160, height: 96)
  private static let view = PixelSize(width: 160, height: 96)

  /// Signals that the test sets.
  private final class Signals: SystemSignalReader {
    private let signals = Mutex(SystemSignals())
    func set(_ new: SystemSignals) { signals.withLock { $0 = new } }
    func read() -> SystemSignals { signals.withLock { $0 } }
  }

  /// A pump that is fed by hand, a painter that takes frames when it is told to, and a monitor over both.
  private final class Bench: Sendable {
    let pump: PreviewPump
    let signals = Signals()
    let monitor: PressureMonitor
    let states = Mutex<[SystemPressure]>([])
    private let clock = Mutex<Int64>(0)
    /// The bytes of all frames that live.
    let budget = FrameBudget(limit: 1 << 30)

    init() {
      let pump = PreviewPump(name: "test")
      self.pump = pump
      let told = Told()
      monitor = PressureMonitor(
        PressureMonitor.Subject(
          preview: { pump.statistics }, movieBacklog: { 0 },
          changed: {
            pump.setMeasures($0.level.measures)
            told.bench?.note($0)
          }),
        reader: signals, isTimed: false)
      told.bench = self
      pump.setTarget(PressureMonitorTests.view)
    }

    private final class Told: @unchecked Sendable {
      // Sendable: written once, before the monitor is used.
      weak var bench: Bench?
    }

    private func note(_ state: SystemPressure) { states.withLock { $0.append(state) } }

    /// A second of a camera with 30 frames a second, of which the painter takes one in so many; then a reading.
    func second(paintingOneIn interval: Int) async {
      for index in 0..<30 {
        let time = clock.withLock { clock in
          clock += 1
          return clock * 1_000_000_000 / 30
        }
        let before = pump.statistics
        pump.offer(frame(at: time))
        // The preview's thread is as fast as it likes: only the painter is slow.
        let isDone = await eventually { [pump] in
          let now = pump.statistics
          return now.converted + now.skipped > before.converted + before.skipped
        }
        #expect(isDone)
        if index.isMultiple(of: interval), let taken = pump.takeFrame() { pump.markShown(taken.time, at: .now) }
      }
      monitor.look(at: MonotonicTime(nanoseconds: clock.withLock { $0 } * 1_000_000_000 / 30))
    }

    private func frame(at nanoseconds: Int64) -> CameraFrame {
      let size = PressureMonitorTests.size
      let block = FrameBlock(count: size.area * 4) { $0.initializeMemory(as: UInt8.self, repeating: 90) }
      block.charge(to: budget)
      return CameraFrame(
        time: MonotonicTime(nanoseconds: nanoseconds), size: size,
        content: .raw(RawLayout(name: "BGRx", size: size, strides: [size.width * 4], offsets: [0])), block: block)
    }
  }

  @Test func aSlowPainterRaisesTheLevelInStepsAndAFastOneBringsAllBack() async throws {
    let bench = Bench()
    for _ in 0..<5 { await bench.second(paintingOneIn: 1) }
    #expect(bench.monitor.pressure == SystemPressure() && bench.pump.statistics.dropped == 0)
    for _ in 0..<20 {
      await bench.second(paintingOneIn: 30)
      // On the way, waiting, being shown, and remembered for shots: whatever the painter does, no more.
      #expect(bench.budget.byteCount <= 10 * Self.size.area * 4)
    }
    #expect(bench.states.withLock { $0.map(\.level) } == [.fair, .serious, .critical])
    #expect(bench.monitor.pressure.factors == [.preview])
    let slow = bench.pump.statistics
    #expect(slow.dropped > 0 && slow.skipped > 0)
    #expect(slow.arrived == slow.converted + slow.skipped, "nothing waits")
    await bench.second(paintingOneIn: 1)
    let shown = bench.pump.statistics.shown - slow.shown
    #expect(shown >= 9 && shown <= 11, "10 of 30 frames at the last level")
    for _ in 0..<60 { await bench.second(paintingOneIn: 1) }
    #expect(
      bench.states.withLock { $0.map(\.level) } == [.fair, .serious, .critical, .serious, .fair, .nominal])
    let before = bench.pump.statistics
    await bench.second(paintingOneIn: 1)
    let after = bench.pump.statistics
    #expect(after.shown - before.shown == 30 && after.skipped == before.skipped && after.dropped == before.dropped)
  }

  @Test func theSystemsSignalsAreFollowedAndFramesGetSmaller() async throws {
    let bench = Bench()
    bench.signals.set(SystemSignals(temperature: .hot))
    for _ in 0..<4 { await bench.second(paintingOneIn: 1) }
    #expect(bench.monitor.pressure == SystemPressure(level: .serious, factors: [.temperature]))
    await bench.second(paintingOneIn: 31)
    bench.signals.set(SystemSignals())
    let frame = try #require(bench.pump.takeFrame())
    #expect(frame.size == PixelSize(width: Self.size.width / 2, height: Self.size.height / 2))
    bench.monitor.setSavesPower(true)
    for _ in 0..<60 { await bench.second(paintingOneIn: 1) }
    #expect(bench.monitor.pressure == SystemPressure(level: .fair, factors: [.powerSaver]))
    bench.monitor.setSavesPower(false)
    for _ in 0..<15 { await bench.second(paintingOneIn: 1) }
    #expect(bench.monitor.pressure == SystemPressure())
  }

  @Test(
    arguments: [
      (PreviewStatistics(), PreviewStatistics(arrived: 30, dropped: 15), 0.5),
      (PreviewStatistics(arrived: 100, dropped: 10), PreviewStatistics(arrived: 130, dropped: 13), 0.1),
      // What is left out on purpose was not asked for.
      (PreviewStatistics(), PreviewStatistics(arrived: 30, dropped: 10, skipped: 20), 1),
      (PreviewStatistics(), PreviewStatistics(arrived: 3, dropped: 2), 0),
      (PreviewStatistics(arrived: 100, dropped: 90), PreviewStatistics(arrived: 5, dropped: 5), 0),
      (PreviewStatistics(arrived: 9), PreviewStatistics(arrived: 9), 0),
    ] as [(PreviewStatistics, PreviewStatistics, Double)])
  func loss(last: PreviewStatistics, now: PreviewStatistics, share: Double) {
    #expect(abs(PressureMonitor.loss(from: last, to: now) - share) < 1e-9)
  }

  @Test(
    arguments: [
      (30, 20, 20), (30, 15, 15), (30, 10, 10), (60, 20, 20), (25, 15, 15), (10, 20, 10), (15, 15, 15),
    ] as [(Double, Double, Int)])
  func paceTakesTheRightShareEvenly(camera: Double, rate: Double, count: Int) {
    var pace = PreviewPace(rate: rate)
    var taken: [Double] = []
    // 10 s, with the jitter of a real camera.
    for index in 0..<Int(10 * camera) {
      let seconds = Double(index) / camera + (index % 3 == 1 ? 0.003 : 0)
      if pace.takes(MonotonicTime(nanoseconds: Int64(seconds * 1e9))) { taken.append(seconds) }
    }
    #expect(abs(taken.count - 10 * count) <= 10, "\(taken.count)")
    let gaps = zip(taken, taken.dropFirst()).map { $1 - $0 }
    #expect((gaps.max() ?? 0) < 1 / min(rate, camera) + 1.1 / camera)
    // A clock that begins anew doesn't stop it.
    let takesEarlier = pace.takes(MonotonicTime(nanoseconds: 0))
    #expect(takesEarlier)
  }
}
