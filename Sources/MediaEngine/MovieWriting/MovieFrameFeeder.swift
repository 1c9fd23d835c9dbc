// A thread that feeds a live photo's frames to the encoder.

import CGStreamer
import CameraCore
import Foundation
import Localization
import Synchronization

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

/// Feeds an appsrc with the frames of a movie, decoded and converted. The appsrc blocks while the encoder is busy, so that
/// only a few decoded frames exist at a time.
final class MovieFrameFeeder: Sendable {
  private let frames: MovieFrames
  private let source: Element
  private let coding: VideoEncoder.Coding
  private let progress: MovieProgress
  private let keepsFrames: Bool
  private let niceness: Int32
  private let isStopped = Atomic(false)
  private let failureText = Mutex<String?>(nil)

  /// - Parameters:
  ///   - coding: The encoder's, by which the pictures have 8 bits or 10.
  ///   - keepsFrames: Whether frames must stay because another encoder may have to start over; if not, they are released
  ///     once the encoder has produced its first packet.
  init(
    _ frames: MovieFrames, to source: Element, coding: VideoEncoder.Coding, progress: MovieProgress, keepsFrames: Bool,
    niceness: Int32
  ) {
    self.coding = coding
    self.frames = frames
    self.source = source
    self.progress = progress
    self.keepsFrames = keepsFrames
    self.niceness = niceness
  }

  /// The reason why the feeding ended early.
  var failure: String? {
    @inline(never)  // called by asynchronous functions: see “Locks” in MediaEngine.md
    get { failureText.withLock { $0 } }
  }

  /// Starts the thread. It ends with the last frame, or soon after the pipeline was stopped.
  func start() {
    let thread = Thread { self.run() }
    thread.name = "movie frames"
    thread.start()
  }

  func stop() { isStopped.store(true, ordering: .releasing) }

  private func run() {
    // 0 names the calling thread.
    _ = setpriority(Int32(PRIO_PROCESS.rawValue), 0, niceness)
    do {
      let maker = try MoviePictureMaker(
        size: frames.size, isMirrored: frames.isMirrored,
        deepColorimetry: coding == .hevcMain10 ? frames.deepColorimetry : nil)
      var held: (picture: FrameBlock, time: Int64, span: Int64)?
      for index in 0..<frames.count {
        guard !isStopped.load(ordering: .acquiring) else { return }
        let span = frames.span(index)
        // A broken frame is left out, as some are for lack of memory: the one before is shown longer.
        guard let picture = frames.frame(index).flatMap({ try? maker.picture(of: $0) }) else {
          held?.span += span
          continue
        }
        // The first intact frame begins the movie.
        let time = held == nil ? 0 : frames.times[index]
        if let held, !push(held) { return }
        held = (picture, time, frames.times[index] + span - time)
        let isTrusted = !keepsFrames && progress.encoded.load(ordering: .relaxed) > 0
        if isTrusted { frames.release(before: index + 1) }
      }
      guard let held else { return fail(localized("none of its pictures can be decoded")) }
      guard push(held) else { return }
      AppSource.end(source)
    } catch {
      fail("\(error)")
    }
  }

  private func push(_ held: (picture: FrameBlock, time: Int64, span: Int64)) -> Bool {
    guard AppSource.push(held.picture, to: source, time: held.time, duration: held.span) == GST_FLOW_OK else {
      return false
    }
    progress.fed.add(1, ordering: .relaxed)
    return true
  }

  private func fail(_ message: String) {
    failureText.withLock { $0 = message }
    AppSource.end(source)
  }
}
