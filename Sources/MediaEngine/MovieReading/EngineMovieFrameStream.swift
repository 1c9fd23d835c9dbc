// Decodes a movie from its first frame to its last, as fast as whoever takes the frames works on them.

import CameraCore
import EngineInterface
import Foundation
import PhotoEffects
import Synchronization

/// Decodes whole movies with GStreamer, in bounded memory.
///
/// The streaming thread that brings a frame scales it and calls the taker itself, so the decoder waits for the taker; a
/// queue of few frames lets both work at the same time.
public struct EngineMovieFrameStream: MovieFrameStreaming {
  public init() {}

  public func readFrames(
    of url: URL, byteRange: Range<UInt64>, fitting size: PixelSize, atMost frameRate: Double?,
    _ body: @escaping @Sendable (MovieFrame) throws -> Void
  ) async throws {
    try Task.checkCancellation()
    let taker = MovieFrameTaker(fitting: size, atMost: frameRate, body)
    do {
      try await withTaskCancellationHandler {
        let decoding = try await MovieDecoding(
          MovieSource(url: url, byteRange: byteRange), niceness: 0, progress: MovieProgress(), take: taker.take)
        try await decoding.run()
        try taker.finish(named: url.lastPathComponent)
      } onCancel: {
        taker.end(CancellationError())
      }
    } catch {
      // Whoever waited was let go because of it.
      try Task.checkCancellation()
      if case EditError.unreadableMovie(let file, let reason) = error {
        throw CameraError.playbackFailed(file: file, message: reason)
      }
      throw error
    }
  }
}

/// Scales the frames that are wanted, and hands each on when it is known for how long it is shown.
private final class MovieFrameTaker: @unchecked Sendable {
  // Sendable: what changes without the lock is touched by the streaming thread, and by `finish` when that has sent its
  // last frame.
  private let failure = FirstFailure()
  private let size: PixelSize
  /// In seconds; a tenth less than asked for, since the frames of a camera come now earlier and now later.
  private let shortest: Double
  private let body: @Sendable (MovieFrame) throws -> Void

  private var converter: RawConverter?
  private var start: Double?
  private var pending: MovieFrame?
  private var count = 0
  /// When the last frame that came ends, in seconds from the first.
  private var end = 0.0

  /// In seconds, for a last frame that doesn't say how long it is shown.
  private static let usualDuration = 1.0 / 30

  init(fitting size: PixelSize, atMost frameRate: Double?, _ body: @escaping @Sendable (MovieFrame) throws -> Void) {
    self.size = size
    shortest = frameRate.map { 0.9 / $0 } ?? 0
    self.body = body
  }

  /// Ends the reading with the next frame; only the first call counts. Any thread.
  func end(_ error: any Error) { failure.note(error) }

  /// The stream has ended: the last frame is shown until then.
  ///
  /// - Throws: What ended it before its time.
  func finish(named name: String) throws {
    if failure.error == nil { hand(until: end) }
    if let error = failure.error { throw error }
    guard count > 0 else { throw CameraError.playbackFailed(file: name, message: "there is no picture in it") }
  }

  /// Takes a frame, on the streaming thread.
  ///
  /// - Returns: Whether more are wanted.
  @Sendable func take(_ frame: DecodedFrame) -> Bool {
    guard failure.error == nil else { return false }
    let absolute = Double(frame.time) / 1e9
    let first = start ?? absolute
    start = first
    let time = max(0, absolute - first)
    end = max(end, time + (frame.duration > 0 ? Double(frame.duration) / 1e9 : Self.usualDuration))
    if let pending, time - pending.time < shortest { return true }
    hand(until: time)
    guard failure.error == nil else { return false }
    guard let image = picture(frame) else {
      end(CameraError.pictureFailed(message: "a frame of the movie is in a form that is not known"))
      return false
    }
    pending = MovieFrame(image: image, time: time, duration: 0)
    return true
  }

  private func hand(until next: Double) {
    guard var frame = pending else { return }
    pending = nil
    frame.duration = max(0, next - frame.time)
    do {
      try body(frame)
      count += 1
    } catch { end(error) }
  }

  private func picture(_ decoded: DecodedFrame) -> DecodedImage? {
    let (frame, layout) = (decoded.frame, decoded.layout)
    let target = RawConverter.Kind(layout: "BGRx", size: frame.size.fitted(into: size))
    if converter?.source != layout.kind || converter?.target != target {
      converter = RawConverter(from: layout.kind, to: target)
    }
    guard let (result, block) = converter?.convert(frame.block, layout: layout) else { return nil }
    return DecodedImage(size: target.size, stride: result.strides[0], block: block)
  }
}

extension PixelSize {
  /// The size of the same shape that fits into another, not enlarged.
  fileprivate func fitted(into box: PixelSize) -> PixelSize {
    let scale = min(1, Double(max(1, box.width)) / Double(width), Double(max(1, box.height)) / Double(height))
    return PixelSize(
      width: max(1, Int((Double(width) * scale).rounded())), height: max(1, Int((Double(height) * scale).rounded())))
  }
}
