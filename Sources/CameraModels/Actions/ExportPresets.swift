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
  ///
  /// - Throws: When there is none, or it can't be used as it is in the settings.
  public static func named(_ name: String, in settings: AppSettings) throws(ExportPresetError) -> Item {
    func isSame(_ title: String) -> Bool { title.caseInsensitiveCompare(name) == .orderedSame }
    let (all, unreadable) = (all(own: settings.exportPresets), settings.unreadablePresets)
    let own = all.first { $0.isOwn && $0.title == name }
    if own == nil, let keys = unreadable[name] { throw .unreadable(name: name, keys: keys) }
    guard let found = own ?? all.first(where: { isSame($0.title) }) else {
      if let other = unreadable.keys.sorted().first(where: isSame) {
        throw .unreadable(name: other, keys: unreadable[other] ?? [])
      }
      let known = all.filter { ExportChoice.named($0.settings.format) != nil }
      throw .missing(name: name, known: known.map(\.title))
    }
    guard ExportChoice.named(found.settings.format) != nil else {
      throw .unknownFormat(name: found.title, format: found.settings.format)
    }
    return found
  }
}

/// A preset that was named and can't be used.
public enum ExportPresetError: Error, Equatable, CustomStringConvertible {
  /// - known: The names of those that there are.
  case missing(name: String, known: [String])
  /// - keys: Those of the values that can't be read.
  case unreadable(name: String, keys: [String])
  /// - format: What should be the id of an `ExportChoice`.
  case unknownFormat(name: String, format: String)

  public var description: String {
    switch self {
    case .missing(let name, let known):
      let names = known.map { "“\($0)”" }.joined(separator: ", ")
      return localized("There is no export preset “\(name)”. There are: \(names).")
    case .unreadable(let name, let keys):
      let list = keys.joined(separator: ", ")
      return localized(
        """
        The export preset “\(name)” can’t be used: some of its values can’t be read (\(list)). Save it again in the export \
        dialog.
        """)
    case .unknownFormat(let name, let format):
      return localized(
        """
        The export preset “\(name)” can’t be used: this version of PhotoMe doesn’t know its format “\(format)”. Update \
        PhotoMe, or save the preset again in the export dialog.
        """)
    }
  }
}
