// Long exposures from the frames of a movie.

import CameraCore
import EngineInterface
import Foundation
import Localization
import PhotoEffects
import Synchronization

/// The average of a movie's frames in linear light, each weighted by its duration.
final class LongExposure: Sendable {
  private struct State {
    var average: RunningAverage?
    var pixels: PixelBuffer?
    var held: DecodedFrame?
    /// The duration of the frame before, in nanoseconds.
    var span: Int64 = 33_333_333
    var failure: EditError?
    var isStopped = false
  }

  private let trim: ClosedRange<Double>?
  private let state = Mutex(State())

  init(trim: ClosedRange<Double>?) { self.trim = trim }

  func stop() { state.withLock { $0.isStopped = true } }

  /// Takes the next frame, on the decoder's thread.
  ///
  /// - Returns: Whether more are wanted.
  func add(_ frame: DecodedFrame) -> Bool {
    state.withLock { state in
      guard !state.isStopped, state.failure == nil else { return false }
      if let held = state.held { expose(held, until: frame.time, &state) }
      state.held = frame
      return isBeforeEnd(frame)
    }
  }

  /// The average, once all frames have been added.
  ///
  /// - Throws: `EditError`.
  @inline(never)  // called by asynchronous functions: see “Locks” in MediaEngine.md
  func average(named name: String) throws(EditError) -> DecodedImage {
    try state.withLock { (state) throws(EditError) in
      if let held = state.held, isBeforeEnd(held) {
        expose(held, until: held.time + (held.duration > 0 ? held.duration : state.span), &state)
      }
      if let failure = state.failure { throw failure }
      guard let image = state.average?.image else {
        throw .unreadableMovie(file: name, reason: localized("the video has no picture"))
      }
      return image
    }
  }

  /// Outside of movies, times are kept to a microsecond.
  private func isBeforeEnd(_ frame: DecodedFrame) -> Bool {
    trim.map { Double(frame.time) / 1e9 < $0.upperBound - 1e-6 } ?? true
  }

  private func expose(_ frame: DecodedFrame, until end: Int64, _ state: inout State) {
    state.span = max(1, end - frame.time)
    if let trim, Double(end) / 1e9 <= trim.lowerBound + 1e-6 { return }
    let size = MoviePictureMaker.pictureSize(of: frame.layout.size)
    if state.average == nil {
      state.average = RunningAverage(size: size)
      state.pixels = PixelBuffer(size: size)
    }
    guard state.average?.size == size else {
      state.failure = .encoding(reason: localized("videos that change their size can’t be edited"))
      return
    }
    let colors = MovieColors(MovieColors.Space(frame.layout))
    let weight = UInt64(max(1, state.span / 1000))
    state.pixels?.withView { view in
      frame.frame.block.withUnsafeBytes { colors.convert($0, frame.layout, into: view) }
      state.average?.add(view, weight: weight)
    }
  }
}
