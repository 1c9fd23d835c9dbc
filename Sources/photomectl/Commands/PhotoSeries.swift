// The photos of one `photomectl capture`: when each is taken, and how it is reported.

import CameraCore
import CameraModels
import Foundation
import Localization

/// Takes photos one after another, and reports each as soon as it is saved, in the order of the presses.
///
/// The presses wait neither for the files nor for the reports, and a photo that fails keeps none of the others from being
/// taken: a time lapse of a night isn't ended by one bad frame. Only when no photo can be taken at all, because the camera is
/// gone, the series ends.
@MainActor
final class PhotoSeries<Shot: Sendable> {
  /// The photos that may be on their way at once. Where saving takes longer than the interval the next press waits: each
  /// photo holds its frames in memory.
  static var mostWaiting: Int { IntervalModel.mostWaiting }

  private let count: Int
  private let interval: Duration
  /// Takes a photo, once it is lit where it has to be; throws why none can be taken.
  private let take: @MainActor () async throws -> Shot
  /// Waits for a photo and reports it; throws why it, or its effect, failed.
  private let tell: @MainActor (Shot) async throws -> Void
  /// Reports a failure, with the number of the photo, from 1 on. Only where there are several photos.
  private let tellFailure: @MainActor (Int, any Error) -> Void

  private var taken = 0
  private var failures: [any Error] = []

  /// - Parameter interval: The time from one press to the next.
  init(
    count: Int, interval: Duration, take: @escaping @MainActor () async throws -> Shot,
    tell: @escaping @MainActor (Shot) async throws -> Void,
    tellFailure: @escaping @MainActor (Int, any Error) -> Void
  ) {
    (self.count, self.interval) = (count, interval)
    (self.take, self.tell, self.tellFailure) = (take, tell, tellFailure)
  }

  /// Takes all photos; returns when all that were taken are saved and reported. The task's cancellation ends the series.
  ///
  /// - Throws: The failure of a single photo; for several, one sentence on how many there are and what failed first.
  func run() async throws {
    let clock = ContinuousClock()
    var following: [Task<Void, Never>] = []
    var due = clock.now
    var end: (any Error)?
    while taken < count, !Task.isCancelled {
      do { following.append(follow(try await take(), after: following.last)) } catch {
        // A photo that was being lit is given up with the series.
        if !Task.isCancelled { end = error }
        break
      }
      if following.count == Self.mostWaiting { await following.removeFirst().value }
      guard taken < count else { break }
      due = max(due.advanced(by: interval), clock.now)
      // Sleeping throws only when the task is canceled.
      do { try await clock.sleep(until: due, tolerance: nil) } catch { break }
    }
    await following.last?.value
    try conclude(end)
  }

  /// Reports a photo, once the earlier ones are reported.
  private func follow(_ shot: Shot, after earlier: Task<Void, Never>?) -> Task<Void, Never> {
    taken += 1
    let number = taken
    return Task {
      await earlier?.value
      do { try await tell(shot) } catch {
        failures.append(error)
        if count > 1 { tellFailure(number, error) }
      }
    }
  }

  private func conclude(_ end: (any Error)?) throws {
    if taken == 0, let end { throw end }
    if count == 1, let failure = failures.first { throw failure }
    var sentences: [String] = []
    if taken < count {
      sentences.append(end?.localizedDescription ?? localized("Interrupted."))
      sentences.append(failures.isEmpty ? savedPhotos(taken, of: count) : takenPhotos(taken, of: count))
    }
    if let first = failures.first {
      let (failed, reason) = (failures.count, first.localizedDescription.asClause)
      sentences.append(
        localized(
          "\(failed) of \(taken) photos failed: \(reason).",
          plural: "\(failed) of \(taken) photos failed, the first because: \(reason).", count: failed))
    }
    if !sentences.isEmpty { throw CommandError(sentences.joined(separator: " ")) }
  }
}

/// A sentence on how many photos of a command were taken.
private func takenPhotos(_ taken: Int, of count: Int) -> String {
  localized(
    "\(taken) of \(count) photos was taken.", plural: "\(taken) of \(count) photos were taken.", count: taken)
}

/// The same when nothing of them is missing.
func savedPhotos(_ taken: Int, of count: Int) -> String {
  if taken == 0 { return localized("No photo was taken.") }
  return localized(
    "\(taken) of \(count) photos was taken; it is saved.",
    plural: "\(taken) of \(count) photos were taken; all of them are saved.", count: taken)
}
