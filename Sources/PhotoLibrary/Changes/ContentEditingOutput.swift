// The result of an edit.

import Foundation

/// The result of an edit: the new picture, and the description of the edit.
public struct ContentEditingOutput: Sendable {
  /// The rendered still: a JPEG from SOI to EOI. `nil` keeps the original's picture bit for bit, and for a movie.
  public var photo: Data?
  /// The rendered MP4 of a live photo or a movie; `nil` for a plain photo.
  public var pairedVideo: URL?
  /// The presentation time of the still's frame, in seconds from the rendered movie's start.
  public var photoDisplayTime: Double?
  /// The description of the edit, from which it can be reopened.
  public var adjustmentData: AdjustmentData
  /// Whether the movie's file is removed once it is part of the asset.
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
