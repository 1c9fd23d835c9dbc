// Delivery of a movie's frames: thinned out, scaled, with their durations.

import CameraCore
import EngineInterface
import Localization

/// Scales the frames that are wanted, and hands each on once its duration is known.
final class MovieFrameDelivery: @unchecked Sendable {
  // Sendable: what changes without the lock is touched by the streaming thread, and by `finish` when that has sent its
  // last frame.
  private let ending = OneShot<Void, any Error>()
  private let size: PixelSize
  /// The least time between two frames, in seconds; a tenth less than asked for, since a camera's frames jitter.
  private let shortest: Double
  private let body: @Sendable (MovieFrame) throws -> Void

  private var converter: RawConverter?
  private var start: Double?
  private var pending: MovieFrame?
  private var count = 0
  /// The end of the last frame that came, in seconds from the first.
  private var end = 0.0

  /// In seconds, for a last frame that doesn't say how long it is shown.
  private static let usualDuration = 1.0 / 30

  /// - Parameters:
  ///   - size: The box that frames fit into.
  ///   - frameRate: The most frames a second; `nil` for all.
  init(fitting size: PixelSize, atMost frameRate: Double?, _ body: @escaping @Sendable (MovieFrame) throws -> Void) {
    self.size = size
    shortest = frameRate.map { 0.9 / $0 } ?? 0
    self.body = body
  }

  private var failure: (any Error)? {
    if case .failure(let error) = ending.result { error } else { nil }
  }

  /// Ends the reading with the next frame; only the first call counts. Any thread.
  func end(_ error: any Error) { ending.decide(.failure(error)) }

  /// The stream has ended: the last frame is shown until then.
  ///
  /// - Throws: The error that ended the reading early.
  func finish(named name: String) throws {
    if failure == nil { hand(until: end) }
    if let failure { throw failure }
    guard count > 0 else {
      throw CameraError.playbackFailed(file: name, message: localized("the video has no picture"))
    }
  }

  /// Takes a frame, on the streaming thread.
  ///
  /// - Returns: Whether more are wanted.
  @Sendable func take(_ frame: DecodedFrame) -> Bool {
    guard failure == nil else { return false }
    let absolute = Double(frame.time) / 1e9
    let first = start ?? absolute
    start = first
    let time = max(0, absolute - first)
    end = max(end, time + (frame.duration > 0 ? Double(frame.duration) / 1e9 : Self.usualDuration))
    if let pending, time - pending.time < shortest { return true }
    hand(until: time)
    guard failure == nil else { return false }
    guard let image = picture(frame) else {
      end(CameraError.pictureFailed(message: localized("the video has an unknown format")))
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
