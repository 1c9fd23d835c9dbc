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

  @Test func whatIsDoneWithAnImageComesAfterThoseThatAreLookedAt() async throws {
    let (gate, order) = (Gate(), Notes<String>())
    let first = Task { [queue, image] in
      try await queue.run(.single(UUID()), priority: .visible) { _, _ in
        await gate.pass()
        return ImageQueue.Outcome(image: image, afterwards: { order.add("afterwards") })
      }
    }
    while queue.jobCount == 0 { await Task.yield() }
    let ahead = await ask(.single(UUID()), .ahead) { order.add("ahead") }
    let others = [await ask { order.add("seen 1") }, await ask { order.add("seen 2") }]
    gate.open()
    for task in [first, ahead] + others { _ = try await task.value }
    await queue.becomesIdle()
    #expect(order.all == ["seen 2", "seen 1", "afterwards", "ahead"])
  }

  @Test func notMoreIsPutOffThanMemoryIsWorth() async throws {
    let (gate, order) = (Gate(), Notes<String>())
    let first = await ask { await gate.pass() }
    var tasks: [Task<ImageQueue.Outcome, any Error>] = []
    for number in 0..<80 {
      tasks.append(
        Task { [queue, image] in
          try await queue.run(.single(UUID()), priority: .visible) { _, _ in
            order.add("seen")
            return ImageQueue.Outcome(image: image, afterwards: { order.add("afterwards") })
          }
        })
      while queue.jobCount < number + 2 { await Task.yield() }
    }
    gate.open()
    for task in [first] + tasks { _ = try await task.value }
    await queue.becomesIdle()
    let begun = order.all.prefix { $0 == "seen" }.count
    #expect(begun == 65 && order.all.filter { $0 == "afterwards" }.count == 80)
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

  @Test func whatWaitedForItsDiskIsDecodedInAPlaceAgain() async throws {
    let queue = ImageQueue(limit: 1, patience: .milliseconds(1))
    let (disk, decoder, begun, order) = (DispatchSemaphore(value: 0), Gate(), Gate(), Notes<String>())
    let (slowKey, monitor, image) = (Key.single(UUID()), ReadMonitor(), image)
    let slow = Task {
      try await queue.run(slowKey, priority: .visible, reading: monitor) { _, _ in
        try await Blocking.run {
          _ = try monitor.follow {
            disk.wait()
            return 1
          }
          order.add("read")
          monitor.takePlace()
          order.add("slow")
        }
        return ImageQueue.Outcome(image: image)
      }
    }
    // Has the place that the slow one has left.
    let other = Task {
      try await queue.run(.single(UUID()), priority: .visible) { _, _ in
        begun.open()
        await decoder.pass()
        order.add("other")
        return ImageQueue.Outcome(image: image)
      }
    }
    await begun.pass()
    disk.signal()
    while !order.all.contains("read") { await Task.yield() }
    while queue.returningCount == 0, order.all == ["read"] { await Task.yield() }
    decoder.open()
    _ = try await (slow.value, other.value)
    #expect(order.all == ["read", "other", "slow"])
    await queue.becomesIdle()
    #expect(queue.returningCount == 0)
  }

  @Test func whatIsCanceledWaitsForNoPlace() async throws {
    let queue = ImageQueue(limit: 1, patience: .milliseconds(1))
    let (disk, decoder, begun, order) = (DispatchSemaphore(value: 0), Gate(), Gate(), Notes<Bool>())
    let (monitor, image) = (ReadMonitor(), image)
    let slow = Task {
      try await queue.run(.single(UUID()), priority: .visible, reading: monitor) { isCancelled, _ in
        try await Blocking.run {
          _ = try monitor.follow {
            disk.wait()
            return 1
          }
          monitor.takePlace()
          order.add(isCancelled.isSet)
        }
        return ImageQueue.Outcome(image: image)
      }
    }
    let other = Task {
      try await queue.run(.single(UUID()), priority: .visible) { _, _ in
        begun.open()
        await decoder.pass()
        return ImageQueue.Outcome(image: image)
      }
    }
    await begun.pass()
    disk.signal()
    while queue.returningCount == 0 { await Task.yield() }
    slow.cancel()
    while order.all.isEmpty { await Task.yield() }
    #expect(order.all == [true])
    decoder.open()
    _ = try await other.value
    await queue.becomesIdle()
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
