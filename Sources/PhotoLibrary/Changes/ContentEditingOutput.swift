// The result of an edit.

import CameraCore
import Foundation
import PhotoEffects

/// The result of an edit: the new picture, and the description of the edit.
public struct ContentEditingOutput: Sendable {
  /// The origin of a rendered still's pixels.
  public enum PhotoOrigin: Sendable, Hashable {
    /// The picture of the input, upright, in its own colors: the values are those of its color profile.
    case picture(Geometry)
    /// The same, by a program that doesn't say whether it has moved pixels. A profile in the rendered picture goes before
    /// the input's.
    case changedPicture
    /// Frames of the movie, in sRGB.
    case movie
  }

  /// What an edit leaves true of its original's gain map, which tells how much brighter parts of a picture are on screens
  /// that can show more than white.
  public enum GainMapUse: Sendable, Hashable {
    /// It is turned and cropped like the picture; see `photoOrigin`.
    case kept
    /// The same of a map without colors.
    case keptIfGray
    case dropped
  }

  /// The rendered still: a complete picture in the original's format, without metadata. `nil` keeps the original's picture bit for bit, and for a movie.
  public var photo: Data?
  /// The origin of its pixels, from which follows where the picture's regions are now, and whether its color profile
  /// holds.
  public var photoOrigin: PhotoOrigin
  /// Gain maps are kept in JPEGs that are rendered from the picture.
  public var gainMap = GainMapUse.dropped
  /// Whether the rendered still is over white where the picture of the input is transparent.
  public var losesTransparency = false
  /// Of the people in the picture, where the edit needs to know where they are. That of the input is kept for the next edit;
  /// that of the new picture is written beside it in JPEG and HEIC, for other programs.
  public var mattes: StillMattes?
  /// Whether the matte that was kept with the edit before stays, where this one has none.
  public var keepsMatte = false
  /// The rendered MP4 of a live photo or a movie; `nil` for a plain photo.
  public var pairedVideo: URL?
  /// The presentation time of the still's frame, in seconds from the rendered movie's start.
  public var photoDisplayTime: Double?
  /// The description of the edit, from which it can be reopened.
  public var adjustmentData: AdjustmentData
  /// Whether the movie's file is removed once it is part of the asset.
  public var shouldMoveFile: Bool

  public init(
    photo: Data?, photoOrigin: PhotoOrigin = .changedPicture, pairedVideo: URL? = nil,
    photoDisplayTime: Double? = nil, adjustmentData: AdjustmentData, shouldMoveFile: Bool = true
  ) {
    self.photo = photo
    self.photoOrigin = photoOrigin
    self.pairedVideo = pairedVideo
    self.photoDisplayTime = photoDisplayTime
    self.adjustmentData = adjustmentData
    self.shouldMoveFile = shouldMoveFile
  }
}
