// A priority queue of image requests that runs a few at a time and combines equal ones.

import CameraCore
import Dispatch
import Foundation
import Synchronization

/// A queue of image requests with a limited number of concurrent jobs.
///
/// Of visible images, the last requested comes first: while the user scrolls, the others have moved out of view. Images
/// prepared in advance come after that, in the order of their requests. Equal requests share one job.
///
/// A job that waits long for its disk, as one on a slow share does, leaves its place to the next one, and so does a canceled job
/// that can't end before its disk answers: pictures on other disks are shown meanwhile. It takes a place again before it decodes
/// what it has read (`ReadMonitor.takePlace`).
final class ImageQueue: Sendable {
  enum Key: Hashable {
    case asset(ImageCache.Version, needed: PixelSize, time: Double?, acceptsRough: Bool, isShared: Bool, isKept: Bool)
    /// A request that equals no other.
    case single(UUID)
  }

  /// The result of a job.
  struct Outcome: Sendable {
    var image: DecodedImage
    /// Whether it is smaller than requested, which the request accepted.
    var isRough = false
    /// Runs on a background thread after the image was delivered, and after those that a person waits for.
    var afterwards: (@Sendable () -> Void)?
  }

  typealias Rough = @Sendable (DecodedImage) -> Void
  /// - Parameter part: Of the file that was read, 0…1.
  typealias Progress = @Sendable (_ part: Double) -> Void
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
    let progress: Progress?

