// Dates in searches: “yesterday”, “last 7 days”, “summer 2024”, “12 May 2025”, “2025-03”.

import Foundation

/// Reads dates in words and in digits.
struct SearchDates {
  private let context: SearchContext
  /// Whether the words stand after `date:`, where abbreviations mean what they abbreviate.
  private let isField: Bool
  private var words: SearchVocabulary { context.vocabulary }

  /// Other numbers aren't years: pictures have numbers in their names.
  private static let years = 1800...2199

  init(_ context: SearchContext, isField: Bool = false) { (self.context, self.isField) = (context, isField) }

  /// The longest date that a phrase begins with, and its number of words.
  func read(_ phrase: [String]) -> (meaning: SearchQuery.Condition, count: Int)? {
    let keys = phrase.map { SearchVocabulary.key($0) }
    for count in stride(from: min(keys.count, 4), to: 0, by: -1) {
      if let meaning = date(Array(keys.prefix(count))) { return (meaning, count) }
    }
    return nil
  }

  private func date(_ keys: [String]) -> SearchQuery.Condition? {
    let phrase = keys.joined(separator: " ")
    if let period = words.periods[phrase] { return .days(days(of: period)) }
    if !isField, words.abbreviations.contains(phrase) { return nil }
    if let month = words.months[phrase] { return .months([month]) }
    if let start = words.seasons[phrase] { return season(start, year: nil) }
    if let weekday = words.weekdays[phrase] { return .weekday(weekday) }
    if keys.count == 1 { return digits(keys[0]) }
    if let meaning = past(keys) { return meaning }
    // “12 of May” is “12 May”.
    let parts = keys.filter { $0 != "of" && $0 != "de" && $0 != "the" }
    guard parts.count < 4 else { return nil }
    let years = parts.compactMap { year($0) }
    let months = parts.compactMap { words.months[$0] }
    let starts = parts.compactMap { words.seasons[$0] }
    let days = parts.compactMap { day($0) }
    guard years.count <= 1, months.count + starts.count == 1, years.count + days.count + 1 == parts.count else {
      return nil
    }
    if let start = starts.first { return days.isEmpty ? season(start, year: years.first) : nil }
    guard let month = months.first, days.count <= 1 else { return nil }
    switch (years.first, days.first) {
    case (let year?, let day?): return one(year: year, month: month, day: day)
    case (let year?, nil): return .days(Self.days(year: year, month: month, count: 1))
    case (nil, let day?):
      return Self.exists(year: 2024, month: month, day: day) ? .yearDay(month: month, day: day) : nil
    case (nil, nil): return nil
    }
  }

  // MARK: Counted from today

  private func days(of period: SearchVocabulary.Period) -> Range<Int> {
    let today = context.today
    let week = today - Self.modulo(Self.weekday(of: today) - context.firstWeekday, 7)
    let (year, month, _) = LocalTime.civil(days: today)
    switch period {
    case .today: return today..<today + 1
    case .yesterday: return today - 1..<today
    case .thisWeek: return week..<week + 7
    case .lastWeek: return week - 7..<week
    case .thisMonth: return Self.days(year: year, month: month, count: 1)
    case .lastMonth: return Self.days(year: year, month: month - 1, count: 1)
    case .thisYear: return Self.days(year: year, month: 1, count: 12)
    case .lastYear: return Self.days(year: year - 1, month: 1, count: 12)
    }
  }

  /// “last 7 days” with today as the last, “last summer”, “last October”, “last Monday”.
  private func past(_ keys: [String]) -> SearchQuery.Condition? {
    guard let index = keys.firstIndex(where: { words.lasts.contains($0) }) else { return nil }
    var rest = keys
    rest.remove(at: index)
    let today = context.today
    let (year, month, _) = LocalTime.civil(days: today)
    if rest.count == 2, let count = rest.lazy.compactMap({ Int($0) }).first, (1...1000).contains(count),
      let unit = rest.lazy.compactMap({ words.units[$0] }).first
    {
      switch unit {
      case .day: return .days(today - count + 1..<today + 1)
      case .week: return .days(today - 7 * count + 1..<today + 1)
      case .month: return .days(Self.days(year: year, month: month - count, count: 1).lowerBound..<today + 1)
      case .year: return .days(Self.days(year: year - count, month: month, count: 1).lowerBound..<today + 1)
      }
    }
    guard rest.count == 1 else { return nil }
    if let wanted = words.months[rest[0]] {
      return .days(Self.days(year: wanted < month ? year : year - 1, month: wanted, count: 1))
    }
    if let start = words.seasons[rest[0]] {
      let this = Self.days(year: year, month: start, count: 3)
      return .days(this.upperBound <= today ? this : Self.days(year: year - 1, month: start, count: 3))
    }
    if let weekday = words.weekdays[rest[0]] {
      let back = Self.modulo(Self.weekday(of: today) - weekday - 1, 7) + 1
      return .days(today - back..<today - back + 1)
    }
    return nil
  }

