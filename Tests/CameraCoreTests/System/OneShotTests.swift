// A result is decided once, whoever comes first.

import CameraCore
import Testing

@Suite(.timeLimit(.minutes(30))) struct OneShotTests {
  @Test func theFirstDecisionCounts() async throws {
    let shot = OneShot<Int, CameraError>()
    #expect(shot.result == nil)
    #expect(shot.decide(.success(1)))
    #expect(!shot.decide(.failure(.noCamera)))
    #expect(try await shot.wait(orWhenCancelled: .notRunning) == 1)
    #expect(try shot.result?.get() == 1)
  }

  @Test func whoeverWaitsIsResumed() async {
    let shot = OneShot<Void, CameraError>()
    let waiting = Task { try await shot.wait(orWhenCancelled: .notRunning) }
    await Task.yield()
    shot.decide(.failure(.noCamera))
    await #expect(throws: CameraError.noCamera) { try await waiting.value }
  }

  @Test func aCancellationDecides() async {
    let shot = OneShot<Void, any Error>()
    let waiting = Task { try await shot.wait(orWhenCancelled: CancellationError()) }
    waiting.cancel()
    await #expect(throws: CancellationError.self) { try await waiting.value }
    #expect(!shot.decide(.success(())))
  }

  @Test func allWhoWaitGetTheSameResult() async throws {
    let shot = OneShot<Int, Never>()
    let waiting = (0..<20).map { _ in Task { await shot.wait() } }
    for _ in 0..<5 { await Task.yield() }
    shot.decide(.success(7))
    for task in waiting { #expect(await task.value == 7) }
    #expect(await shot.wait() == 7)
  }

  @Test func whoWaitsForGoodIsNotCanceled() async {
    let shot = OneShot<Int, Never>()
    let waiting = Task { await shot.wait() }
    waiting.cancel()
    await Task.yield()
    #expect(shot.result == nil)
    shot.decide(.success(3))
    #expect(await waiting.value == 3)
  }

  @Test func theTimeLimitDecides() async {
    let shot = OneShot<Void, CameraError>()
    await #expect(throws: CameraError.noCamera) { try await shot.wait(atMost: .milliseconds(1), late: .noCamera) }
  }
}
