// Searches as people type them, and what they mean.

import CameraCore
import Foundation
import Testing

@testable import PhotoLibrary

@Suite(.timeLimit(.minutes(30))) struct SearchQueryTests {
  /// Thursday, 20 November 2025, half past eleven in the evening, an hour east of Greenwich.
  private static func context(_ locale: String = "en_GB") throws -> SearchContext {
    SearchContext(
      now: Date(timeIntervalSince1970: 1_763_677_800), timeZone: try #require(TimeZone(secondsFromGMT: 3600)),
      locale: Locale(identifier: locale), vocabulary: SearchVocabulary(locales: [Locale(identifier: locale)]))
  }

  private func readings(_ text: String, _ locale: String = "en_GB") throws -> [[SearchQuery.Condition]] {
    SearchQuery(text, try Self.context(locale)).terms.map(\.readings)
  }

  private func day(_ year: Int, _ month: Int, _ day: Int) -> Int { LocalTime.days(year: year, month: month, day: day) }

  /// The first day and the day after the last one, as digits.
  private func span(_ text: String, _ locale: String = "en_GB") throws -> String? {
    let terms = try readings(text, locale)
    guard terms.count == 1, case .days(let days)? = terms[0].first else { return nil }
    func digits(_ day: Int) -> String {
      let (year, month, day) = LocalTime.civil(days: day)
      return "\(year)-\(month)-\(day)"
    }
    return "\(digits(days.lowerBound)) \(digits(days.upperBound))"
  }

  @Test(arguments: [
    ("today", "2025-11-20 2025-11-21"), ("Yesterday", "2025-11-19 2025-11-20"),
    ("this week", "2025-11-17 2025-11-24"), ("last week", "2025-11-10 2025-11-17"),
    ("this month", "2025-11-1 2025-12-1"), ("last month", "2025-10-1 2025-11-1"),
    ("last year", "2024-1-1 2025-1-1"), ("last 7 days", "2025-11-14 2025-11-21"),
    ("past 3 months", "2025-8-1 2025-11-21"), ("last summer", "2025-6-1 2025-9-1"),
    ("last winter", "2024-12-1 2025-3-1"), ("last october", "2025-10-1 2025-11-1"),
    ("last november", "2024-11-1 2024-12-1"), ("last thursday", "2025-11-13 2025-11-14"),
    ("2025", "2025-1-1 2026-1-1"), ("2025-03", "2025-3-1 2025-4-1"), ("03/2025", "2025-3-1 2025-4-1"),
    ("2025-12", "2025-12-1 2026-1-1"), ("2025-03-09", "2025-3-9 2025-3-10"), ("9.3.2025", "2025-3-9 2025-3-10"),
    ("9/3/2025", "2025-3-9 2025-3-10"), ("12 May 2025", "2025-5-12 2025-5-13"),
    ("May 12, 2025", "2025-5-12 2025-5-13"), ("12th of may 2025", "2025-5-12 2025-5-13"),
    ("mar 2024", "2024-3-1 2024-4-1"), ("2024 March", "2024-3-1 2024-4-1"), ("summer 2024", "2024-6-1 2024-9-1"),
    ("winter 2024", "2024-12-1 2025-3-1"), ("29 february 2024", "2024-2-29 2024-3-1"),
    ("2019..2021", "2019-1-1 2022-1-1"), ("date:2025-03", "2025-3-1 2025-4-1"),
    ("date:last week", "2025-11-10 2025-11-17"),
    ("date:\"12 May 2025\"", "2025-5-12 2025-5-13"),
  ])
  func datesAreRead(text: String, expected: String) throws {
    #expect(try span(text) == expected, "\(text)")
  }

  @Test func datesWithoutAYearAreThoseOfEveryYear() throws {
    #expect(try readings("October") == [[.months([10]), .text("october")]])
    #expect(try readings("winter") == [[.months([12, 1, 2]), .text("winter")]])
    #expect(try readings("Monday") == [[.weekday(2), .text("monday")]])
    #expect(try readings("12 May") == [[.yearDay(month: 5, day: 12), .all([.text("12"), .text("may")])]])
    // An abbreviation alone is a word, unless it is said to be a date.
    #expect(try readings("mar") == [[.text("mar")]])
    #expect(try readings("date:mar") == [[.months([3])]])
  }

  @Test(arguments: ["30 february 2025", "2025-13", "31.4.2025", "0000", "9999", "12345", "IMG_2025", "5.5", "1-2"])
  func whatIsNoDateIsText(text: String) throws {
    for condition in try readings(text).flatMap(\.self) {
      if case .days = condition { #expect(text == "30 february 2025") }
      if case .yearDay = condition { Issue.record("\(text)") }
    }
    // A day that its month doesn't have leaves its parts.
    #expect(try readings("30 february 2025").count == 3 || readings("30 february 2025").count == 2)
  }

  @Test func americansWriteTheMonthFirst() throws {
    #expect(try span("3/9/2025", "en_US") == "2025-3-9 2025-3-10")
    #expect(try span("last week", "en_US") == "2025-11-9 2025-11-16", "a week begins on Sunday")
  }

  @Test func germanNamesAreKnownAndEnglishOnesStay() throws {
    #expect(try span("12. Mai 2025", "de_DE") == "2025-5-12 2025-5-13")
    #expect(try span("März 2024", "de_DE") == "2024-3-1 2024-4-1")
    #expect(try span("march 2024", "de_DE") == "2024-3-1 2024-4-1")
    #expect(try readings("Oktober", "de_DE") == [[.months([10]), .text("oktober")]])
    #expect(try readings("Donnerstag", "de_DE") == [[.weekday(5), .text("donnerstag")]])
    #expect(try readings("so", "de_DE") == [[.text("so")]], "also Sunday")
    #expect(try readings("selfie", "de_DE") == [[.kind(.selfie), .text("selfie")]])
  }

  @Test func wordsPhrasesAndExclusions() throws {
    let query = SearchQuery("sea -boat \"Trip  to\" -\"le port\"", try Self.context())
    #expect(
      query.terms == [
        .init([.text("sea")]), .init([.text("boat")], isExcluded: true), .init([.text("trip  to")]),
        .init([.text("le port")], isExcluded: true),
      ])
    #expect(try readings("a a A") == [[.text("a")]], "each once")
    #expect(try readings("- -- \"") == [[.text("-")], [.text("--")]])
  }

  @Test func fieldsAskForNothingElse() throws {
    #expect(try readings("camera:Canon") == [[.camera("canon")]])
    #expect(try readings("album:\"Summer 2024\"") == [[.album("summer 2024")]])
    #expect(try readings("in:Zürich") == [[.place("zurich")]])
    #expect(try readings("kind:movie") == [[.kind(.video)]])
    #expect(try readings("kind:live photo") == [[.kind(.livePhoto)]])
    #expect(try readings("kind:nonsense") == [[.nothing]])
    #expect(try readings("date:nonsense") == [[.nothing]])
    #expect(try readings("12:30 http://x camera:") == [[.text("12:30")], [.text("http://x")], [.text("camera:")]])
    #expect(SearchQuery("-kind:movie", try Self.context()).terms == [.init([.kind(.video)], isExcluded: true)])
  }

  @Test func sizesAreRead() throws {
    let most = UInt64(Int64.max)
    #expect(try readings(">5 MB") == [[.fileSize(5_000_000...most), .all([.text(">5"), .text("mb")])]])
    #expect(try readings("> 5 MB").first?.first == .fileSize(5_000_000...most))
    #expect(try readings("<1,5mb").first?.first == .fileSize(0...1_500_000))
    #expect(try readings("size:>2GiB") == [[.fileSize(2_147_483_648...most)]])
    #expect(try readings("4000×3000").first?.first == .pixels(PixelSize(width: 4000, height: 3000)))
    #expect(try readings("large") == [[.kind(.large), .text("large")]])
    #expect(try readings(">999999999GiB").count == 1)
  }

  @Test func theLengthOfASearchIsLimited() throws {
    let words = (0..<3000).map { "w\($0)" }.joined(separator: " ")
    #expect(try readings(words).count == SearchQuery.mostTerms)
    let long = try readings(String(repeating: "x", count: 10_000))
    #expect(long == [[.text(String(repeating: "x", count: SearchQuery.longestTerm))]])
  }
}
