// The input of an editor.

import CameraCore
import EngineInterface
import Foundation

/// The state from which an editor starts.
public struct ContentEditingInput: Sendable, Hashable {
  /// In its current state.
  public var asset: Asset
  /// The file to edit: the untouched original if the editor understands the current edit, so that its settings can be
  /// changed; otherwise the current file.
  public var url: URL
  /// The picture's byte range in the file at `url`; `nil` for a movie.
  public var photoRange: Range<UInt64>?
  /// Of the picture.
  public var format = PhotoFormat.jpeg
  /// Whether it is the first frame of an animated picture: an edit is a still.
  public var isAnimated = false
  /// The EXIF orientation that turns the decoded picture upright, 1…8.
  public var orientation: Int
  /// In pixels, with the orientation applied.
  public var size: PixelSize
  /// The movie's byte range in the file at `movieURL`; `nil` without one.
  public var movieRange: Range<UInt64>?
  /// The movie of a live photo of two files; `nil` where it is in the file at `url`.
  public var pairedVideo: URL?
  /// The file that contains the movie, if there is one.
  public var movieURL: URL { pairedVideo ?? url }
  /// The movie as the engine's readers and players take it; `nil` without one.
  public var movie: MovieSource? { movieRange.map { MovieSource(url: movieURL, byteRange: $0) } }
  /// The movie's duration in seconds; `nil` without one.
  public var duration: Double?
  /// For a live photo, the presentation time of the still's frame, in seconds from the movie's start.
  public var photoDisplayTime: Double?
  /// The matte that was kept with that edit; `nil` where there is none. See `PhotoLibrary.keptMatte`.
  public var matte: URL?
  /// The current edit, if the editor understands it; `nil` for an untouched picture and for other programs' edits.
  public var adjustmentData: AdjustmentData?
}
