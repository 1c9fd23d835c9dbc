// Rendering of edits at full size.

import CameraCore
import Foundation
import PhotoEffects

/// Renders edits at full size. `MediaEngine.EngineEditRenderer` is the implementation.
///
/// Sources are never changed. Every method ends early with a `CancellationError` when its task is canceled, and leaves no
/// file behind when it throws.
public protocol EditRenderer: Sendable {
  /// Renders the picture of a photo, in its own format.
  ///
  /// - Parameters:
  ///   - processor: Changes the pixels.
  ///   - time: The time of the same moment in the movie, in seconds; 0 without one.
  /// - Throws: `EditError`, `CancellationError`, or what the processor throws.
  func still(of source: StillSource, processor: any FrameProcessing, time: Double) async throws -> RenderedStill

  /// Renders one frame of a movie as a picture.
  ///
  /// - Parameters:
  ///   - time: A time at which the frame is shown, in seconds from the movie's start.
  ///   - processor: Changes the pixels; `nil` leaves them as they are.
  /// - Throws: `EditError`, `CancellationError`, or what the processor throws.
  func still(of source: MovieSource, at time: Double, processor: (any FrameProcessing)?) async throws -> RenderedStill

  /// Renders the average of a movie's frames: as long an exposure as all of them together.
  ///
  /// Each frame is weighted by its duration. The average is taken in linear light (IEC 61966-2-1), which is what an open
  /// shutter gathers: lights leave trails, and noise disappears.
  ///
  /// - Parameters:
  ///   - trim: As in `MovieEdit`.
  ///   - processor: Changes the average; `nil` leaves it as it is.
  ///   - progress: The part that is done, 0…1; called on any thread.
  /// - Throws: `EditError`, `CancellationError`, or what the processor throws.
  func longExposure(
    of source: MovieSource, trim: ClosedRange<Double>?, processor: (any FrameProcessing)?,
    progress: @escaping @Sendable (Double) -> Void
  ) async throws -> RenderedStill

  /// Renders a movie, frame by frame, on all cores. The kept frames keep their times; the sound isn't encoded again but
  /// copied packet by packet.
  ///
  /// - Parameters:
  ///   - folder: The folder for the result; it is created if it is missing.
  ///   - progress: The part that is done, 0…1; called on any thread.
  /// - Throws: `EditError`, `CancellationError`, or what the processor throws.
  func movie(
    of source: MovieSource, edit: MovieEdit, into folder: URL, progress: @escaping @Sendable (Double) -> Void
  ) async throws -> RenderedMovie
}

/// The changes to a movie.
public struct MovieEdit: Sendable {
  /// Changes each frame; `nil` leaves the pixels as they are.
  public var processor: (any FrameProcessing)?
  /// The part to keep, in seconds from the movie's start: from the frame that is shown at the lower bound, to the last one
  /// that begins before the upper bound. `nil` keeps all.
  public var trim: ClosedRange<Double>?
  /// Whether the sound is left out.
  public var isMuted = false
  /// Whether the frames are shown forward and then backward, up to the second one, so that the movie loops seamlessly.
  /// There is no sound then.
  public var isBounced = false

  public init(
    processor: (any FrameProcessing)?, trim: ClosedRange<Double>? = nil, isMuted: Bool = false, isBounced: Bool = false
  ) {
    self.processor = processor
    self.trim = trim
    self.isMuted = isMuted
    self.isBounced = isBounced
  }
}

/// A picture that was rendered.
public struct RenderedStill: Sendable {
  /// Upright, without metadata; in the format of the source, and a JPEG when that is a movie.
  public var data: Data
  /// In pixels.
  public var size: PixelSize
  /// Whether the source has transparent parts, which were put over white.
  public var losesTransparency: Bool
  /// Of the people in it, where the processor needed to know where they are.
  public var mattes: StillMattes?

  public init(data: Data, size: PixelSize, losesTransparency: Bool = false) {
    self.data = data
    self.size = size
    self.losesTransparency = losesTransparency
  }
}

/// A movie that was rendered.
public struct RenderedMovie: Sendable {
  /// An MP4. The caller owns the file.
  public var url: URL
  /// In pixels; 0×0 for a movie whose picture was copied and not decoded.
  public var size: PixelSize
  /// In seconds.
  public var duration: Double
  /// The times of the kept frames in the source, in seconds, in order.
  public var sourceTimes: [Double]
  /// The times of the same frames in the result, in seconds.
  public var times: [Double]
  public var hasSound: Bool

  public init(
    url: URL, size: PixelSize, duration: Double, sourceTimes: [Double], times: [Double], hasSound: Bool
  ) {
    self.url = url
    self.size = size
    self.duration = duration
    self.sourceTimes = sourceTimes
    self.times = times
    self.hasSound = hasSound
  }

  /// The time in the result of the frame that the source shows at a time; that of the first or last kept frame for a time
  /// that was cut off.
  public func displayTime(of sourceTime: Double) -> Double {
    // Outside of movies, times are kept to a microsecond.
    let index = sourceTimes.lastIndex { $0 <= sourceTime + 1e-6 } ?? 0
    return times.indices.contains(index) ? times[index] : 0
  }
}
