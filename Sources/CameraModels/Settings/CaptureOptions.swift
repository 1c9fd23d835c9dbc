// The settings of the shutter.

/// How shots are taken. What an earlier or later PhotoMe wrote, and this one doesn't know, takes its default.
public struct CaptureOptions: Codable, Equatable, Sendable {
  /// The countdown before a shot or a movie.
  public var delay = ShutterDelay.none
  /// Whether the shutter and the countdown can be heard.
  public var playsSounds = true
  /// Whether files are mirrored where the viewfinder is.
  public var savesAsPreviewed = false
  /// The lines over the viewfinder.
  public var guides = CompositionGuide.off
  /// Whether the window lights up for photos.
  public var flash = FlashMode.off

  public init() {}

  private enum CodingKeys: String, CodingKey {
    case delay, playsSounds, savesAsPreviewed, flash, guides
  }

  /// - Throws: `DecodingError` when it is no object, or a value is of another type.
  public init(from decoder: any Decoder) throws {
    let values = try decoder.container(keyedBy: CodingKeys.self)
    delay = try values.decodeIfPresent(Int.self, forKey: .delay).flatMap(ShutterDelay.init) ?? .none
    playsSounds = try values.decodeIfPresent(Bool.self, forKey: .playsSounds) ?? true
    savesAsPreviewed = try values.decodeIfPresent(Bool.self, forKey: .savesAsPreviewed) ?? false
    guides = try values.decodeIfPresent(String.self, forKey: .guides).flatMap(CompositionGuide.init) ?? .off
    flash = try values.decodeIfPresent(String.self, forKey: .flash).flatMap(FlashMode.init) ?? .off
  }
}
