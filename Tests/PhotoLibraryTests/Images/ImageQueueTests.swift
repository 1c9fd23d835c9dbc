// The order of image requests, and their cancellation.

import CameraCore
import Foundation
import Synchronization
import Testing

@testable import PhotoLibrary

@Suite(.timeLimit(.minutes(30))) struct ImageQueueTests {
  private typealias Key = ImageQueue.Key

  /// A gate that is closed until it is opened.
  private final class Gate: Sendable {
    private let stream: AsyncStream<Void>
    private let continuation: AsyncStream<Void>.Continuation
    init() { (stream, continuation) = AsyncStream.makeStream() }
    func open() { continuation.finish() }
    /// Returns when the gate is opened or the task is canceled.
    func pass() async { for await _ in stream {} }
  }

  private let queue = ImageQueue(limit: 1)
  private let image = DecodedImage.plain(PixelSize(width: 2, height: 2))

  /// Asks, and returns when the queue has it.
  private func ask(
    _ key: Key = .single(UUID()), _ priority: ImageRequestOptions.Priority = .visible, joining: Bool = false,
    rough: ImageQueue.Rough? = nil, work: @escaping @Sendable () async throws -> Void
  ) async -> Task<ImageQueue.Outcome, any Error> {
    let count = queue.jobCount
    let task = Task { [queue, image] in
      try await queue.run(key, priority: priority, rough: rough) { _, _ in
        try await work()
        return ImageQueue.Outcome(image: image)
      }
    }
    if !joining { while queue.jobCount == count { await Task.yield() } }
    return task
  }

  @Test func whatIsLookedAtLastComesFirst() async throws {
    let (gate, order) = (Gate(), Notes<String>())
    var tasks = [await ask { await gate.pass() }]
    for (name, priority) in [
      ("ahead 1", ImageRequestOptions.Priority.ahead), ("seen 1", .visible), ("seen 2", .visible), ("ahead 2", .ahead),
      ("seen 3", .visible),
    ] {
      tasks.append(await ask(.single(UUID()), priority) { order.add(name) })
    }
    gate.open()
    for task in tasks { _ = try await task.value }
    #expect(order.all == ["seen 3", "seen 2", "seen 1", "ahead 1", "ahead 2"])
  }

  @Test func whatIsMadeAheadIsHurriedWhenItIsLookedAt() async throws {
    let (gate, order, key) = (Gate(), Notes<String>(), Key.single(UUID()))
    var tasks = [await ask { await gate.pass() }]
    tasks.append(await ask(.single(UUID()), .ahead) { order.add("first") })
    tasks.append(await ask(key, .ahead) { order.add("second") })
    let joined = Task { [queue, image] in
      try await queue.run(key, priority: .visible) { _, _ in
        order.add("again")
        return ImageQueue.Outcome(image: image)
      }
    }
    while queue.waiterCount(key) < 2 { await Task.yield() }
    gate.open()
    for task in tasks { _ = try await task.value }
    _ = try await joined.value
    #expect(order.all == ["second", "first"])
  }

  @Test func whoeverWaitsIsLetGoAtOnce() async throws {
    let (gate, order) = (Gate(), Notes<String>())
    let running = await ask { await gate.pass() }
    let waiting = await ask { order.add("made") }
    waiting.cancel()
    // Though nothing has been finished meanwhile.
    await #expect(throws: CancellationError.self) { try await waiting.value }
    #expect(queue.jobCount == 1)
    gate.open()
    _ = try await running.value
    await queue.becomesIdle()
    #expect(order.all.isEmpty)
  }

  @Test func workThatNobodyWantsIsCancelled() async throws {
    let (gate, order) = (Gate(), Notes<Bool>())
    let task = await ask {
      // Never opened: only being canceled leads through.
      await gate.pass()
      order.add(Task.isCancelled)
    }
    task.cancel()
    await #expect(throws: CancellationError.self) { try await task.value }
    await queue.becomesIdle()
    #expect(order.all == [true])
  }

  @Test func aCancelledTaskMakesNothing() async throws {
    let order = Notes<String>()
    let task = Task { [queue, image] in
      withUnsafeCurrentTask { $0?.cancel() }
      return try await queue.run(.single(UUID()), priority: .visible) { _, _ in
        order.add("made")
        return ImageQueue.Outcome(image: image)
      }
    }
    await #expect(throws: CancellationError.self) { try await task.value }
    await queue.becomesIdle()
    #expect(order.all.isEmpty)
  }

  @Test func nothingIsMadeTwiceAndOneWhoLeavesDisturbsNobody() async throws {
    let (gate, order, key) = (Gate(), Notes<String>(), Key.single(UUID()))
    let work: @Sendable () async throws -> Void = {
      await gate.pass()
      order.add(Task.isCancelled ? "cancelled" : "made")
    }
    let first = await ask(key, work: work)
    let second = await ask(key, joining: true, work: work)
    while queue.waiterCount(key) < 2 { await Task.yield() }
    first.cancel()
    await #expect(throws: CancellationError.self) { try await first.value }
    gate.open()
    _ = try await second.value
    #expect(order.all == ["made"])
  }

  @Test func roughPicturesReachThoseWhoComeLater() async throws {
    let (gate, passed, roughs, key) = (Gate(), Gate(), Notes<String>(), Key.single(UUID()))
    let first = Task { [queue, image] in
      try await queue.run(key, priority: .visible, rough: { _ in roughs.add("first") }) { _, rough in
        rough(image)
        passed.open()
        await gate.pass()
        return ImageQueue.Outcome(image: image)
      }
    }
    await passed.pass()
    let second = await ask(key, joining: true, rough: { _ in roughs.add("second") }) {}
    while queue.waiterCount(key) < 2 || roughs.all.count < 2 { await Task.yield() }
    gate.open()
    _ = try await (first.value, second.value)
    #expect(roughs.all == ["first", "second"])
  }

  @Test func errorsReachAll() async throws {
    let gate = Gate()
    let task = await ask {
      await gate.pass()
      throw PhotoLibraryError.fileMissing(path: "x")
    }
    gate.open()
    await #expect(throws: PhotoLibraryError.fileMissing(path: "x")) { try await task.value }
    await queue.becomesIdle()
    #expect(queue.jobCount == 0)
  }
}

/// Values from any thread, in order.
private final class Notes<Note: Sendable>: Sendable {
  private let notes = Mutex<[Note]>([])

  var all: [Note] { notes.withLock { $0 } }

  func add(_ note: Note) { notes.withLock { $0.append(note) } }
}
