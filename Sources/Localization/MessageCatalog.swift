// The catalog of translated messages, and the functions that look texts up in it.

import CGettext
import Foundation

/// The translated messages of the program, in GNU gettext's format.
///
/// Texts stay English until `use(folder:)` was called, as in the benchmarks and in the tests of the models.
public enum MessageCatalog {
  /// The name of the catalog, `photome.mo`.
  public static let domain = "photome"

  /// Takes the language, the digits and the calendar of the environment (`LANGUAGE`, `LC_ALL`, `LC_MESSAGES`, `LANG`, …).
  ///
  /// To be called once, first of all in `main`: what was shown before stays as it is, and the C library's locale must not
  /// change while other threads read it.
  ///
  /// - Parameter folder: The folder with the catalogs, `LANGUAGE/LC_MESSAGES/photome.mo`.
  public static func use(folder: String) {
    setlocale(LC_ALL, "")
    bindtextdomain(domain, folder)
    // Swift's texts are UTF-8 in whatever locale.
    bind_textdomain_codeset(domain, "UTF-8")
  }

  /// The language of the catalog that is used, as its header names it; `nil` where texts are English.
  static let language = language(ofHeader: translation(of: ""))

  static func language(ofHeader header: String) -> String? {
    header.split(separator: "\n").first { $0.hasPrefix("Language: ") }.map { String($0.dropFirst(10)) }
  }

  /// Whether the texts are read from the right.
  public static let isRightToLeft = ["ar", "fa", "he", "ur"].contains(language.map { String($0.prefix { $0 != "_" }) })
}

/// A text in the person's language.
///
/// ```swift
/// localized("“\(name)” was unplugged. Plug it in again to go on.")
/// localized("Open", context: "menu", comment: "Opens the selected picture in the viewer")
/// ```
///
/// It is looked up each time: keep the call in a computed property, not in a constant that may be set before the language is.
///
/// - Parameters:
///   - text: The English text, a literal.
///   - context: Tells two texts apart that are the same in English only.
///   - comment: A remark for translators.
/// - Returns: The English text where there is no translation.
public func localized(_ text: LocalizationValue, context: StaticString? = nil, comment: StaticString? = nil) -> String {
  guard let context else { return text.filled(translation(of: text.key)) }
  // As gettext.h has it: EOT, which no text contains, separates the two.
  let id = "\(context)\u{4}\(text.key)"
  let found = translation(of: id)
  return text.filled(found == id ? text.key : found)
}

/// A text about a number of things, in the person's language, with the plural form that the language has for the number.
///
/// ```swift
/// localized("\(count) picture", plural: "\(count) pictures", count: count)
/// ```
///
/// - Parameters:
///   - one: The English text for one thing. Its placeholders are the same as those of `plural`.
///   - plural: The English text for any other number.
///   - count: The number, at least 0.
///   - comment: A remark for translators.
public func localized(
  _ one: LocalizationValue, plural: LocalizationValue, count: Int, comment: StaticString? = nil
) -> String {
  let found = one.key.withCString { one in
    plural.key.withCString { plural in
      dngettext(MessageCatalog.domain, one, plural, UInt(clamping: count)).map { String(cString: $0) }
    }
  }
  // A translation for one may have a placeholder that the English text does without.
  return plural.filled(found ?? plural.key)
}

/// A text of another package in the person's language, from the system's catalogs: the name of a city, for example.
///
/// - Parameters:
///   - text: The English text.
///   - context: What tells it apart from an equal text; `nil` where the package has none for it.
///   - domain: The name of the package's catalog.
/// - Returns: The text itself where the system has no translation.
public func systemTranslation(of text: String, context: String?, domain: String) -> String {
  // The empty text stands for a catalog's header.
  guard !text.isEmpty, MessageCatalog.language != nil else { return text }
  bind_textdomain_codeset(domain, "UTF-8")
  let id = context.map { "\($0)\u{4}\(text)" } ?? text
  let found = id.withCString { String(cString: dgettext(domain, $0)) }
  return found == id ? text : found
}

/// The translation, or the text itself. gettext returns the very pointer that it got where there is no translation, so the
/// result is copied while that is valid.
private func translation(of text: String) -> String {
  text.withCString { String(cString: dgettext(MessageCatalog.domain, $0)) }
}
