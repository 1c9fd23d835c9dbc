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
  /// A time after the movie's end.
  case behindEnd(name: String, time: Double, duration: Double)
  /// A side of the picture exceeds the range of the kernels' fixed-point coordinates.
  case tooLarge(size: String, longestSide: Int)
  /// The target's size isn't the recipe's output size.
  case wrongTargetSize(given: String, needed: String)

  public var description: String {
    switch self {
    case .unknownFormat(let identifier):
      "The edit was made by another program (“\(identifier)”). Revert the picture to the original to edit it here."
    case .newerVersion(let version, let supported):
      """
      The edit was made by a newer version of PhotoMe (its format is \(version), this one reads \(supported)). Update \
      PhotoMe, or revert the picture to the original.
      """
    case .malformedVersion(let version):
      "The edit’s format version “\(version)” can’t be read. Revert the picture to the original to edit it again."
    case .malformed(let message):
      "The edit’s settings can’t be read: \(message). Revert the picture to the original to edit it again."
    case .unknownKeys(let keys):
      """
      The edit has settings that this version of PhotoMe does not know: \(keys.joined(separator: ", ")). Update PhotoMe, \
      or revert the picture to the original.
      """
    case .unknownEffect(let name, let known):
      "There is no effect “\(name)”. The effects are \(known.joined(separator: ", "))."
    case .unknownAdjustment(let name, let known):
      "There is no adjustment “\(name)”. The adjustments are \(known.joined(separator: ", "))."
    case .outOfRange(let name, let value, let lowest, let highest):
      "\(name) can’t be \(Self.text(value)). It goes from \(Self.text(lowest)) to \(Self.text(highest))."
    case .badTurn(let degrees):
      "A picture can’t be turned by \(degrees) degrees. Turn it by 0, 90, 180 or 270."
    case .badCrop:
      "The crop leaves the picture or has no area. Its left, top, width and height are parts of the picture, from 0 to 1."
    case .badTrim(let start, let end):
      "The trim from \(Self.text(start)) s to \(Self.text(end)) s has no length. Its end must come after its start."
    case .keyPhotoOutsideTrim(let time, let start, let end):
      """
      The key photo at \(Self.text(time)) s is cut off by the trim from \(Self.text(start)) s to \(Self.text(end)) s. Choose \
      a key photo within the trim.
      """
    case .unknownPlaybackStyle(let name, let known):
      "There is no playback style “\(name)”. The styles are \(known.joined(separator: ", "))."
    case .noMovie(let file):
      "“\(file)” has no video. Key photo, trim, mute and playback style are for live photos and videos."
    case .notLive(let file):
      "“\(file)” is a video, not a live photo. It has no key photo and no playback style."
    case .behindEnd(let name, let time, let duration):
      "The \(name) at \(Self.text(time)) s is behind the video’s end at \(Self.text((duration * 1000).rounded() / 1000)) s."
    case .tooLarge(let size, let longestSide):
      "The picture is too large to be edited: \(size) pixels. A side can have up to \(longestSide)."
    case .wrongTargetSize(let given, let needed):
      "The edited picture is \(needed) pixels, but \(given) were to be filled."
    }
  }

  public var errorDescription: String? { description }

  /// The shortest exact decimal representation.
  private static func text(_ value: Double) -> String {
    value == value.rounded() && abs(value) < 1e15 ? String(Int(value)) : String(value)
  }

  /// - Throws: `behindEnd` for a time after the movie's end.
  public static func checkTime(_ time: Double, atMost duration: Double, name: String) throws {
    guard time <= duration else { throw behindEnd(name: name, time: time, duration: duration) }
  }

  /// - Throws: `outOfRange`, also for NaN.
  static func check(_ value: Double, in range: ClosedRange<Double>, name: String) throws {
    guard range.contains(value) else {
      throw outOfRange(name: name, value: value, lowest: range.lowerBound, highest: range.upperBound)
    }
  }
}
