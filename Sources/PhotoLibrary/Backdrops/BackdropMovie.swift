// The pictures of a movie that becomes a backdrop.

import CameraCore
import Foundation
import Localization
import Synchronization

/// Takes in the frames of a movie, one after another, until it has enough.
///
///     let movie = BackdropMovie()
///     try await reader.readFrames(of: source, fitting: BackdropMovie.size, atMost: BackdropMovie.frameRate) { frame in
///       try movie.add(frame.image, until: frame.time + frame.duration)
///     }
///     try await library.keepBackdrop(movie)
public final class BackdropMovie: Sendable {
  /// In pictures a second.
  public static let frameRate = 30.0
  /// In seconds; a longer movie is cut there. It begins again at its end.
  public static let longest = 10.0
  /// Frames fit into it, in pixels.
  public static let size = PixelSize(width: 1280, height: 1280)
  /// As libjpeg counts: it is seen behind a person.
  private static let quality: Int32 = 85
  static let mostFrames = Int(longest * frameRate)
  /// In bytes.
  static let mostBytes = 96 << 20

  /// Thrown when a movie is long enough: no further frame is needed.
  public struct IsFull: Error {}

  private struct State {
    var size: PixelSize?
    var data = Data()
    var count = 0
  }
  private let state = Mutex(State())

  public init() {}

  /// The JPEGs, one after another; empty while there are no frames.
  var data: Data { state.withLock { $0.data } }

  /// Adds a frame, as often as it is shown.
  ///
  /// - Parameters:
  ///   - image: Of the same size as the others.
  ///   - end: Of the frame, in seconds from the movie's start.
  /// - Throws: `IsFull` when the frame isn't needed anymore; `PhotoLibraryError.unusableFile` when it can't be taken.
  public func add(_ image: DecodedImage, until end: Double) throws {
    // Not the data: a second reference would have them copied with the next frame.
    let (present, size, byteCount) = state.withLock { ($0.count, $0.size, $0.data.count) }
    guard present < Self.mostFrames, byteCount < Self.mostBytes else { throw IsFull() }
    if let size, size != image.size {
      throw PhotoLibraryError.unusableFile(
        path: localized("The backdrop"), reason: localized("its frames have different sizes"))
    }
    let frames = end.isFinite ? Int((min(max(0, end), Self.longest) * Self.frameRate).rounded()) : 0
    // The first one is shown, however short it is.
    let copies = min(frames, Self.mostFrames) - present
    guard copies > 0 || present == 0 else { return }
    guard let jpeg = ScaledJPEG.encode(image, quality: Self.quality, hasFullColors: false) else {
      throw PhotoLibraryError.unusableFile(
        path: localized("The backdrop"), reason: localized("there isn’t enough memory to save it"))
    }
    state.withLock { state in
      state.size = image.size
      for _ in 0..<max(1, copies) where state.data.count < Self.mostBytes {
        state.data += jpeg
        state.count += 1
      }
    }
  }
}
