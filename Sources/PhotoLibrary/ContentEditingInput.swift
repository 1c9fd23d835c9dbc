// What an editor gets of an asset.

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
