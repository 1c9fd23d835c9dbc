// As what an asset leaves the library, and what is left out of it for one share.

import Foundation

/// What an asset is exported as.
public enum ExportForm: String, Sendable, Hashable, CaseIterable {
  /// The file as it was before all edits.
  case original
  /// The file as it is now, with its edits, and with its movie when it is a live photo.
  case current
  /// The picture without a movie, in a file that says nothing of one any more.
  case still
  /// The movie of a live photo, or a video.
  case movie
  /// A live photo as iPhones know it: a JPEG and a QuickTime movie side by side.
  case appleLivePhoto = "apple-live-photo"
  /// The movie of a live photo, or a video, as an animated GIF that plays for ever.
  case gif
  /// The same as an animated WebP.
  case webp

  /// Whether it is made of the movie's frames.
  public var isAnimation: Bool { self == .gif || self == .webp }
}

/// How an asset is exported, this time.
public struct ExportOptions: Sendable, Hashable {
  /// What a still is written as.
  public enum StillFormat: String, Sendable, Hashable {
    case jpeg
    case png
  }

  /// In pixels, of the longer side; what is smaller stays as it is. `nil` keeps the size, and gives animations the size
  /// that is usual for them.
  public var longestSide: Int?
  /// Whether nothing in the copy says where it was taken.
  public var dropsLocation: Bool
  /// Whether the copy's movie has no sound.
  public var dropsSound: Bool
  /// For `ExportForm.still`.
  public var stillFormat: StillFormat

  /// The sizes that can be asked for, in pixels: 16 383 is the most that WebP knows.
  public static let longestSides = 16...16_383

  public init(
    longestSide: Int? = nil, dropsLocation: Bool = false, dropsSound: Bool = false, stillFormat: StillFormat = .jpeg
  ) {
    self.longestSide = longestSide
    self.dropsLocation = dropsLocation
    self.dropsSound = dropsSound
    self.stillFormat = stillFormat
  }
}
