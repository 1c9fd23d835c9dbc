// A priority queue of image requests that runs a few at a time and combines equal ones.

import CameraCore
import Dispatch
import Foundation
import Synchronization

/// A queue of image requests with a limited number of concurrent jobs.
///
/// Of visible images, the last requested comes first: while the user scrolls, the others have moved out of view. Images
/// prepared in advance come after that, in the order of their requests. Equal requests share one job.
final class ImageQueue: Sendable {
  enum Key: Hashable {
    case asset(ImageCache.Version, needed: PixelSize, time: Double?, acceptsRough: Bool, isShared: Bool)
    /// A request that equals no other.
    case single(UUID)
  }

  /// The result of a job.
  struct Outcome: Sendable {
    var image: DecodedImage
    /// Whether it is smaller than requested, which the request accepted.
    var isRough = false
    /// Runs on a background thread after the image was delivered.
    var afterwards: (@Sendable () -> Void)?
  }

  typealias Rough = @Sendable (DecodedImage) -> Void
  /// - Parameters: The flag that is set when the image is no longer wanted, and the receiver of rough images.
  typealias Work = @Sendable (CancellationFlag, @escaping Rough) async throws -> Outcome

  /// A waiting request; resolved once.
  private final class Waiter: Sendable {
    private enum State {
      case new
      case waiting(CheckedContinuation<Outcome, any Error>)
      case done
    }
    private let state = Mutex(State.new)
    let rough: Rough?

    init(rough: Rough?) { self.rough = rough }

    var isDone: Bool { state.withLock { if case .done = $0 { true } else { false } } }

    // Called by asynchronous functions: see “Locks” in MediaEngine.md.

    /// - Returns: `false` when it is resolved already.
    @inline(never)
    func wait(_ continuation: CheckedContinuation<Outcome, any Error>) -> Bool {
      let waits = state.withLock { state in
        guard case .new = state else { return false }
        state = .waiting(continuation)
        return true
      }
      if !waits { continuation.resume(throwing: CancellationError()) }
      return waits
    }

    @inline(never)
    func resolve(_ result: Result<Outcome, any Error>) {
      let continuation = state.withLock { state -> CheckedContinuation<Outcome, any Error>? in
        defer { state = .done }
        if case .waiting(let continuation) = state { return continuation }
        return nil
      }
      continuation?.resume(with: result)
    }
  }

  private struct Job {
    let number: UInt64
    var priority: ImageRequestOptions.Priority
    /// The number of the latest request.
    var order: UInt64
    var waiters: [Waiter]
    /// The latest rough image, for requests that join later.
    var rough: DecodedImage?
    let work: Work
    let isCancelled = CancellationFlag()
    /// `nil` while it waits.
    var task: Task<Void, Never>?
  }

  private struct State {
    var jobs: [Key: Job] = [:]
    var runningCount = 0
    var clock: UInt64 = 0
    var idleWaiters: [CheckedContinuation<Void, Never>] = []
  }

  private let limit: Int
  private let state = Mutex(State())
  private static let threads = DispatchQueue(
    label: "photome.library.images", qos: .userInitiated, attributes: .concurrent)

  /// - Parameter limit: The number of concurrent jobs.
  init(limit: Int) { self.limit = limit }

  /// Runs blocking or long work on a thread outside of Swift's pool.
  static func onThread<R: Sendable>(_ body: @escaping @Sendable () throws -> R) async throws -> R {
    try await withCheckedThrowingContinuation { continuation in
      threads.async { continuation.resume(with: Result { try body() }) }
    }
  }

