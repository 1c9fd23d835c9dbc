// What an editor gets of an asset, and what it gives back.

import Foundation

/// What an editor starts from.
public struct ContentEditingInput: Sendable, Hashable {
  /// As it is shown now.
  public var asset: Asset
  /// The file to work on: the untouched original where the editor understands the present edit, so that the settings can
  /// be changed; else the picture as it is shown.
  public var url: URL
  /// The movie's bytes in the file at `url`; `nil` without one.
  public var movieRange: Range<UInt64>?
  /// Of a live photo: when the still's frame is shown, in seconds from the movie's start.
  public var photoDisplayTime: Double?
  /// The present edit, when the editor understands it; `nil` for an untouched picture and for an edit of others.
  public var adjustmentData: AdjustmentData?
}

/// What an editor made: the picture to be shown from now on, and how it came to be.
public struct ContentEditingOutput: Sendable {
  /// The rendered still: a JPEG from SOI to EOI.
  public var photo: Data
  /// The rendered movie of a live photo, an MP4; `nil` for a plain photo.
  public var pairedVideo: URL?
  /// When the still's frame is shown, in seconds from the rendered movie's start.
  public var photoDisplayTime: Double?
  /// The settings, for the next time.
  public var adjustmentData: AdjustmentData
  /// Whether the movie's file goes away once it is part of the photo.
  public var shouldMoveFile: Bool

  public init(
    photo: Data, pairedVideo: URL? = nil, photoDisplayTime: Double? = nil, adjustmentData: AdjustmentData,
    shouldMoveFile: Bool = true
  ) {
    self.photo = photo
    self.pairedVideo = pairedVideo
    self.photoDisplayTime = photoDisplayTime
    self.adjustmentData = adjustmentData
    self.shouldMoveFile = shouldMoveFile
  }
}
