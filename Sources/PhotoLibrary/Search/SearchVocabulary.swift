// The words of searches in the person's language and in English: kinds, fields, dates.

import Foundation
import Localization

/// Words with a meaning in searches. English ones are always among them.
public struct SearchVocabulary: Sendable {
  /// A stretch of time that is counted from today.
  enum Period: String, Sendable, CaseIterable {
    case today, yesterday, thisWeek, lastWeek, thisMonth, lastMonth, thisYear, lastYear
  }

  /// The units of “last 7 days”.
  enum Unit: String, Sendable, CaseIterable {
    case day, week, month, year
  }

  /// The word before the colon of `camera:canon`.
  enum Field: String, Sendable, CaseIterable {
    case name, camera, place, album, kind, date, size
  }

  /// Phrases of up to three words, folded and joined by spaces.
  private(set) var kinds: [String: SearchKind] = [:]
  private(set) var periods: [String: Period] = [:]
  /// 1…12.
  private(set) var months: [String: Int] = [:]
  /// 1 is Sunday.
  private(set) var weekdays: [String: Int] = [:]
  /// Those of the above that are abbreviations: “mar” and “so” are also words, so that alone they are only that.
  private(set) var abbreviations: Set<String> = []
  /// The first month of a season.
  private(set) var seasons: [String: Int] = [:]
  private(set) var units: [String: Unit] = [:]
  private(set) var lasts: Set<String> = []
  private(set) var fields: [String: Field] = [:]
  /// The names by which the program itself writes kinds and fields into a search.
  private(set) var kindNames: [SearchKind: String] = [:]
  private(set) var fieldNames: [Field: String] = [:]

  /// The largest number of words in a phrase.
  static let longestPhrase = 3

  /// The person's.
  public static let current = SearchVocabulary(locales: [.forText, .forDates])

  /// - Parameter locales: The languages of the names of months and weekdays, besides English.
  public init(locales: [Locale]) {
    for locale in locales + [Locale(identifier: "en_US")] { addNames(of: locale) }
    for kind in SearchKind.allCases {
      for word in Self.words(kind.localizedWords) + kind.englishWords.map(Self.key) where kinds[word] == nil {
        kinds[word] = kind
        if kindNames[kind] == nil { kindNames[kind] = word }
      }
    }
    let periodWords: [(Period, String, String)] = [
      (.today, "today", localized("today", context: "search words")),
      (.yesterday, "yesterday", localized("yesterday", context: "search words")),
      (.thisWeek, "this week", localized("this week", context: "search words")),
      (.lastWeek, "last week", localized("last week", context: "search words")),
      (.thisMonth, "this month", localized("this month", context: "search words")),
      (.lastMonth, "last month", localized("last month", context: "search words")),
      (.thisYear, "this year", localized("this year", context: "search words")),
      (.lastYear, "last year", localized("last year", context: "search words")),
    ]
    for (period, english, own) in periodWords { add(period, english, own, to: \.periods) }
    let seasonWords: [(Int, String, String)] = [
      (3, "spring", localized("spring", context: "search words")),
      (6, "summer", localized("summer", context: "search words")),
      (9, "autumn, fall", localized("autumn, fall", context: "search words")),
      (12, "winter", localized("winter", context: "search words")),
    ]
    for (month, english, own) in seasonWords { add(month, english, own, to: \.seasons) }
    let unitWords: [(Unit, String, String)] = [
      (.day, "day, days", localized("day, days", context: "search words")),
      (.week, "week, weeks", localized("week, weeks", context: "search words")),
      (.month, "month, months", localized("month, months", context: "search words")),
      (.year, "year, years", localized("year, years", context: "search words")),
    ]
    for (unit, english, own) in unitWords { add(unit, english, own, to: \.units) }
    lasts = Set(Self.words("last, past") + Self.words(localized("last, past", context: "search words")))
    let fieldWords: [(Field, String, String)] = [
      (.name, "name, file", localized("name, file", context: "search words")),
      (.camera, "camera", localized("camera", context: "search words")),
      (.place, "place, in", localized("place, in", context: "search words")),
      (.album, "album", localized("album", context: "search words")),
      (.kind, "kind, is, type", localized("kind, is, type", context: "search words")),
      (.date, "date, on", localized("date, on", context: "search words")),
      (.size, "size", localized("size", context: "search words")),
    ]
    for (field, english, own) in fieldWords {
      add(field, english, own, to: \.fields)
      // A name of several words could not stand before a colon.
      fieldNames[field] = Self.words(own).first { !$0.contains(" ") } ?? field.rawValue
    }
  }

  private mutating func add<Value>(
    _ value: Value, _ english: String, _ own: String, to table: WritableKeyPath<Self, [String: Value]>
  ) {
    for word in Self.words(own) + Self.words(english) where self[keyPath: table][word] == nil {
      self[keyPath: table][word] = value
    }
  }

  private mutating func addNames(of locale: Locale) {
    let formatter = DateFormatter()
    formatter.locale = locale
    formatter.calendar = Calendar(identifier: .gregorian)
    for list in [formatter.monthSymbols, formatter.standaloneMonthSymbols] { add(list, to: \.months) }
    for list in [formatter.weekdaySymbols, formatter.standaloneWeekdaySymbols] { add(list, to: \.weekdays) }
    for list in [formatter.shortMonthSymbols, formatter.shortStandaloneMonthSymbols] {
      add(list, to: \.months, areShort: true)
    }
    for list in [formatter.shortWeekdaySymbols, formatter.shortStandaloneWeekdaySymbols] {
      add(list, to: \.weekdays, areShort: true)
    }
  }

  private mutating func add(
    _ names: [String]?, to table: WritableKeyPath<Self, [String: Int]>, areShort: Bool = false
  ) {
    for (index, name) in (names ?? []).enumerated() {
      let key = Self.key(name)
      // “5月” is a name; a bare number isn't.
      guard !key.isEmpty, Int(key) == nil else { continue }
      if !areShort {
        abbreviations.remove(key)
      } else if self[keyPath: table][key] == nil {
        abbreviations.insert(key)
      }
      if self[keyPath: table][key] == nil { self[keyPath: table][key] = index + 1 }
    }
  }

  /// The words of a list that is separated by commas.
  private static func words(_ list: String) -> [String] {
    list.split(whereSeparator: { ",،、，".contains($0) }).map { key(String($0)) }.filter { !$0.isEmpty }
  }

  /// A word as it is looked up: folded, with single spaces, and without the period of an abbreviation.
  static func key(_ text: String) -> String {
    SearchText.folded(text).split(whereSeparator: \.isWhitespace)
      .map { $0.trimmingCharacters(in: CharacterSet(charactersIn: ".,")) }.joined(separator: " ")
  }
}
