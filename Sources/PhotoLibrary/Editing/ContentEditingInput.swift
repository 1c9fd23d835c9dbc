// What an editor gets of an asset.

import CameraCore
import Foundation

/// What an editor starts from.
public struct ContentEditingInput: Sendable, Hashable {
  /// As it is shown now.
  public var asset: Asset
  /// The file to work on: the untouched original where the editor understands the present edit, so that the settings can
  /// be changed; else the picture as it is shown.
  public var url: URL
  /// The picture's bytes in the file at `url`; `nil` for a movie.
  public var photoRange: Range<UInt64>?
  /// How the picture is to be turned so that it is upright, as EXIF counts, 1…8.
  public var orientation: Int
  /// Upright, in pixels.
  public var size: PixelSize
  /// The movie's bytes in the file at `url`; `nil` without one.
  public var movieRange: Range<UInt64>?
  /// Of the movie, in seconds; `nil` without one.
  public var duration: Double?
  /// Of a live photo: when the still's frame is shown, in seconds from the movie's start.
  public var photoDisplayTime: Double?
  /// The present edit, when the editor understands it; `nil` for an untouched picture and for an edit of others.
  public var adjustmentData: AdjustmentData?
}
