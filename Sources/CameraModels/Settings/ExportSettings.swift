// The settings of the export dialog.

/// What was chosen for the last export. What an earlier or later PhotoMe wrote, and this one doesn't know, takes its default;
/// only what may be private is left out of the copies, because nobody knows whether it was.
public struct ExportSettings: Codable, Equatable, Sendable {
  /// The path of the folder; `nil` for the Pictures folder.
  public var folder: String?
  /// The id of an `ExportChoice`.
  public var format = "current"
  /// The longer side in pixels; `nil` for the full size.
  public var longestSide: Int?
  public var removesLocation = false
  public var removesSound = false
  /// Whether all photos of a burst are exported, rather than its key photo.
  public var includesBursts = false
  /// Whether the pictures of a contact sheet have their names below them.
  public var showsNames = true

  public init() {}

  private enum CodingKeys: String, CodingKey {
    case folder, format, longestSide, removesLocation, removesSound, includesBursts, showsNames
  }

  /// - Throws: `DecodingError` when it isn't an object.
  public init(from decoder: any Decoder) throws {
    self.init(try SettingsReader(decoder, keyedBy: CodingKeys.self))
  }

  private init(_ values: SettingsReader<CodingKeys>) {
    folder = values.read(.folder)
    format = values.read(.format) ?? "current"
    longestSide = values.read(.longestSide)
    removesLocation = values.read(.removesLocation) ?? values.holds(.removesLocation)
    removesSound = values.read(.removesSound) ?? values.holds(.removesSound)
    includesBursts = values.read(.includesBursts) ?? false
    showsNames = values.read(.showsNames) ?? true
  }

  /// The choices of a preset, which is used as a whole or not at all: nobody sees what it would do.
  struct Preset: Decodable {
    let settings: ExportSettings
    /// The keys of the values that can't be read.
    let unreadable: [String]

    /// - Throws: `DecodingError` when it isn't an object.
    init(from decoder: any Decoder) throws {
      let values = try SettingsReader(decoder, keyedBy: ExportSettings.CodingKeys.self)
      settings = ExportSettings(values)
      unreadable = values.unreadableKeys
    }
  }
}
