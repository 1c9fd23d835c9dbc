// Closing the program: as long as movies make progress, never forever, and canceled by a new start.

import CameraCore
import CameraModels
import Synchronization
import Testing

@MainActor
@Suite(.timeLimit(.minutes(30))) struct ClosingModelTests {
  /// Seconds that pass as fast as they are waited for.
  private final class Seconds: Sendable {
    private let passed = Atomic(0)
    private let each: @Sendable (Int) -> Void

    init(_ each: @escaping @Sendable (Int) -> Void = { _ in }) { self.each = each }

    var count: Int { passed.load(ordering: .relaxed) }

    @Sendable func wait() async throws {
      try Task.checkCancellation()
      each(passed.add(1, ordering: .relaxed).newValue)
      await Task.yield()
    }
  }

  private func liveBench() async throws -> ModelBench {
    let bench = try await ModelBench()
    await bench.model.start()
    await bench.model.live.setOn(true)
    return bench
  }

  /// - Parameter pause: The seconds from step to step; the longer ones are more than those of an encoder that hangs.
  @Test("It takes as long as movies make progress, and no movie is lost", arguments: [10, 55])
  func waitsForMovies(pause: Int) async throws {
    let bench = try await liveBench()
    let shots = (0..<30).compactMap { _ in bench.model.takePhoto() }
    for capture in bench.captures { bench.expose(capture) }
    await bench.until { bench.model.live.rollingCount == 30 }
    let (twoMinutes, sink) = AsyncStream.makeStream(of: Void.self)
    let seconds = Seconds { [camera = bench.camera] second in
      if second % pause == 0 { camera.with { $0.movieSteps += 1 } }
      if second == 120 { sink.yield() }
    }
    let closing = ClosingModel(camera: bench.model, effects: nil, waitASecond: seconds.wait)
    let end = Task { await closing.close() }
    for await _ in twoMinutes { break }
    #expect(closing.isClosing)
    for capture in bench.captures {
      capture.sink.yield(.movieRecorded)
      capture.sink.yield(.movie(try SampleMedia.movie(in: bench.library.movieFolder)))
      capture.sink.finish()
    }
    #expect(await end.value == .finished)
    for shot in shots { #expect(try await shot.saved.isLive) }
    #expect(bench.camera.with { $0.closeCount } == 1)
    try await bench.end()
  }

  @Test("What hangs doesn't keep the program from ending")
  func standsStill() async throws {
    let bench = try await liveBench()
    bench.model.takePhoto()
    bench.expose(bench.captures[0])
    await bench.until { bench.model.live.rollingCount == 1 }
    let seconds = Seconds()
    let closing = ClosingModel(camera: bench.model, effects: nil, waitASecond: seconds.wait)
    #expect(await closing.close() == .stoodStill)
    #expect(seconds.count == ClosingModel.patience)
    bench.captures[0].sink.finish()
    await bench.until { bench.model.activity == .idle }
    try await bench.end()
  }

  @Test("A start meanwhile calls it off: the camera opens again, and the movie is finished beside it")
  func calledOff() async throws {
    let bench = try await liveBench()
    // Time stands still.
    let (never, sink) = AsyncStream.makeStream(of: Void.self)
    let closing = ClosingModel(camera: bench.model, effects: nil) {
      for await _ in never {}
      try Task.checkCancellation()
    }
    let shot = try #require(bench.model.takePhoto())
    bench.expose(bench.captures[0])
    let end = Task { await closing.close() }
    await bench.until { bench.model.status == .interrupted(.suspended) }
    closing.callOff()
    #expect(await end.value == .calledOff)
    #expect(!closing.isClosing)
    await bench.until { bench.model.session != nil }
    bench.captures[0].sink.yield(.movieRecorded)
    bench.captures[0].sink.yield(.movie(try SampleMedia.movie(in: bench.library.movieFolder)))
    bench.captures[0].sink.finish()
    #expect(try await shot.saved.isLive)
    await bench.until { bench.model.activity == .idle }
    // The end comes when it is asked for again.
    #expect(await closing.close() == .finished)
    sink.finish()
    try await bench.end()
  }
}
