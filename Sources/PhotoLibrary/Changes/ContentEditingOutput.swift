// What an editor gives back.

import Foundation

/// What an editor made: the picture to be shown from now on, and how it came to be.
public struct ContentEditingOutput: Sendable {
  /// The rendered still: a JPEG from SOI to EOI. `nil` keeps the original's picture bit for bit, and is what an edited movie
  /// has.
  public var photo: Data?
  /// The rendered movie, an MP4: of a live photo, or the movie itself. `nil` for a plain photo.
  public var pairedVideo: URL?
  /// When the still's frame is shown, in seconds from the rendered movie's start.
  public var photoDisplayTime: Double?
  /// The settings, for the next time.
  public var adjustmentData: AdjustmentData
  /// Whether the movie's file goes away once it is part of the photo.
  public var shouldMoveFile: Bool

  public init(
    photo: Data?, pairedVideo: URL? = nil, photoDisplayTime: Double? = nil, adjustmentData: AdjustmentData,
    shouldMoveFile: Bool = true
  ) {
    self.photo = photo
    self.pairedVideo = pairedVideo
    self.photoDisplayTime = photoDisplayTime
    self.adjustmentData = adjustmentData
    self.shouldMoveFile = shouldMoveFile
  }
}
