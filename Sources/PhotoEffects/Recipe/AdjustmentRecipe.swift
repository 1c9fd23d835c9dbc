// An edit as values: what is done to a picture and to its movie, in a form that reopens.

import Foundation

/// Everything that an edit does. Nothing set is the original.
///
/// The values are applied in one order, whatever the order in which they were chosen; `FrameProcessor` says which and why.
public struct AdjustmentRecipe: Sendable, Hashable {
  /// An effect and how strong it is.
  public struct EffectSetting: Sendable, Hashable {
    public var effect: Effect
    /// 0…1: 0 leaves the picture as it is.
    public var intensity: Double

    public init(_ effect: Effect, intensity: Double = 1) {
      self.effect = effect
      self.intensity = intensity
    }
  }

  /// The part of a movie that is kept.
  public struct Trim: Sendable, Hashable {
    /// In seconds from the original movie's start.
    public var start: Double
    /// In seconds from the original movie's start.
    public var end: Double

    public init(start: Double, end: Double) {
      self.start = start
      self.end = end
    }
  }

  /// How a live photo moves.
  public enum PlaybackStyle: String, CaseIterable, Sendable, Hashable {
    /// Once, with sound, when asked to.
    case live
    /// Over and over, without sound.
    case loop
    /// Forward and backward, over and over, without sound.
    case bounce
    /// Not at all: the average of its frames is a still.
    case longExposure = "long-exposure"

    /// As a person reads it.
    public var title: String {
      switch self {
      case .live: "Live"
      case .loop: "Loop"
      case .bounce: "Bounce"
      case .longExposure: "Long Exposure"
      }
    }
  }

  public var effect: EffectSetting?
  public var adjustments = Adjustments()
  public var geometry = Geometry()
  /// Which frame of the movie is the still, in seconds from the original movie's start; `nil` is the still as it was taken.
  public var keyPhotoTime: Double?
  /// What is kept of the movie; `nil` is all of it.
  public var trim: Trim?
  /// Whether the movie's sound is left out.
  public var isMuted = false
  public var playbackStyle = PlaybackStyle.live

  public init() {}

  /// An effect and nothing else.
  public init(_ effect: EffectSetting?) { self.effect = effect }

  // MARK: What it does

  /// Whether a picture's pixels or size are changed, of the still and of each frame alike.
  public var changesPicture: Bool {
    (effect?.intensity ?? 0) > 0 || !adjustments.isNeutral || !geometry.isNeutral
  }

  /// Whether anything is changed that only a picture with a movie has.
  public var changesMovie: Bool {
    keyPhotoTime != nil || trim != nil || isMuted || playbackStyle != .live
  }

  /// Whether the result is the original. An effect with an intensity of 0 does nothing.
  public var isNeutral: Bool { !changesPicture && !changesMovie }

  /// Whether the result is a still, although the original has a movie.
  public var isStillOnly: Bool { playbackStyle == .longExposure }

  /// The same without what only a picture with a movie has.
  public var withoutMovieChanges: AdjustmentRecipe {
    var recipe = self
    recipe.keyPhotoTime = nil
    recipe.trim = nil
    recipe.isMuted = false
    recipe.playbackStyle = .live
    return recipe
  }

  // MARK: Copy and paste

  /// This edit, copied from one picture, as it is pasted to another one that has the edit `other`.
  ///
  /// The look carries over: the effect with its intensity and all adjustments, neutral ones too, so that several pictures
  /// become alike. What belongs to the one picture stays the other's own: how it is turned, straightened and cropped, its
  /// key photo, its trim, its sound and how it plays.
  public func pasted(onto other: AdjustmentRecipe) -> AdjustmentRecipe {
    var result = other
    result.effect = effect
    result.adjustments = adjustments
    return result
  }

  // MARK: Validity

  /// What times may be, in seconds: a day.
  public static let timeRange = 0.0...86400.0

  /// - Throws: A `RecipeError` for the first value that can't be rendered.
  public func validate() throws {
    if let effect { try RecipeError.check(effect.intensity, in: 0...1, name: "intensity") }
    try adjustments.validate()
    try geometry.validate()
    if let keyPhotoTime { try RecipeError.check(keyPhotoTime, in: Self.timeRange, name: "keyPhotoTime") }
    guard let trim else { return }
    try RecipeError.check(trim.start, in: Self.timeRange, name: "trim start")
    try RecipeError.check(trim.end, in: Self.timeRange, name: "trim end")
    guard trim.end > trim.start else { throw RecipeError.badTrim(start: trim.start, end: trim.end) }
    if let keyPhotoTime, !(trim.start...trim.end).contains(keyPhotoTime) {
      throw RecipeError.keyPhotoOutsideTrim(time: keyPhotoTime, start: trim.start, end: trim.end)
    }
  }
}
