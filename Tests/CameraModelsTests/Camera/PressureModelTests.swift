// What is said while the computer can't keep up, and the power saver.

import CameraCore
import Testing

@testable import CameraModels

@MainActor
@Suite(.timeLimit(.minutes(30))) struct PressureModelTests {
  private final class Saver: PowerSaverSource {
    private(set) var tell: (@MainActor (Bool) -> Void)?
    func start(_ tell: @escaping @MainActor (Bool) -> Void) { self.tell = tell }
  }

  @Test func theEnginesPressureIsSaidInOneLineAndTakenBack() async throws {
    let bench = try await ModelBench()
    let pressure = bench.model.pressure
    await bench.model.start()
    #expect(pressure.remark == nil && pressure.highest == .nominal)
    bench.camera.say(.pressure(SystemPressure(level: .serious, factors: [.preview, .temperature])))
    await bench.until { pressure.state.level == .serious }
    #expect(pressure.remark == "Lower preview quality while the computer is hot")
    bench.camera.say(.pressure(SystemPressure(level: .critical, factors: [.preview])))
    await bench.until { pressure.state.level == .critical }
    #expect(pressure.remark == "Lower preview and video quality while the computer is busy")
    bench.camera.say(.pressure(SystemPressure()))
    await bench.until { pressure.state.level == .nominal }
    #expect(pressure.remark == nil && pressure.highest == .critical)
    #expect(bench.messages.messages.isEmpty, "no toasts")
    try await bench.end()
  }

  @Test func aRemarkIsShownForAWhileAndAgainWhenTheLevelChanges() async throws {
    let clock = ManualClock()
    let bench = try await ModelBench(clock: clock)
    let pressure = bench.model.pressure
    pressure.received(SystemPressure(level: .serious, factors: [.preview]))
    #expect(pressure.isRemarkNew)
    await clock.wait(forSleepers: 1)
    // The same once more is nothing new, and doesn't keep the line.
    clock.advance(by: PressureModel.remarkTime - .seconds(1))
    pressure.received(SystemPressure(level: .serious, factors: [.preview]))
    clock.advance(by: .seconds(1))
    await bench.until { !pressure.isRemarkNew }
    #expect(pressure.remark != nil, "it holds")
    pressure.received(SystemPressure(level: .serious, factors: [.preview]))
    #expect(!pressure.isRemarkNew)
    pressure.received(SystemPressure(level: .critical, factors: [.preview]))
    #expect(pressure.isRemarkNew)
    pressure.received(SystemPressure())
    #expect(!pressure.isRemarkNew)
    await clock.wait(forSleepers: 0)
    try await bench.end()
  }

  @Test func everyCauseHasItsWords() async throws {
    let bench = try await ModelBench()
    let pressure = bench.model.pressure
    var remarks: Set<String> = []
    for factor in SystemPressure.Factor.allCases {
      func remark(_ level: PressureLevel) throws -> String {
        pressure.received(SystemPressure(level: level, factors: [factor]))
        return try #require(pressure.remark)
      }
      let (fair, serious, critical) = (try remark(.fair), try remark(.serious), try remark(.critical))
      #expect(fair == serious, "the preview alone")
      remarks.formUnion([serious, critical])
    }
    // The preview alone, and movies as well, for each cause.
    #expect(remarks.count == 2 * SystemPressure.Factor.allCases.count)
    pressure.received(SystemPressure())
    #expect(pressure.remark == nil)
    try await bench.end()
  }

  @Test func thePowerSaverIsPassedOn() async throws {
    let bench = try await ModelBench()
    let saver = Saver()
    bench.model.pressure.follow(saver)
    saver.tell?(true)
    #expect(bench.camera.with { $0.savesPower })
    saver.tell?(false)
    #expect(bench.camera.with { !$0.savesPower })
    try await bench.end()
  }
}
