// Numbers, dates and lists in the person's locale.

import CGettext
import Foundation

extension Locale {
  /// The locale of numbers and sizes, `LC_NUMERIC`. Foundation's `current` doesn't follow the environment on Linux.
  public static let forNumbers = person(LC_NUMERIC)
  /// The locale of dates, times and durations, `LC_TIME`.
  public static let forDates = person(LC_TIME)
  /// The locale of sentences: the catalog's language, which `LANGUAGE` may have chosen.
  public static let forText = MessageCatalog.language.map(Locale.init(identifier:)) ?? Locale(identifier: "en_US")

  private static func person(_ category: Int32) -> Locale {
    Locale(identifier: identifier(of: setlocale(category, nil).map { String(cString: $0) } ?? "C"))
  }

  /// The identifier of a locale by its POSIX name: `de_DE.UTF-8` is `de_DE`, `sr_RS.UTF-8@latin` is `sr_Latn_RS`; the
  /// nameless ones are American.
  static func identifier(of name: String) -> String {
    let parts = name.split(separator: "@", maxSplits: 1)
    let base = parts.first.map { String($0.prefix { $0 != "." }) } ?? ""
    if ["", "C", "POSIX"].contains(base) { return "en_US" }
    let scripts = ["latin": "Latn", "cyrillic": "Cyrl", "devanagari": "Deva"]
    guard parts.count == 2, let script = scripts[String(parts[1])] else { return base }
    let pieces = base.split(separator: "_", maxSplits: 1).map(String.init)
    return ([pieces[0], script] + pieces.dropFirst()).joined(separator: "_")
  }

  /// Whether numbers are written with the digits 0 to 9: then small ones need none of ICU's help, which takes some
  /// milliseconds when it is used first.
  fileprivate static let hasPlainDigits = ["en", "de", "fr", "es", "it", "pt", "nl", "ja", "zh", "ko", "ru", "pl"]
    .contains {
      forNumbers.identifier == $0 || forNumbers.identifier.hasPrefix($0 + "_")
    }
}

extension BinaryInteger {
  /// The number as the person writes it: 12,345 or 12.345.
  public var localized: String {
    if self >= 0, self < 1000, Locale.hasPlainDigits { return "\(self)" }
    return Int64(clamping: self).formatted(.number.locale(.forNumbers))
  }
}

extension Double {
  /// The number as the person writes it: 1.5 or 1,5.
  ///
  /// - Parameter decimals: The number of decimals, at least and at most.
  public func localized(decimals: ClosedRange<Int> = 0...2) -> String {
    formatted(.number.precision(.fractionLength(decimals)).locale(.forNumbers))
  }

  /// The count that chooses the plural of the number as it is written with so many decimals: 1 for 1, and a large one for
  /// fractions, which gettext can't count: most languages write 1.5 as they do large numbers.
  public func countOfPlural(decimals: Int = 1) -> Int {
    let scale = (0..<decimals).reduce(1.0) { scale, _ in scale * 10 }
    let shown = ((self * scale).rounded() / scale).magnitude
    return Int(exactly: shown) ?? 100
  }
}

extension Date {
  /// The date as the person writes it, in a style whose locale is replaced.
  public func localized(_ style: FormatStyle) -> String { formatted(style.locale(.forDates)) }
}

extension Sequence where Element == String {
  /// “a, b, and c”.
  public var localizedList: String { formatted(.list(type: .and).locale(.forText)) }
  /// “a, b, or c”.
  public var localizedChoices: String { formatted(.list(type: .or).locale(.forText)) }
}