  // MARK: Of the calendar

  /// A season of the northern half by whole months; a winter belongs to the year in which it begins.
  private func season(_ start: Int, year: Int?) -> SearchQuery.Condition {
    guard let year else { return .months((0..<3).map { (start + $0 - 1) % 12 + 1 }) }
    return .days(Self.days(year: year, month: start, count: 3))
  }

  /// `2025`, `2025-03`, `2025-03-12`, `12.5.2025`, `3/12/2025`, `2019..2021`.
  private func digits(_ key: String) -> SearchQuery.Condition? {
    if let dots = key.range(of: "..") {
      guard case .days(let first)? = digits(String(key[..<dots.lowerBound])),
        case .days(let last)? = digits(String(key[dots.upperBound...])), first.lowerBound < last.upperBound
      else { return nil }
      return .days(first.lowerBound..<last.upperBound)
    }
    let separators = key.filter { !$0.isNumber }
    let numbers = key.split(whereSeparator: { !$0.isNumber }).compactMap { Int($0) }
    guard numbers.count == separators.count + 1, key.first?.isNumber == true, Set(separators).count <= 1 else {
      return nil
    }
    switch (numbers.count, separators.first) {
    case (1, nil): return year(key).map { .days(Self.days(year: $0, month: 1, count: 12)) }
    case (2, "-"), (2, "/"), (2, "."):
      if Self.years.contains(numbers[0]), key.utf8.count >= 6 { return wholeMonth(numbers[0], numbers[1]) }
      return Self.years.contains(numbers[1]) ? wholeMonth(numbers[1], numbers[0]) : nil
    case (3, "-"), (3, "/"), (3, "."):
      if Self.years.contains(numbers[0]) { return one(year: numbers[0], month: numbers[1], day: numbers[2]) }
      guard Self.years.contains(numbers[2]) else { return nil }
      let isMonthFirst = separators.first == "/" && context.isMonthFirst
      let (month, day) = isMonthFirst ? (numbers[0], numbers[1]) : (numbers[1], numbers[0])
      return one(year: numbers[2], month: month, day: day)
    default: return nil
    }
  }

  private func year(_ key: String) -> Int? {
    guard key.utf8.count == 4, let number = Int(key), Self.years.contains(number) else { return nil }
    return number
  }

  /// `3`, `3rd`, `3.`
  private func day(_ key: String) -> Int? {
    let digits = key.prefix { ("0"..."9").contains($0) }
    guard let number = Int(digits), (1...31).contains(number) else { return nil }
    return ["", "st", "nd", "rd", "th", "er", "º", "o"].contains(key.dropFirst(digits.count)) ? number : nil
  }

  private func wholeMonth(_ year: Int, _ month: Int) -> SearchQuery.Condition? {
    (1...12).contains(month) ? .days(Self.days(year: year, month: month, count: 1)) : nil
  }

  private func one(year: Int, month: Int, day: Int) -> SearchQuery.Condition? {
    guard Self.exists(year: year, month: month, day: day) else { return nil }
    let number = LocalTime.days(year: year, month: month, day: day)
    return .days(number..<number + 1)
  }

  private static func exists(year: Int, month: Int, day: Int) -> Bool {
    guard (1...12).contains(month), (1...31).contains(day) else { return false }
    return days(year: year, month: month, count: 1).count >= day
  }

  /// The days of some months; a month before January or after December is one of another year.
  static func days(year: Int, month: Int, count: Int) -> Range<Int> {
    func first(_ month: Int) -> Int {
      let years = Int((Double(month - 1) / 12).rounded(.down))
      return LocalTime.days(year: year + years, month: modulo(month - 1, 12) + 1, day: 1)
    }
    return first(month)..<first(month + count)
  }

  /// 1 is Sunday; 1970-01-01 was a Thursday.
  private static func weekday(of day: Int) -> Int { modulo(day + 4, 7) + 1 }

  private static func modulo(_ number: Int, _ divisor: Int) -> Int { (number % divisor + divisor) % divisor }
}
