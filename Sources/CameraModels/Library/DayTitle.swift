// Titles of days, as the grid shows them on each day's first picture.

import Foundation
import Localization
import PhotoLibrary

/// Formats days, and caches the results.
@MainActor public final class DayTitle {
  private var titles: [Int: String] = [:]
  private let today: () -> Int

  /// - Parameter today: The current day, counted like `day(of:)`.
  public init(today: @escaping () -> Int = { DayTitle.day(of: Date(), utcOffset: TimeZone.current.secondsFromGMT()) }) {
    self.today = today
  }

  /// Days since 1970-01-01, in the time zone where the picture was taken.
  public static func day(of asset: Asset) -> Int { day(of: asset.created, utcOffset: asset.utcOffset) }

  public nonisolated static func day(of date: Date, utcOffset: Int) -> Int {
    Int(((date.timeIntervalSince1970 + Double(utcOffset)) / 86_400).rounded(.down))
  }

  /// A short title: “Today”, “Yesterday”, “Sat, Nov 21”, “Nov 21, 2024”.
  public func title(_ day: Int) -> String {
    let distance = today() - day
    if distance == 0 { return localized("Today") }
    if distance == 1 { return localized("Yesterday") }
    if let known = titles[day] { return known }
    let date = Date(timeIntervalSince1970: Double(day) * 86_400)
    let style = Date.FormatStyle(timeZone: .gmt)
    let isRecent = (0..<300).contains(distance)
    let title = date.localized(
      isRecent ? style.weekday(.abbreviated).day().month(.abbreviated) : style.day().month(.abbreviated).year())
    titles[day] = title
    return title
  }
}
