// The errors of an edit's recipe, with messages for people.

import Foundation

/// An unusable recipe or value. The description says what is wrong and what can be done.
public enum RecipeError: Error, Equatable, Sendable, LocalizedError, CustomStringConvertible {
  /// The edit was made by another program.
  case unknownFormat(identifier: String)
  /// The edit was made by a newer version of this program.
  case newerVersion(String, supported: String)
  /// The version is not of the form `major.minor`.
  case malformedVersion(String)
  /// The text is not JSON, or a value in it has the wrong type.
  case malformed(message: String)
  /// Names that this version does not know; an edit that can't be rendered exactly is not opened.
  case unknownKeys([String])
  case unknownEffect(String, known: [String])
  case unknownAdjustment(String, known: [String])
  /// A part of the picture with another name than those of `EffectScope`.
  case unknownScope(String)
  /// An effect for all of a picture, on a part of it.
  case badScope(effect: String)
  case unknownBackdrop(String, known: [String])
  /// An own picture or movie as backdrop, which isn't there.
  case missingBackdrop
  /// A backdrop for an effect that has none.
  case badBackdrop(effect: String)
  /// An effect that needs to know where people are, and nobody tells.
  case noMattes
  /// More strokes of a brush, or longer ones, than can be kept.
  case tooManyStrokes
  /// A value that is not a number, or out of range.
  case outOfRange(name: String, value: Double, lowest: Double, highest: Double)
  /// A turn other than 0, 90, 180 or 270 degrees.
  case badTurn(Int)
  /// A crop that has no area or leaves the picture.
  case badCrop
  /// A trim whose end isn't after its start.
  case badTrim(start: Double, end: Double)
  /// A key photo outside the trim.
  case keyPhotoOutsideTrim(time: Double, start: Double, end: Double)
  case unknownPlaybackStyle(String, known: [String])
  /// The edit needs a movie, and the picture has none.
  case noMovie(file: String)
  /// The edit needs a live photo, and the movie isn't part of one.
  case notLive(file: String)
  /// The edit is for stills, and the picture is a video.
  case notStill(file: String)
  /// A time after the movie's end.
  case behindEnd(Moment, time: Double, duration: Double)
  /// A side of the picture exceeds the range of the kernels' fixed-point coordinates.
  case tooLarge(size: String, longestSide: Int)
  /// The target's size isn't the recipe's output size.
  case wrongTargetSize(given: String, needed: String)

  public var errorDescription: String? { description }

  /// A time of a recipe.
  public enum Moment: Sendable {
    case keyPhoto
    case trimStart
  }

  /// - Throws: `behindEnd` for a time after the movie's end.
  public static func checkTime(_ time: Double, atMost duration: Double, of moment: Moment) throws {
    guard time <= duration else { throw behindEnd(moment, time: time, duration: duration) }
  }

  /// - Throws: `outOfRange`, also for NaN.
  static func check(_ value: Double, in range: ClosedRange<Double>, name: String) throws {
    guard range.contains(value) else {
      throw outOfRange(name: name, value: value, lowest: range.lowerBound, highest: range.upperBound)
    }
  }
}