    init(rough: Rough?, progress: Progress?) { (self.rough, self.progress) = (rough, progress) }

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
    let isCancelled: CancellationFlag
    /// Knows whether the job waits for a disk; `nil` for one that never does.
    let reading: ReadMonitor?
    /// `nil` while it waits.
    var task: Task<Void, Never>?
  }

  private struct State {
    var jobs: [Key: Job] = [:]
    /// Without those that have left their places.
    var runningCount = 0
    /// The running jobs that read files, by number.
    var reading: [UInt64: ReadMonitor] = [:]
    /// The numbers of running jobs that have left their places.
    var away: Set<UInt64> = []
    /// Those of them that have read and wait for a place again, in order.
    var returning: [(number: UInt64, place: DispatchSemaphore)] = []
    /// What is to be done with delivered images, in order.
    var afterwards: [@Sendable () -> Void] = []
    var clock: UInt64 = 0
    var idleWaiters: [CheckedContinuation<Void, Never>] = []
  }

  private let limit: Int
  private let patience: DispatchTimeInterval
  private let mostAway: Int
  private let awaited: AwaitedPictures
  private let state = Mutex(State())
  private static let watch = DispatchQueue(label: "photome.library.images.watch", qos: .userInitiated)
  /// Each holds an image: more aren't put off.
  private static let mostAfterwards = 64

  /// - Parameters:
  ///   - limit: The number of concurrent jobs.
  ///   - patience: The time after which a job that waits for its disk leaves its place.
  ///   - mostAway: The number of jobs without a place. A blocked thread is held by each.
  ///   - awaited: Counts the visible images.
  init(
    limit: Int, patience: DispatchTimeInterval = .milliseconds(250), mostAway: Int = 16,
    awaited: AwaitedPictures = .shared
  ) {
    (self.limit, self.patience, self.mostAway, self.awaited) = (limit, patience, mostAway, awaited)
  }

  /// Requests an image and waits for it.
  ///
  /// - Parameters:
  ///   - rough: Called with each rough image that is created on the way; any thread.
  ///   - progress: Called with what `report` gets; any thread.
  ///   - reading: Follows what `work` reads. The first of equal requests does.
  /// - Throws: What the work throws, or `CancellationError` at once when the task is canceled.
  func run(
    _ key: Key, priority: ImageRequestOptions.Priority, rough: Rough? = nil, progress: Progress? = nil,
    reading: ReadMonitor? = nil, work: @escaping Work
  ) async throws -> Outcome {
    let waiter = Waiter(rough: rough, progress: progress)
    return try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { continuation in
        if waiter.wait(continuation) { join(waiter, key, priority, reading, work) }
      }
    } onCancel: {
      // In this order: a request that has not joined yet sees it under the lock.
      waiter.resolve(.failure(CancellationError()))
      leave(waiter, key)
    }
  }

  /// Tells the requests of a job how far it is; any thread.
  func report(_ part: Double, _ key: Key) {
    let waiters = state.withLock { $0.jobs[key]?.waiters ?? [] }
    for waiter in waiters where !waiter.isDone { waiter.progress?(part) }
  }

  /// The number of waiting and running jobs.
  var jobCount: Int { state.withLock { $0.jobs.count } }

  /// The number of jobs that have left their places and wait for one again.
  var returningCount: Int { state.withLock { $0.returning.count } }

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
      if Self.isIdle(state) { return true }
      state.idleWaiters.append(continuation)
      return false
    }
    if isIdle { continuation.resume() }
  }

  @inline(never)
  private func join(
    _ waiter: Waiter, _ key: Key, _ priority: ImageRequestOptions.Priority, _ reading: ReadMonitor?,
    _ work: @escaping Work
  ) {
    let rough = state.withLock { state -> DecodedImage? in
      guard !waiter.isDone else { return nil }
      state.clock += 1
      if var job = state.jobs.removeValue(forKey: key) {
        job.waiters.append(waiter)
        if priority == .visible, job.priority != .visible { awaited.begin() }
        if priority >= job.priority { (job.priority, job.order) = (priority, state.clock) }
        state.jobs[key] = job
        return job.rough
      }
      if priority == .visible { awaited.begin() }
      state.jobs[key] = Job(
        number: state.clock, priority: priority, order: state.clock, waiters: [waiter], work: work,
        isCancelled: reading?.isCancelled ?? CancellationFlag(), reading: reading)
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
      return remove(key, from: &state)
    }
    abandoned?.isCancelled.set()
    abandoned?.task?.cancel()
    if let abandoned {
      leavePlace(abandoned.number)
      letGo(abandoned.number)
      tellWhetherIdle()
    }
  }

  private func startNext(_ state: inout State) {
    while state.runningCount < limit {
      // What was begun is ended first.
      if !state.returning.isEmpty {
        let (number, place) = state.returning.removeFirst()
        state.away.remove(number)
        state.runningCount += 1
        watch(number)
        place.signal()
        continue
      }
      let waiting = state.jobs.filter { $0.value.task == nil }
      let best = waiting.max { Self.isBefore($1.value, $0.value) }
      if let first = state.afterwards.first,
        best?.value.priority != .visible || state.afterwards.count > Self.mostAfterwards
      {
        state.afterwards.removeFirst()
        state.runningCount += 1
        Blocking.start { [self] in
          first()
          endAfterwards()
        }
        continue
      }
      guard let next = best else { return }
      state.runningCount += 1
      let (key, job) = (next.key, next.value)
      if let reading = job.reading {
        let number = job.number
        state.reading[number] = reading
        reading.onReturn { [weak self] in self?.takePlace(number)?.wait() }
        watch(number)
      }
      state.jobs[key]?.task = Task.detached(priority: .userInitiated) { await self.perform(job, key) }
    }
  }

  // MARK: Slow disks

  private func watch(_ number: UInt64) {
    // Not on the threads that may all be blocked.
    Self.watch.asyncAfter(deadline: .now() + patience) { [weak self] in
      if self?.leavePlace(number) == false { self?.watch(number) }
    }
  }

  /// Gives the place of a job to the next one, if it waits for its disk.
  ///
  /// - Returns: `false` when it may have to be asked again.
  @inline(never)  // called by asynchronous functions, as above
  @discardableResult
  private func leavePlace(_ number: UInt64) -> Bool {
    state.withLock { state in
      guard let reading = state.reading[number], !state.away.contains(number) else { return true }
      guard reading.isReading, state.away.count < mostAway else { return false }
      state.away.insert(number)
      state.runningCount -= 1
      startNext(&state)
      return true
    }
  }

  /// Takes a place for a job that may have left its own.
  ///
  /// - Returns: Signaled when it has one, or is canceled; `nil` when it has one already.
  private func takePlace(_ number: UInt64) -> DispatchSemaphore? {
    state.withLock { state in
      guard state.away.contains(number), state.reading[number]?.isCancelled.isSet == false else { return nil }
      let place = DispatchSemaphore(value: 0)
      state.returning.append((number, place))
      startNext(&state)
      return place
    }
  }

  /// Lets a canceled job go on that waits for a place: it has nothing left to do.
  @inline(never)  // called by asynchronous functions, as above
  private func letGo(_ number: UInt64) {
    state.withLock { state in
      guard let index = state.returning.firstIndex(where: { $0.number == number }) else { return }
      state.returning.remove(at: index).place.signal()
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
    endJob(number, afterwards)
    tellWhetherIdle()
  }

  /// - Returns: Those who wait for its image.
  @inline(never)
  private func removeJob(_ number: UInt64, _ key: Key) -> [Waiter] {
    state.withLock { state in
      guard state.jobs[key]?.number == number else { return [] }
      return remove(key, from: &state)?.waiters ?? []
    }
  }

  private func remove(_ key: Key, from state: inout State) -> Job? {
    let job = state.jobs.removeValue(forKey: key)
    if job?.priority == .visible { awaited.end() }
    return job
  }

  @inline(never)
  private func endJob(_ number: UInt64, _ afterwards: (@Sendable () -> Void)?) {
    state.withLock { state in
      state.reading[number] = nil
      if let afterwards { state.afterwards.append(afterwards) }
      if state.away.remove(number) == nil { state.runningCount -= 1 }
      startNext(&state)
    }
  }

  private func endAfterwards() {
    state.withLock { state in
      state.runningCount -= 1
      startNext(&state)
    }
    tellWhetherIdle()
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

  private static func isIdle(_ state: borrowing State) -> Bool {
    state.jobs.isEmpty && state.runningCount == 0 && state.away.isEmpty && state.afterwards.isEmpty
  }

  @inline(never)
  private func tellWhetherIdle() {
    let waiters = state.withLock { state -> [CheckedContinuation<Void, Never>] in
      guard Self.isIdle(state) else { return [] }
      defer { state.idleWaiters = [] }
      return state.idleWaiters
    }
    for waiter in waiters { waiter.resume() }
  }
}
