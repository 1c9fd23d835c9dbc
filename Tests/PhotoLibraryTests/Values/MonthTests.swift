// Months, by which the sidebar sorts pictures.

import Foundation
import PhotoLibrary
import TestSupport
import Testing

@Suite struct MonthTests {
  @Test func aMonthHoldsItsDaysAndTheNextBeginsAfterThem() {
    var generator = SeededNumbers.fresh()
    for _ in 0..<2000 {
      // The years 1900 to 2200.
      let day = Int.random(in: -25_567..<84_006, using: &generator)
      let month = Month(day: day)
      #expect(month.days.contains(day) && (28...31).contains(month.days.count))
      #expect(Month(day: month.days.lowerBound) == month && Month(day: month.days.upperBound - 1) == month)
      let next = Month(day: month.days.upperBound)
      #expect(next.month == month.month % 12 + 1 && next.year == month.year + month.month / 12)
    }
  }

  @Test(arguments: [(0, 1970, 1), (-1, 1969, 12), (20_778, 2026, 11), (11_016, 2000, 2)])
  func daysAreCountedFromTheBeginningOf1970(day: Int, year: Int, month: Int) {
    #expect(Month(day: day).year == year && Month(day: day).month == month)
  }
}
