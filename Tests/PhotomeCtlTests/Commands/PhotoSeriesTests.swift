// The photos of one command: all of them are tried, and all that were taken are reported.

import Foundation
import TestSupport
import Testing

@testable import photomectl

@MainActor @Suite(.timeLimit(.minutes(30))) struct PhotoSeriesTests {
  private struct Fault: LocalizedError {
    var errorDescription: String?
  }

  /// What a series did.
  private final class Record {
    var taken = 0
    var told: [Int] = []
    var failed: [Int] = []
  }

  /// Runs a series whose photos are numbers from 1 on.
  private func run(
    _ count: Int, take: @escaping @MainActor (Int) throws -> Void = { _ in },
    tell: @escaping @MainActor (Int, Record) async throws -> Void = { _, _ in }
  ) async -> (record: Record, failure: String?) {
    let record = Record()
    let series = PhotoSeries<Int>(
      count: count, interval: .microseconds(1),
      take: {
        try take(record.taken + 1)
        record.taken += 1
        return record.taken
      },
      tell: {
        try await tell($0, record)
        record.told.append($0)
      }, tellFailure: { number, _ in record.failed.append(number) })
    do {
      try await series.run()
      return (record, nil)
    } catch { return (record, error.localizedDescription) }
  }

  @Test func aPhotoThatFailsKeepsNoOtherFromBeingTaken() async {
    let (record, failure) = await run(
      4, tell: { number, _ in if number < 3 { throw Fault(errorDescription: "Stalled \(number).") } })
    #expect(record.taken == 4 && record.told == [3, 4] && record.failed == [1, 2])
    #expect(failure == "2 of 4 photos failed, the first because: Stalled 1.")
  }

  @Test func whatWasTakenBeforeTheCameraWentIsReported() async {
    let (record, failure) = await run(
      5, take: { if $0 == 4 { throw Fault(errorDescription: "The camera went away.") } })
    #expect(record.told == [1, 2, 3] && record.failed.isEmpty)
    #expect(failure == "The camera went away. 3 of 5 photos were taken; all of them are saved.")
  }

  @Test func aSinglePhotoHasItsOwnError() async {
    let (one, reason) = await run(1, tell: { _, _ in throw Fault(errorDescription: "The disk is full.") })
    #expect(one.failed.isEmpty && reason == "The disk is full.")
    let (none, refusal) = await run(1, take: { _ in throw Fault(errorDescription: "No camera runs.") })
    #expect(none.taken == 0 && refusal == "No camera runs.")
  }

  @Test func aSeriesThatIsInterruptedBeforeItsFirstPhotoSaysSo() async {
    let failure = await Task {
      await run(
        2,
        take: { _ in
          withUnsafeCurrentTask { $0?.cancel() }
          throw Fault(errorDescription: "The flash was given up.")
        }
      ).failure
    }.value
    #expect(failure == "Interrupted. No photo was taken.")
  }

  @Test func pressesDoNotWaitForFilesButOnlyForTooMany() async {
    let (gate, sink) = AsyncStream.makeStream(of: Void.self)
    var takenFirst = 0
    let most = PhotoSeries<Int>.mostWaiting
    let (record, failure) = await run(
      most + 5,
      take: { if $0 == most { sink.finish() } },
      tell: { number, record in
        guard number == 1 else { return }
        for await _ in gate {}
        takenFirst = record.taken
      })
    #expect(takenFirst == most && failure == nil)
    #expect(record.told == Array(1...(most + 5)), "in their order")
  }

  @Test func everyPhotoOfACommandIsTried() throws {
    let place = try Place()
    // A file where the folders of photos would be made.
    let library = place.folder.path + "/Library"
    try FileManager.default.createDirectory(atPath: library, withIntermediateDirectories: true)
    let month = Calendar(identifier: .gregorian).dateComponents([.year, .month], from: Date())
    let name = try "\(#require(month.year))-\(#require(month.month) < 10 ? "0" : "")\(#require(month.month))"
    try Data().write(to: URL(fileURLWithPath: "\(library)/\(name)"))
    let result = try place.result(["capture", "--camera", "test", "--count", "3", "--interval", "0.1"] + place.library)
    #expect(result.status == 1 && result.output.isEmpty)
    for number in 1...3 { #expect(result.errors.contains("Photo \(number) failed: "), "\(result.errors)") }
    #expect(result.errors.contains("3 of 3 photos failed, the first because: "), "\(result.errors)")
  }
}
