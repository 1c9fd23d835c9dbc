// A nondestructive edit of a picture and its movie, as values.

import Foundation
import Localization

/// All settings of an edit. An empty recipe is the original.
///
/// The settings are applied in one fixed order, described in `FrameProcessor`.
public struct AdjustmentRecipe: Sendable, Hashable {
  /// An effect and its intensity.
  public struct EffectSetting: Sendable, Hashable {
    public var effect: Effect
    /// 0…1; at 0 the effect changes nothing.
    public var intensity: Double
    /// The part of the picture that it changes. Not everywhere only for effects that allow it: see `Effect.hasScope`.
    public var scope: EffectScope
    /// What is put behind the person; `nil` for an effect without one.
    public var backdrop: Backdrop?

    public init(
      _ effect: Effect, intensity: Double = 1, scope: EffectScope = .everywhere, backdrop: Backdrop? = nil
    ) {
      self.effect = effect
      self.intensity = intensity
      self.scope = scope
      self.backdrop = backdrop ?? (effect.hasBackdrop ? .standard : nil)
    }

    /// - Throws: A `RecipeError`.
    func validate() throws {
      try RecipeError.check(intensity, in: 0...1, name: "intensity")
      guard scope == .everywhere || effect.hasScope else { throw RecipeError.badScope(effect: effect.title) }
      guard backdrop == nil || effect.hasBackdrop else { throw RecipeError.badBackdrop(effect: effect.title) }
    }
  }

  /// The kept part of a movie.
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

  /// The playback style of a live photo.
  public enum PlaybackStyle: String, CaseIterable, Sendable, Hashable {
    /// Once, with sound, on request.
    case live
    /// In a loop, without sound.
    case loop
    /// Forward and backward in a loop, without sound.
    case bounce
    /// As a still: the average of its frames.
    case longExposure = "long-exposure"

    /// The title for people.
    public var title: String {
      switch self {
      case .live: localized("Live", context: "playback style")
      case .loop: localized("Loop", context: "playback style")
      case .bounce: localized("Bounce", context: "playback style")
      case .longExposure: localized("Long Exposure", context: "playback style")
      }
    }
  }

  public var effect: EffectSetting?
  public var adjustments = Adjustments()
  public var geometry = Geometry()
  /// The corrections of the person's matte, in the order in which they were made: of the still alone, as people move in the
  /// movie.
  public var matteStrokes: [MatteStroke] = []
  /// Whether somebody was in the picture when it was taken, as the viewfinder saw it: people look away, and their faces are
  /// covered, while the effect stays. Of a movie it concerns the beginning. By itself it changes nothing.
  public var hasPerson = false
  /// Pupils of the still that a flash has made red; they belong to the present key photo.
  public var redEye: [RedEyeSpot] = []
  /// The time of the frame that becomes the still, in seconds from the original movie's start; `nil` for the still as taken.
  public var keyPhotoTime: Double?
  /// The kept part of the movie; `nil` for all of it.
  public var trim: Trim?
  /// Whether the movie's sound is removed.
  public var isMuted = false
  public var playbackStyle = PlaybackStyle.live

  public init() {}

  /// A recipe with an effect only.
  public init(_ effect: EffectSetting?) { self.effect = effect }

  // MARK: Extent

  /// Whether the pixels or size of the still change.
  public var changesPicture: Bool { changesFrames || !redEye.isEmpty }

  /// Whether the pixels or size of the still and of each frame change.
  public var changesFrames: Bool {
    (effect?.intensity ?? 0) > 0 || !adjustments.isNeutral || !geometry.isNeutral
  }

  /// Whether anything changes that only a picture with a movie has.
  public var changesMovie: Bool {
    keyPhotoTime != nil || trim != nil || isMuted || playbackStyle != .live
  }

  /// Whether the result is the original. An effect with an intensity of 0 does nothing, and neither do corrections of a matte
  /// that no effect needs.
  public var isNeutral: Bool { !changesPicture && !changesMovie }

  /// Whether the result is a still, although the original has a movie.
  public var isStillOnly: Bool { playbackStyle == .longExposure }

  /// The recipe without the settings for pictures with a movie.
  public var withoutMovieChanges: AdjustmentRecipe {
    var recipe = self
    recipe.keyPhotoTime = nil
    recipe.trim = nil
    recipe.isMuted = false
    recipe.playbackStyle = .live
    // Another frame may have nobody.
    if keyPhotoTime != nil || isStillOnly { recipe.hasPerson = false }
    return recipe
  }

  /// The person's own backdrop that it needs; `nil` for none.
  public var ownBackdrop: OwnBackdrop? {
    guard let effect, effect.intensity > 0, case .own(let own) = effect.backdrop else { return nil }
    return own
  }

  // MARK: The still

  /// Makes another frame the still, on which neither the corrections of the matte nor the red eyes fit.
  ///
  /// - Parameter time: As `keyPhotoTime`.
  public mutating func setKeyPhoto(_ time: Double?) {
    guard time != keyPhotoTime else { return }
    keyPhotoTime = time
    (matteStrokes, redEye) = ([], [])
  }

  /// Sets the playback style. The average of all frames is another still: see `setKeyPhoto`.
  public mutating func setPlaybackStyle(_ style: PlaybackStyle) {
    if (style == .longExposure) != isStillOnly { (matteStrokes, redEye) = ([], []) }
    playbackStyle = style
  }

  // MARK: Copy and paste

  /// This edit, copied from one picture and pasted onto another one with the edit `other`.
  ///
  /// The look carries over: the effect with its intensity and all adjustments, neutral ones too, so that several pictures
  /// match. Settings that belong to one picture stay the other's own: geometry, matte and person, red eyes, key photo,
  /// trim, sound and playback style.
  public func pasted(onto other: AdjustmentRecipe) -> AdjustmentRecipe {
    var result = other
    result.effect = effect
    result.adjustments = adjustments
    return result
  }

  // MARK: Validity

  /// The range of times, in seconds: a day.
  public static let timeRange = 0.0...86400.0

  /// - Throws: A `RecipeError` for the first value that can't be rendered.
  public func validate() throws {
    try effect?.validate()
    try adjustments.validate()
    try geometry.validate()
    try MatteStroke.validate(matteStrokes)
    try redEye.validate()
    if let keyPhotoTime { try RecipeError.check(keyPhotoTime, in: Self.timeRange, name: "keyPhotoTime") }
    guard let trim else { return }
    try RecipeError.check(trim.start, in: Self.timeRange, name: "trim.start")
    try RecipeError.check(trim.end, in: Self.timeRange, name: "trim.end")
    guard trim.end > trim.start else { throw RecipeError.badTrim(start: trim.start, end: trim.end) }
    if let keyPhotoTime, !(trim.start...trim.end).contains(keyPhotoTime) {
      throw RecipeError.keyPhotoOutsideTrim(time: keyPhotoTime, start: trim.start, end: trim.end)
    }
  }
}
