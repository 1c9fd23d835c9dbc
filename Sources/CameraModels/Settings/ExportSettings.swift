// The settings of the export dialog.

/// What was chosen for the last export. What an earlier or later PhotoMe wrote, and this one doesn't know, takes its default.
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
    let values = try SettingsReader(decoder, keyedBy: CodingKeys.self)
    folder = values.read(.folder)
    format = values.read(.format) ?? "current"
    longestSide = values.read(.longestSide)
    removesLocation = values.read(.removesLocation) ?? false
    removesSound = values.read(.removesSound) ?? false
    includesBursts = values.read(.includesBursts) ?? false
    showsNames = values.read(.showsNames) ?? true
  }
}
