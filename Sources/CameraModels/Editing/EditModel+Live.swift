// What only a picture with a movie has: how it plays, its sound, its key photo, and what is kept of it.

import CameraCore
import Foundation
import PhotoEffects

extension EditModel {
  /// What a trim leaves at least, in seconds.
  public static let leastLength = 0.2
  /// A step of the keyboard in the movie, in seconds: a frame of most cameras.
  public static let frameStep = 1.0 / 30
  /// How near to the still's own frame a frame must be to be that one, in seconds.
  private static let sameFrame = 1.0 / 60

  /// When the still is shown in the movie, in seconds; `nil` where there is none.
  public var keyPhotoTime: Double? {
    guard hasMovie, !isVideo else { return nil }
    return recipe.keyPhotoTime ?? start?.input.photoDisplayTime
  }

  /// When the still as it was taken is shown in the movie.
  public var originalKeyPhotoTime: Double? { isVideo ? nil : start?.input.photoDisplayTime }

  /// The part of the movie that is kept, in seconds.
  public var trimRange: ClosedRange<Double>? { movieRange }

  public func select(style: AdjustmentRecipe.PlaybackStyle) {
    guard hasMovie, !isVideo else { return }
    change { $0.playbackStyle = style }
  }

  public func setMuted(_ isMuted: Bool) {
    guard hasMovie else { return }
    change { $0.isMuted = isMuted }
  }

  /// Plays the movie in the preview, or holds it.
  public func togglePlaying() { preview.setHeld(!preview.isHeld) }

  /// Shows the movie's picture of a time in seconds, and holds it.
  public func seek(to time: Double) {
    guard let movieDuration, time.isFinite else { return }
    preview.seek(to: min(max(0, time), movieDuration))
  }

  /// Makes a frame of the movie the still. Near the still's own frame it is the still as it was taken.
  public func setKeyPhoto(at time: Double) {
    guard let movieDuration, let range = movieRange, !isVideo, time.isFinite else { return }
    let held = min(max(range.lowerBound, time), min(range.upperBound, movieDuration))
    let isOwn = start?.input.photoDisplayTime.map { abs($0 - held) < Self.sameFrame } ?? false
    change { $0.keyPhotoTime = isOwn ? nil : held }
  }

  /// Makes the frame that is shown the still.
  public func makeKeyPhoto() { setKeyPhoto(at: preview.position) }

  /// Cuts the movie's beginning, and shows where.
  public func setTrimStart(_ time: Double) {
    guard let range = movieRange, time.isFinite else { return }
    setTrim(min(max(0, time), max(0, range.upperBound - Self.leastLength))...range.upperBound, isStart: true)
  }

  /// Cuts the movie's end, and shows where.
  public func setTrimEnd(_ time: Double) {
    guard let range = movieRange, let movieDuration, time.isFinite else { return }
    let end = min(max(time, range.lowerBound + Self.leastLength), movieDuration)
    setTrim(range.lowerBound...max(range.lowerBound, end), isStart: false)
  }

  private func setTrim(_ range: ClosedRange<Double>, isStart: Bool) {
    guard let movieDuration, movieDuration > Self.leastLength else { return }
    let isWhole = range.lowerBound <= 0 && range.upperBound >= movieDuration
    change(step: isStart ? "trim start" : "trim end") { recipe in
      recipe.trim = isWhole ? nil : AdjustmentRecipe.Trim(start: range.lowerBound, end: range.upperBound)
      // What is cut off can't be the still.
      if let time = recipe.keyPhotoTime { recipe.keyPhotoTime = min(max(range.lowerBound, time), range.upperBound) }
    }
    seek(to: isStart ? range.lowerBound : range.upperBound)
  }
}