  /// Requests an image and waits for it.
  ///
  /// - Parameter rough: Called with each rough image that is created on the way; any thread.
  /// - Throws: What the work throws, or `CancellationError` at once when the task is canceled.
  func run(
    _ key: Key, priority: ImageRequestOptions.Priority, rough: Rough? = nil, work: @escaping Work
  ) async throws -> Outcome {
    let waiter = Waiter(rough: rough)
    return try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { continuation in
        if waiter.wait(continuation) { join(waiter, key, priority, work) }
      }
    } onCancel: {
      // In this order: a request that has not joined yet sees it under the lock.
      waiter.resolve(.failure(CancellationError()))
      leave(waiter, key)
    }
  }

  /// The number of waiting and running jobs.
  var jobCount: Int { state.withLock { $0.jobs.count } }

  /// The number of requests that wait for one image.
  func waiterCount(_ key: Key) -> Int { state.withLock { $0.jobs[key]?.waiters.count ?? 0 } }

  /// Returns when no job waits or runs.
  func becomesIdle() async {
    await withCheckedContinuation { resumeWhenIdle($0) }
  }

  // MARK: State

  // Called by asynchronous functions: see “Locks” in MediaEngine.md.

  @inline(never)
  private func resumeWhenIdle(_ continuation: CheckedContinuation<Void, Never>) {
    let isIdle = state.withLock { state in
      if state.jobs.isEmpty, state.runningCount == 0 { return true }
      state.idleWaiters.append(continuation)
      return false
    }
    if isIdle { continuation.resume() }
  }

  @inline(never)
  private func join(_ waiter: Waiter, _ key: Key, _ priority: ImageRequestOptions.Priority, _ work: @escaping Work) {
    let rough = state.withLock { state -> DecodedImage? in
      guard !waiter.isDone else { return nil }
      state.clock += 1
      if var job = state.jobs.removeValue(forKey: key) {
        job.waiters.append(waiter)
        if priority >= job.priority { (job.priority, job.order) = (priority, state.clock) }
        state.jobs[key] = job
        return job.rough
      }
      state.jobs[key] = Job(
        number: state.clock, priority: priority, order: state.clock, waiters: [waiter], work: work)
      startNext(&state)
      return nil
    }
    if let rough { waiter.rough?(rough) }
  }

  @inline(never)
  private func leave(_ waiter: Waiter, _ key: Key) {
    let abandoned = state.withLock { state -> Job? in
      guard let index = state.jobs[key]?.waiters.firstIndex(where: { $0 === waiter }) else { return nil }
      state.jobs[key]?.waiters.remove(at: index)
      guard state.jobs[key]?.waiters.isEmpty == true else { return nil }
      // A new request starts over.
      return state.jobs.removeValue(forKey: key)
    }
    abandoned?.isCancelled.set()
    abandoned?.task?.cancel()
    if abandoned != nil { tellWhetherIdle() }
  }

  private func startNext(_ state: inout State) {
    while state.runningCount < limit {
      let waiting = state.jobs.filter { $0.value.task == nil }
      guard let next = waiting.max(by: { Self.isBefore($1.value, $0.value) }) else { return }
      state.runningCount += 1
      let (key, job) = (next.key, next.value)
      state.jobs[key]?.task = Task.detached(priority: .userInitiated) { await self.perform(job, key) }
    }
  }

  private static func isBefore(_ left: Job, _ right: Job) -> Bool {
    if left.priority != right.priority { return left.priority > right.priority }
    return left.priority == .visible ? left.order > right.order : left.order < right.order
  }

  private func perform(_ job: Job, _ key: Key) async {
    let number = job.number
    var afterwards: (@Sendable () -> Void)?
    let result: Result<Outcome, any Error>
    do {
      let outcome = try await job.work(job.isCancelled) { [self] image in pass(image, number, key) }
      afterwards = outcome.afterwards
      result = .success(outcome)
    } catch {
      result = .failure(error)
    }
    for waiter in removeJob(number, key) { waiter.resolve(result) }
    if let afterwards { try? await Self.onThread { afterwards() } }
    endJob()
    tellWhetherIdle()
  }

  /// - Returns: Those who wait for its image.
  @inline(never)
  private func removeJob(_ number: UInt64, _ key: Key) -> [Waiter] {
    state.withLock { state in
      guard state.jobs[key]?.number == number else { return [] }
      return state.jobs.removeValue(forKey: key)?.waiters ?? []
    }
  }

  @inline(never)
  private func endJob() {
    state.withLock { state in
      state.runningCount -= 1
      startNext(&state)
    }
  }

  @inline(never)
  private func pass(_ rough: DecodedImage, _ number: UInt64, _ key: Key) {
    let waiters = state.withLock { state -> [Waiter] in
      guard state.jobs[key]?.number == number else { return [] }
      state.jobs[key]?.rough = rough
      return state.jobs[key]?.waiters ?? []
    }
    for waiter in waiters where !waiter.isDone { waiter.rough?(rough) }
  }

  @inline(never)
  private func tellWhetherIdle() {
    let waiters = state.withLock { state -> [CheckedContinuation<Void, Never>] in
      guard state.jobs.isEmpty, state.runningCount == 0 else { return [] }
      defer { state.idleWaiters = [] }
      return state.idleWaiters
    }
    for waiter in waiters { waiter.resume() }
  }
}
