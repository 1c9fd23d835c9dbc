// A standstill is noticed after the patience, whenever it begins; what is waited for elsewhere is none.

import CameraCore
import Synchronization
import Testing

@testable import MediaEngine

@Suite(.timeLimit(.minutes(30))) struct MovieProgressTests {
  /// Twelve pauses that end at once.
  private final class Pauses: Sendable {
    private let passed = Atomic(0)
    private let each: @Sendable (Int, UInt64) -> Void

    init(_ each: @escaping @Sendable (Int, UInt64) -> Void = { _, _ in }) { self.each = each }

    var count: Int { passed.load(ordering: .relaxed) }

    @Sendable func pause(_ nanoseconds: UInt64) async throws {
      guard count < 12 else { throw CancellationError() }
      each(passed.add(1, ordering: .relaxed).newValue, nanoseconds)
    }
  }

  /// The number of quarters of the patience after which each standstill was noticed.
  private func standstills(
    of progress: MovieProgress, _ pauses: Pauses, isExcused: @escaping @Sendable () -> Bool = { false }
  ) async -> [Int] {
    let noticed = Mutex<[Int]>([])
    await progress.watch(.seconds(20), isExcused: isExcused, pause: pauses.pause) {
      noticed.withLock { $0.append(pauses.count) }
    }.value
    return noticed.withLock { $0 }
  }

  @Test func aStandstillFromTheStartTakesThePatienceOnce() async {
    let progress = MovieProgress()
    progress.written.add(5, ordering: .relaxed)
    let pauses = Pauses { #expect($1 == 5_000_000_000) }
    #expect(await standstills(of: progress, pauses) == [4, 8, 12])
  }

  @Test func eachStepPutsItOff() async {
    let progress = MovieProgress()
    let pauses = Pauses { count, _ in
      if [3, 6].contains(count) { progress.fed.add(1, ordering: .relaxed) }
    }
    #expect(await standstills(of: progress, pauses) == [10])
  }

  @Test func theTimeOfOthersDoesNotCount() async {
    let pauses = Pauses()
    #expect(await standstills(of: MovieProgress(), pauses) { pauses.count <= 6 } == [10])
  }

  /// The same for a recording: what grows is the file.
  private func standstills(
    of progress: MovieProgress, _ pauses: Pauses, byteCount: @escaping @Sendable () -> Int64
  ) async -> [Int] {
    let noticed = Mutex<[Int]>([])
    // One pause for both watchdogs: theirs are 5 and 22.5 seconds long.
    let watchdogs = progress.watchRecording(
      EngineLimits(), byteCount: byteCount, isIdle: { false },
      pause: { span in
        guard (span == 5_000_000_000) != progress.isIndexing.load(ordering: .relaxed) else { throw CancellationError() }
        try await pauses.pause(span)
      }
    ) {
      noticed.withLock { $0.append(pauses.count) }
    }
    for watchdog in watchdogs { await watchdog.value }
    return noticed.withLock { $0 }
  }

  @Test func aFileThatGrowsIsProgress() async {
    let pauses = Pauses()
    #expect(await standstills(of: MovieProgress(), pauses) { Int64(min(5, pauses.count)) } == [9])
    #expect(await standstills(of: MovieProgress(), Pauses()) { 7 } == [4, 8, 12])
  }

  @Test func anIndexHasMoreTime() async {
    let progress = MovieProgress()
    progress.isIndexing.store(true, ordering: .relaxed)
    let pauses = Pauses { #expect($1 == 22_500_000_000) }
    #expect(await standstills(of: progress, pauses) { Int64(min(5, pauses.count)) } == [9])
  }
}
