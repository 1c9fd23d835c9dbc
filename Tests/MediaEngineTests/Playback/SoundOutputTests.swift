// A sound server that hangs costs a moment once, and one thread.

import CameraCore
import Dispatch
import Synchronization
import Testing

@testable import MediaEngine

@Suite(.timeLimit(.minutes(30))) struct SoundOutputTests {
  /// Opens nothing before it is told to go on.
  private final class HangingServer: Sendable {
    let attempts = Atomic(0)
    private let gate = DispatchSemaphore(value: 0)

    func connect() -> Element? {
      attempts.add(1, ordering: .relaxed)
      gate.wait()
      gate.signal()
      return try? Element("fakesink")
    }

    func goOn() { gate.signal() }
  }

  @Test(arguments: [false, true])
  func oneThatHangsIsGivenUpAndNotAskedAgainUntilItAnswers(isBlocking: Bool) async throws {
    let server = HangingServer()
    let output = SoundOutput(patience: .milliseconds(20)) { _ in server.connect() }
    @Sendable func open(_ output: SoundOutput) async -> Element? {
      if isBlocking { return await Blocking.run { output.openBlocking() } }
      return await output.open()
    }
    #expect(await open(output) == nil)
    #expect(!output.answers)
    for _ in 0..<5 { #expect(await open(output) == nil) }
    #expect(server.attempts.load(ordering: .relaxed) == 1)
    server.goOn()
    #expect(await eventually { output.answers })
    let patient = SoundOutput(patience: .seconds(1200)) { _ in server.connect() }
    SoundOutput.close(try #require(await open(patient)))
  }

  @Test func withoutAnOutputThereIsNone() async {
    let none = SoundOutput { _ in nil }
    #expect(await none.open() == nil)
    #expect(none.answers)
  }
}
