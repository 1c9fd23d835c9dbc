// Editing the movie: playback style, sound, key photo and trim.

import CameraCore
import Foundation
import Localization
import PhotoEffects

extension EditModel {
  /// The minimum duration that a trim leaves, in seconds.
  public static let leastLength = 0.2
  /// The distance of one arrow key press in the movie, in seconds: one frame of most cameras.
  public static let frameStep = 1.0 / 30
  /// The maximum distance from the still's own frame at which a frame counts as that one, in seconds.
  private static let sameFrame = 1.0 / 60

  /// The key photo's time in the movie, in seconds; `nil` where there is none.
  public var keyPhotoTime: Double? {
    guard hasMovie, !isVideo else { return nil }
    return recipe.keyPhotoTime ?? start?.input.photoDisplayTime
  }

  /// The range of the movie that is kept, in seconds.
  public var trimRange: ClosedRange<Double>? { movieRange }

  /// The duration that the trim leaves; empty without a movie.
  public var trimText: String {
    guard let range = trimRange, let whole = movieDuration else { return "" }
    let left = range.upperBound - range.lowerBound
    guard recipe.trim != nil else { return localized("Duration: \(PictureInfo.length(whole))") }
    return localized(
      "\(PictureInfo.length(left)) of \(PictureInfo.length(whole))",
      comment: "The length of a trimmed video, and its length before, as in “2.4 s of 3.0 s”")
  }

  public func select(style: AdjustmentRecipe.PlaybackStyle) {
    guard hasMovie, !isVideo else { return }
    change { $0.setPlaybackStyle(style) }
  }

  public func setMuted(_ isMuted: Bool) {
    guard hasMovie else { return }
    change { $0.isMuted = isMuted }
  }

  /// Plays or pauses the movie in the preview.
  public func togglePlaying() { preview.setHeld(!preview.isHeld) }

  /// Shows the movie's frame at a time in seconds, paused.
  public func seek(to time: Double) {
    guard let movieDuration, time.isFinite else { return }
    preview.seek(to: min(max(0, time), movieDuration))
  }

  /// Makes a frame of the movie the key photo. Close to the original still's frame that is the original still itself.
  public func setKeyPhoto(at time: Double) {
    guard let movieDuration, let range = movieRange, !isVideo, time.isFinite else { return }
    let held = min(max(range.lowerBound, time), min(range.upperBound, movieDuration))
    let isOwn = start?.input.photoDisplayTime.map { abs($0 - held) < Self.sameFrame } ?? false
    change { $0.setKeyPhoto(isOwn ? nil : held) }
  }

  /// Makes the current frame the key photo.
  public func makeKeyPhoto() { setKeyPhoto(at: preview.position) }

  /// Trims the movie's beginning, and shows the new first frame.
  public func setTrimStart(_ time: Double) {
    guard let range = movieRange, time.isFinite else { return }
    setTrim(min(max(0, time), max(0, range.upperBound - Self.leastLength))...range.upperBound, isStart: true)
  }

  /// Trims the movie's end, and shows the new last frame.
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
      // The key photo must be inside the trimmed range.
      if let time = recipe.keyPhotoTime { recipe.setKeyPhoto(min(max(range.lowerBound, time), range.upperBound)) }
    }
    seek(to: isStart ? range.lowerBound : range.upperBound)
  }
}
