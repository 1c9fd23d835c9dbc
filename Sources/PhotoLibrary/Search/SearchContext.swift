// What the meaning of a search depends on: the time, the calendar, and the language.

import Foundation
import Localization

/// The moment and the language in which a search is read.
public struct SearchContext: Sendable {
  /// Days since 1970-01-01, in the person's time zone.
  public var today: Int
  /// The first day of a week; 1 is Sunday.
  public var firstWeekday: Int
  /// Whether 3/4 is the fourth of March.
  public var isMonthFirst: Bool
  public var vocabulary: SearchVocabulary

  public init(
    now: Date, timeZone: TimeZone, locale: Locale = .forDates, vocabulary: SearchVocabulary = .current
  ) {
    let seconds = now.timeIntervalSince1970 + Double(timeZone.secondsFromGMT(for: now))
    // Clamped: a clock may tell anything.
    today = Int((seconds / 86_400).rounded(.down).clamped(to: -700_000...2_900_000))
    var calendar = Calendar(identifier: .gregorian)
    calendar.locale = locale
    firstWeekday = calendar.firstWeekday
    isMonthFirst = locale.region?.identifier == "US"
    self.vocabulary = vocabulary
  }

  /// This moment, here.
  public static var current: SearchContext { SearchContext(now: Date(), timeZone: .current) }
}

extension Double {
  fileprivate func clamped(to range: ClosedRange<Double>) -> Double {
    isFinite ? Swift.min(Swift.max(self, range.lowerBound), range.upperBound) : 0
  }
}
