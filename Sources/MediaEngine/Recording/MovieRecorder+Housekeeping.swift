// What a recording does besides recording: flushing, looking at the free space, and the end of the file.

import CameraCore
import Foundation
import Localization

extension MovieRecorder {
  /// The most time left that is told, in seconds: three years.
  private static let longestTimeLeft = 1e8

  /// Once a second: makes what is written durable, looks at the free space, and reports.
  func keepHouse(_ file: RecordingFile, _ form: RecordingEncoding.Form) async {
    let estimate = Self.byteRate(form.size, form.rate, settings.quality, form.encoder.coding)
    var synchronized: Int64 = 0
    let (environment, folder) = (environment, settings.folder)
    while (try? await environment.waitASecond()) != nil, !Task.isCancelled {
      let count = file.byteCount
      let isNew = count > synchronized
      let (code, free) = await Blocking.run {
        (isNew ? environment.synchronize(file) : nil, environment.freeBytes(folder))
      }
      synchronized = count
      if let code { noteLoss(code) }
      report(count, free: free, estimate: estimate)
      if let free, free < Self.reserve { handle { $0.diskFull(hasFailedWriting: false) } }
    }
  }

  /// The bytes a second that are expected of a movie with sound, before any were written.
  static func byteRate(
    _ size: PixelSize, _ rate: FrameRate, _ quality: RecordingSettings.Quality, _ coding: VideoEncoder.Coding
  ) -> Int64 {
    let bits = VideoEncoder.bitRate(size: size, rate: rate, purpose: .recording(quality), coding: coding)
    return Int64(bits / 8 + 16_000)
  }

  /// The time until so many free bytes are used up but for the reserve.
  static func time(until free: Int64, byteRate: Int64) -> TimeSpan {
    // Some file systems say that there is more than anyone can fill.
    .seconds(min(Double(max(0, free - reserve)) / Double(max(1, byteRate)), longestTimeLeft))
  }

  /// A flush has failed: Linux says so once, and the muxer never learns it.
  private func noteLoss(_ code: Int32) {
    // Nothing is said against the movie by a disk that can't flush.
    guard code != EINVAL, code != ENOSYS, code != ENOTSUP else { return }
    let isFull = code == ENOSPC || code == EDQUOT
    let words = MovieOutput.words(code, settings.folder)
    handle { isFull ? $0.diskFull(hasFailedWriting: true) : $0.writingFailed(words) }
  }

  private func report(_ byteCount: Int64, free: Int64?, estimate: Int64) {
    withState { state in
      let elapsed = state.elapsed
      // The first seconds say little about the rest.
      let measured = elapsed >= .seconds(5) ? Int64(Double(byteCount) / elapsed.seconds) : estimate
      let left = free.map { Self.time(until: $0, byteRate: measured) }
      send(
        .progress(
          RecordingProgress(
            elapsed: elapsed, byteCount: byteCount, timeLeft: left, droppedFrames: state.droppedFrames)))
    }
  }

  /// Gives the file its name, or removes it when there is nothing in it.
  func close(
    _ file: RecordingFile, _ failure: MovieFailure?
  ) async throws(CameraError) -> RecordedMovie {
    if let failure, !failure.isCancellation {
      handle { machine in
        failure.isDiskFull ? machine.diskFull(hasFailedWriting: true) : machine.encoderFailed(failure.message)
      }
    }
    var movie: FinishedMovie?
    var problem: CameraError?
    do throws(CameraError) {
      movie = try await finish(file, mends: failure != nil)
      // When nothing was to be in it, the machine says why.
      if movie == nil, hasBegun {
        problem = .recordingFailed(message: cause ?? failure?.message.asClause ?? localized("the video has no picture"))
      }
    } catch { problem = error }
    let (hasSound, missing, dropped) = withState {
      ($0.take?.sound != nil, RecordingTimeline.span(of: $0.take?.missingSamples ?? 0), $0.droppedFrames)
    }
    tellClosed(problem)
    guard let ending = try result?.get(), let movie else {
      throw .recordingFailed(message: localized("the file couldn’t be finished"))
    }
    return RecordedMovie(
      url: movie.url, duration: movie.duration, hasSound: hasSound, ending: ending, droppedFrames: dropped,
      missingSound: hasSound ? missing.seconds : 0, lacksPosition: movie.lacksPosition)
  }

  /// A file that has its name.
  private struct FinishedMovie: Sendable {
    var url: URL
    /// In seconds.
    var duration: Double
    var lacksPosition: Bool
  }

  /// Does what `close` asks of the disk, on a thread of its own: a disk that hangs is left to itself after a while, and the
  /// hidden file to the next start.
  ///
  /// - Returns: `nil` when there is nothing in the file, which is removed then.
  private func finish(_ file: RecordingFile, mends: Bool) async throws(CameraError) -> FinishedMovie? {
    // What hangs may still write to the file: nobody else does then.
    let isHanging = withState { $0.isHanging }
    let (settings, environment, isLate) = (settings, environment, CancellationFlag())
    do throws(CameraError) {
      return try await Blocking.run(
        onThread: "recording end", atMost: environment.limits.movieIndex, late: file.keptFailure(diskHangs)
      ) { () throws(CameraError) in
        if mends, !isHanging { InterruptedIndex.mend(file.path) }
        switch RecordedContent(file.path) {
        case .nothing:
          file.discard()
          return nil
        case .unreadable(let reason): throw file.keptFailure(reason)
        case .movie(let seconds):
          let lacksPosition = settings.position.map { isHanging || !RecordedPosition.write($0, to: file.path) }
          let url = try file.publish(unlessLate: isLate, environment.synchronizeWhole)
          return FinishedMovie(url: url, duration: seconds, lacksPosition: lacksPosition ?? false)
        }
      }
    } catch {
      isLate.set()
      throw error
    }
  }

  /// The reason of a failure, the end of a sentence.
  var diskHangs: String { localized("the disk with “\(settings.folder.path)” isn’t responding") }

  /// Whether the first frame has come, whatever became of it.
  private var hasBegun: Bool { withState { $0.hasBegun } }

  /// The message of an ending that has one.
  private var cause: String? {
    switch withState({ $0.machine.ending }) {
    case .failed(let message): message.asClause
    case .stopped, .cameraLost, .diskFull, .encoderFailed, nil: nil
    }
  }

  /// Tells the machine that the file is closed.
  private func tellClosed(_ problem: CameraError?) {
    withState { state in
      _ = state.machine.closed(problem)
      state.take = nil
    }
  }

  /// How the recording has ended; `nil` before that.
  private var result: Result<RecordingEnding, CameraError>? { withState { $0.machine.result } }
}
