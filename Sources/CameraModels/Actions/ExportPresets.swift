// Export presets: choices of the export dialog under a name.

import Localization

/// The presets of exports: those that come with PhotoMe, and a person's own in the settings.
public enum ExportPresets {
  /// A preset as it is listed.
  public struct Item: Identifiable, Equatable, Sendable {
    /// The name in the settings; of those that come with PhotoMe one that no setting has.
    public var id: String
    public var title: String
    /// Its folder is not used: it is the one of the last export.
    public var settings: ExportSettings
    public var isOwn: Bool
  }

  /// The name as a command or a person gives it, without spaces around it; `nil` when it is empty.
  public static func name(_ text: String) -> String? {
    let name = String(text.drop { $0.isWhitespace }.reversed().drop { $0.isWhitespace }.reversed())
    return name.isEmpty ? nil : name
  }

  /// Those that come with PhotoMe.
  public static var builtIn: [Item] {
    var email = ExportSettings()
    (email.format, email.longestSide, email.removesLocation) = ("jpeg", 1280, true)
    var web = ExportSettings()
    (web.format, web.longestSide, web.removesLocation) = ("jpeg", 2048, true)
    return [
      Item(
        id: "\0email", title: localized("Small, for Email", context: "export preset"), settings: email, isOwn: false),
      Item(id: "\0web", title: localized("For the Web", context: "export preset"), settings: web, isOwn: false),
    ]
  }

  /// All presets: first those that come with PhotoMe, then one's own by name.
  public static func all(own: [String: ExportSettings]) -> [Item] {
    builtIn
      + own.sorted { $0.key.localizedStandardCompare($1.key) == .orderedAscending }.map {
        Item(id: $0.key, title: $0.key, settings: $0.value, isOwn: true)
      }
  }

  /// The preset that a person names; one's own before those that come with PhotoMe.
  public static func named(_ name: String, own: [String: ExportSettings]) -> Item? {
    let all = all(own: own)
    return all.first { $0.isOwn && $0.title == name }
      ?? all.first { $0.title.caseInsensitiveCompare(name) == .orderedSame }
  }
}
