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
  /// The time between the photos of a series; none for single photos.
  public var interval = ShotInterval.none
  /// The number of photos of a series.
  public var intervalCount = ShotCount.unlimited
  /// Whether the shutter takes four photos for a sheet.
  public var booth = BoothChoice.off
  /// Whether QR codes in the viewfinder are recognized.
  public var looksForCodes = true

  public init() {}

  private enum CodingKeys: String, CodingKey {
    case delay, playsSounds, savesAsPreviewed, flash, guides, looksForCodes, interval, intervalCount, booth
  }

  /// - Throws: `DecodingError` when it isn't an object.
  public init(from decoder: any Decoder) throws {
    let values = try SettingsReader(decoder, keyedBy: CodingKeys.self)
    delay = values.choice(.delay) ?? .none
    playsSounds = values.read(.playsSounds) ?? true
    savesAsPreviewed = values.read(.savesAsPreviewed) ?? false
    interval = values.choice(.interval) ?? .none
    intervalCount = values.choice(.intervalCount) ?? .unlimited
    booth = values.choice(.booth) ?? .off
    looksForCodes = values.read(.looksForCodes) ?? true
    guides = values.choice(.guides) ?? .off
    flash = values.choice(.flash) ?? .off
  }
}
