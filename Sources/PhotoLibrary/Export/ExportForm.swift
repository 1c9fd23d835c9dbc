// The forms and options of exports.

import Foundation

/// The form in which an asset is exported.
public enum ExportForm: String, Sendable, Hashable, CaseIterable {
  /// The untouched original file.
  case original
  /// The current file, with its edits, and with its movie if it is a live photo.
  case current
  /// The picture without its movie and the metadata about it.
  case still
  /// The movie of a live photo, or a video.
  case movie
  /// An Apple Live Photo: a JPEG or HEIC and a QuickTime movie side by side.
  case appleLivePhoto = "apple-live-photo"
  /// A Motion Photo: a picture and an MP4 in one file, which Android phones and photo servers play.
  case motionPhoto = "motion-photo"
  /// The movie of a live photo, or a video, as an endlessly looping GIF.
  case gif
  /// The same as a WebP.
  case webp
  /// The same as an animated PNG, which loses nothing.
  case apng
  /// The same as an AVIF image sequence.
  case avif
  /// All pictures by four on sheets, two beside two.
  case fourUp = "four-up"
  /// All pictures in small on as few sheets as possible.
  case contactSheet = "contact-sheet"

  /// Whether it is rendered from the movie's frames.
  public var isAnimation: Bool { fileEnding != nil }

  /// The file extension of an animation, with the dot; `nil` for other forms.
  var fileEnding: String? {
    switch self {
    case .gif: ".gif"
    case .webp: ".webp"
    // Programs that know no `.apng` show the first frame.
    case .apng: ".png"
    case .avif: ".avif"
    case .original, .current, .still, .movie, .appleLivePhoto, .motionPhoto, .fourUp, .contactSheet: nil
    }
  }

  /// Whether several assets become one picture.
  public var isSheet: Bool { self == .fourUp || self == .contactSheet }
}

/// The options of one export.
public struct ExportOptions: Sendable, Hashable {
  /// The file format of a still.
  public enum StillFormat: String, Sendable, Hashable {
    /// The picture's own.
    case own
    case jpeg
    case png
  }

  /// In pixels; smaller pictures keep their size. `nil` keeps the size, or for animations and sheets takes the default
  /// size.
  public var longestSide: Int?
  /// Whether the location is removed from the copy.
  public var dropsLocation: Bool
  /// Whether the sound is removed from the copy's movie.
  public var dropsSound: Bool
  /// The format for `ExportForm.still` and of sheets, which are JPEGs if it is their own.
  public var stillFormat: StillFormat

  /// Whether the pictures of a contact sheet have their files' names below them, where there is room for text.
  public var showsNames: Bool

  /// The valid range of `longestSide`, in pixels: 16,383 is WebP's limit.
  public static let longestSides = 16...16_383

  public init(
    longestSide: Int? = nil, dropsLocation: Bool = false, dropsSound: Bool = false, stillFormat: StillFormat = .own,
    showsNames: Bool = false
  ) {
    self.longestSide = longestSide
    self.dropsLocation = dropsLocation
    self.dropsSound = dropsSound
    self.stillFormat = stillFormat
    self.showsNames = showsNames
  }
}
