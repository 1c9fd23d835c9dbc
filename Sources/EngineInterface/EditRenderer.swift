// What whoever saves an edit asks of whoever renders stills and movies at full size.

import CameraCore
import Foundation
import PhotoEffects

/// A picture in a file, before an edit.
public struct StillSource: Sendable, Hashable {
  public var url: URL
  /// Where the JPEG lies in the file.
  public var byteRange: Range<UInt64>
  /// How it is to be turned so that it is upright, as EXIF counts, 1…8.
  public var orientation: Int

  public init(url: URL, byteRange: Range<UInt64>, orientation: Int = 1) {
    self.url = url
    self.byteRange = byteRange
    self.orientation = orientation
  }
}

/// A movie in a file, before an edit.
public struct MovieSource: Sendable, Hashable {
  public var url: URL
  /// Where the MP4 lies in the file.
  public var byteRange: Range<UInt64>

  public init(url: URL, byteRange: Range<UInt64>) {
    self.url = url
    self.byteRange = byteRange
  }
}

/// What becomes of a movie besides its pixels.
public struct MovieRendering: Sendable {
  /// Changes each frame; `nil` leaves the pixels as they are.
  public var processor: (any FrameProcessing)?
  /// What is kept, in seconds from the movie's start: from the frame that is shown at the lower bound, up to the last one
  /// that begins before the upper bound. `nil` keeps all.
  public var trim: ClosedRange<Double>?
  /// Whether the sound is left out.
  public var isMuted = false
  /// Whether the frames are shown forward and then backward, up to the second one, so that it can go round for ever.
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
  /// From SOI to EOI, upright, without metadata.
  public var jpeg: Data
  /// In pixels.
  public var size: PixelSize

  public init(jpeg: Data, size: PixelSize) {
    self.jpeg = jpeg
    self.size = size
  }
}

/// A movie that was rendered.
public struct RenderedMovie: Sendable {
  /// An MP4; whoever asked for it owns the file.
  public var url: URL
  /// In pixels.
  public var size: PixelSize
  /// In seconds.
  public var duration: Double
  /// When each kept frame is shown, in seconds from the source's start, in order.
  public var sourceTimes: [Double]
  /// When the same frames are shown in the result, in seconds from its start.
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

  /// When the frame that the source shows at a time is shown in the result; that of the first or last kept frame for a
  /// time that was cut off.
  public func displayTime(of sourceTime: Double) -> Double {
    // Times are kept to a microsecond outside of movies.
    let index = sourceTimes.lastIndex { $0 <= sourceTime + 1e-6 } ?? 0
    return times.indices.contains(index) ? times[index] : 0
  }
}

/// Renders edits at full size. `MediaEngine.EngineEditRenderer` is the real one.
///
/// All of it ends early with a `CancellationError` when the task is cancelled, and then leaves no file behind.
public protocol EditRenderer: Sendable {
  /// Renders the picture of a photo.
  ///
  /// - Parameters:
  ///   - time: When the movie shows the same moment, in seconds; 0 without one.
  /// - Throws: An `EditError`, or what the processor throws.
  func still(of source: StillSource, processor: any FrameProcessing, time: Double) async throws -> RenderedStill

  /// Renders the frame that a movie shows at a time, as a picture.
  ///
  /// - Parameter processor: `nil` leaves the pixels as they are.
  func still(
    ofFrameAt time: Double, of source: MovieSource, processor: (any FrameProcessing)?
  ) async throws -> RenderedStill

  /// Renders the average of a movie's frames: as long an exposure as all of them together.
  ///
  /// Each frame counts by how long it is shown. Averaged is light, which sRGB numbers stand for by IEC 61966-2-1, since that
  /// is what a shutter that stays open gathers: what shines leaves a trace, and noise goes.
  ///
  /// - Parameters:
  ///   - trim: As in `MovieRendering`.
  ///   - processor: Applied to the average.
  func longExposure(
    of source: MovieSource, trim: ClosedRange<Double>?, processor: (any FrameProcessing)?,
    progress: @escaping @Sendable (Double) -> Void
  ) async throws -> RenderedStill

  /// Renders a movie, frame by frame, on all cores. The kept frames keep their times; sound is not encoded again, but
  /// copied packet by packet.
  ///
  /// - Parameters:
  ///   - folder: Where the result is put; made when it is missing.
  ///   - progress: The part that is done, 0…1; called on any thread.
  func movie(
    of source: MovieSource, _ rendering: MovieRendering, into folder: URL,
    progress: @escaping @Sendable (Double) -> Void
  ) async throws -> RenderedMovie
}

/// Why an edit could not be rendered. The picture is as it was.
public enum EditError: Error, Equatable, Sendable, LocalizedError, CustomStringConvertible {
  /// The picture can't be decoded.
  case unreadablePicture(file: String, reason: String)
  /// The movie can't be decoded, or has no frame where one is needed.
  case unreadableMovie(file: String, reason: String)
  /// The sound can't be carried over.
  case unusableSound(file: String, reason: String)
  /// The result can't be encoded.
  case encoding(reason: String)
  /// The result can't be written.
  case writing(reason: String)

  public var description: String {
    switch self {
    case .unreadablePicture(let file, let reason): "“\(file)” can't be edited: \(reason). It is unchanged."
    case .unreadableMovie(let file, let reason): "The movie of “\(file)” can't be edited: \(reason). It is unchanged."
    case .unusableSound(let file, let reason):
      "The sound of “\(file)” can't be kept: \(reason). It is unchanged; mute it to edit the picture."
    case .encoding(let reason): "The edited movie could not be made: \(reason). The picture is unchanged."
    case .writing(let reason): "The edit could not be saved: \(reason). The picture is unchanged."
    }
  }

  public var errorDescription: String? { description }
}
