// The camera of a locked or sleeping machine.

import CameraCore
import Foundation
import Synchronization
import Testing

@testable import CameraModels

@MainActor
@Suite(.timeLimit(.minutes(30))) struct SessionModelTests {
  private final class Delay: SleepDelay {
    private let count = Atomic(0)
    var isReleased: Bool { count.load(ordering: .relaxed) > 0 }
    func release() { count.add(1, ordering: .relaxed) }
  }

  /// A desktop session that does what the test says.
  private final class Session: SessionService {
    private var onNotice: (@MainActor (SessionNotice) -> Void)?
    private(set) var delays: [Delay] = []
    var grants = true
    private var waiting: [(@MainActor ((any SleepDelay)?) -> Void)] = []
    var holdsAnswers = false

    func start(_ onNotice: @escaping @MainActor (SessionNotice) -> Void) { self.onNotice = onNotice }
    func delaySleep(because reason: String, _ done: @escaping @MainActor ((any SleepDelay)?) -> Void) {
      #expect(!reason.isEmpty)
      if holdsAnswers { waiting.append(done) } else { answer(done) }
    }
    func answerNow() {
      let waiting = waiting
      self.waiting = []
      waiting.forEach(answer)
    }
    private func answer(_ done: @MainActor ((any SleepDelay)?) -> Void) {
      guard grants else { return done(nil) }
      let delay = Delay()
      delays.append(delay)
      done(delay)
    }
    func say(_ notice: SessionNotice) { onNotice?(notice) }
  }

  private let session = Session()
  private let left = Counter()

  private final class Counter { var count = 0 }

  private func start(_ bench: ModelBench) async -> SessionModel {
    await bench.model.start()
    let model = SessionModel(camera: bench.model, service: session) { [left] in left.count += 1 }
    model.start()
    return model
  }

  /// Returns when tasks that were begun by now have run: a release is no observable change.
  private func until(_ condition: () -> Bool) async {
    while !condition(), !Task.isCancelled { await Task.yield() }
  }

  @Test func aLockedScreenClosesTheCameraAndUnlockingOpensIt() async throws {
    let bench = try await ModelBench()
    let model = await start(bench)
    session.say(.locked(true))
    await bench.until { bench.model.status == .interrupted(.suspended) }
    #expect(bench.model.concealments == [.lock] && left.count == 1)
    session.say(.locked(true))
    session.say(.locked(false))
    await bench.until { bench.model.session != nil }
    #expect(bench.model.concealments.isEmpty && left.count == 1)
    withExtendedLifetime(model) {}
    try await bench.end()
  }

  @Test func sleepIsDelayedUntilTheCameraIsClosedAndEveryShotIsSaved() async throws {
    let bench = try await ModelBench()
    let model = await start(bench)
    #expect(session.delays.count == 1)
    let shot = try #require(bench.model.takePhoto())
    session.say(.asleep(true))
    await bench.until { bench.model.status == .interrupted(.suspended) }
    #expect(!session.delays[0].isReleased, "a shot isn't saved yet")
    bench.expose(bench.captures[0])
    _ = try await shot.saved
    await until { session.delays[0].isReleased }
    #expect(session.delays.count == 1)
    session.say(.asleep(false))
    await bench.until { bench.model.session != nil }
    #expect(session.delays.count == 2 && !session.delays[1].isReleased)
    withExtendedLifetime(model) {}
    try await bench.end()
  }

  @Test func whereNobodyDelaysTheCameraIsClosedAllTheSame() async throws {
    let bench = try await ModelBench()
    session.grants = false
    let model = await start(bench)
    session.say(.asleep(true))
    await bench.until { bench.model.status == .interrupted(.suspended) }
    session.say(.asleep(false))
    await bench.until { bench.model.session != nil }
    withExtendedLifetime(model) {}
    try await bench.end()
  }

  // MARK: The machine

  @Test func aDelayThatComesTooLateIsReleased() {
    var machine = SleepStateMachine()
    #expect(machine.started() == .delay)
    #expect(machine.sleeps() == .prepare(1))
    #expect(machine.prepared(1) == .none, "there is nothing to release")
    #expect(machine.delayed(isGranted: true) == .release)
    #expect(machine.wakes() == .resume(delays: true))
  }

  @Test func aDelayThatComesWhileItPreparesIsReleasedAfterwards() {
    var machine = SleepStateMachine()
    _ = machine.started()
    _ = machine.sleeps()
    #expect(machine.delayed(isGranted: true) == .none)
    #expect(machine.prepared(1) == .release)
  }

  @Test func aSleepThatWasCalledOffKeepsItsDelay() {
    var machine = SleepStateMachine()
    _ = machine.started()
    _ = machine.delayed(isGranted: true)
    #expect(machine.sleeps() == .prepare(1))
    #expect(machine.sleeps() == .none, "said twice")
    #expect(machine.wakes() == .resume(delays: false))
    #expect(machine.prepared(1) == .none, "overtaken")
    #expect(machine.sleeps() == .prepare(2))
    #expect(machine.prepared(1) == .none, "of the sleep before")
    #expect(machine.prepared(2) == .release)
    #expect(machine.wakes() == .resume(delays: true))
    #expect(machine.wakes() == .none)
  }

  @Test func noSecondDelayIsAskedForWhileOneIs() {
    var machine = SleepStateMachine()
    _ = machine.started()
    _ = machine.sleeps()
    _ = machine.prepared(1)
    #expect(machine.wakes() == .resume(delays: false))
    #expect(machine.delayed(isGranted: true) == .none)
    _ = machine.sleeps()
    #expect(machine.prepared(2) == .release)
  }
}
