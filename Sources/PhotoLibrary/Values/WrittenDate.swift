// Dates, differences of time and time zones, as people type them.

import Foundation

/// A local date and time without a time zone.
public struct WrittenDate: Sendable, Hashable {
  private var time: LocalTime

  /// The local time of a picture.
  public init(_ date: Date, utcOffset: Int) {
    time = LocalTime(milliseconds: date.millisecondsSince1970, utcOffset: utcOffset)
  }

  /// Reads `2026-11-21 07:31`, also with seconds and their fraction, with dots, slashes or a `T` between, and without the
  /// time of day, which stays.
  ///
  /// - Parameter former: The former date, whose time of day is taken where the text has none.
  /// - Returns: `nil` for anything else, and for days that no month has.
  public init?(_ text: String, former: WrittenDate? = nil) {
    let form = /\s*(\d{4})[-.\/:](\d{1,2})[-.\/:](\d{1,2})(?:[T ]\s*(\d{1,2}):(\d\d)(?::(\d\d)(?:[.,](\d{1,3}))?)?)?\s*/
    guard let match = text.wholeMatch(of: form) else { return nil }
    func number(_ text: Substring?) -> Int? { text.flatMap { Int($0) } }
    let fraction = match.7.map { String($0) + String(repeating: "0", count: 3 - $0.count) }
    let hasTime = match.4 != nil
    guard
      let time = LocalTime(
        year: number(match.1) ?? 0, month: number(match.2) ?? 0, day: number(match.3) ?? 0,
        hour: hasTime ? number(match.4) ?? 0 : former?.time.hour ?? 0,
        minute: hasTime ? number(match.5) ?? 0 : former?.time.minute ?? 0,
        second: hasTime ? number(match.6) ?? 0 : former?.time.second ?? 0,
        millisecond: hasTime ? fraction.flatMap { Int($0) } ?? 0 : former?.time.millisecond ?? 0, utcOffset: 0)
    else { return nil }
    // February 30 would become a day in March.
    let civil = LocalTime.civil(days: LocalTime.days(year: time.year, month: time.month, day: time.day))
    guard (civil.month, civil.day) == (time.month, time.day) else { return nil }
    self.time = time
  }

  /// The instant at which a clock shows it.
  ///
  /// - Parameter utcOffset: Seconds east of Greenwich.
  public func date(utcOffset: Int) -> Date {
    var time = time
    time.utcOffset = utcOffset
    return Date(millisecondsSince1970: time.milliseconds)
  }

  /// `2026-11-21 07:31:06`, the same in every language.
  public var text: String {
    var date = time.exifDate
    for index in [4, 7] {
      let at = date.index(date.startIndex, offsetBy: index)
      date.replaceSubrange(at...at, with: "-")
    }
    return date
  }
}

/// A difference of time.
public enum WrittenDuration {
  /// Reads `+1:20`, `-0:00:30`, `2d`, `1h20m`, `-3 d 4 h`: hours and minutes, or numbers with the units d, h, m and s.
  ///
  /// - Returns: In seconds; `nil` for anything else.
  public static func seconds(_ text: String) -> Int? {
    var text = text.trimmingCharacters(in: .whitespaces)[...]
    let isNegative = text.first == "-" || text.first == "−"
    if isNegative || text.first == "+" { text = text.dropFirst() }
    var seconds: Int?
    if let match = text.wholeMatch(of: /(\d{1,6}):(\d\d)(?::(\d\d))?/) {
      let parts = [match.1, match.2, match.3 ?? "0"].compactMap { Int($0) }
      if parts.count == 3, parts[1] < 60, parts[2] < 60 { seconds = parts[0] * 3600 + parts[1] * 60 + parts[2] }
    } else if text.wholeMatch(of: /(?:\s*\d{1,9}\s*[dhms])+\s*/) != nil {
      seconds = text.matches(of: /(\d+)\s*([dhms])/).reduce(0) { sum, match in
        let unit = ["d": 86_400, "h": 3600, "m": 60, "s": 1][String(match.2)] ?? 0
        return sum + (Int(match.1) ?? 0) * unit
      }
    }
    return seconds.map { isNegative ? -$0 : $0 }
  }
}

extension TimeZone {
  /// Reads `+01:00`, `-5`, `UTC`, `Z`, and the names of the system's list, `Europe/Zurich`.
  ///
  /// - Returns: `nil` for anything else.
  public init?(written text: String) {
    let text = text.trimmingCharacters(in: .whitespaces)
    if ["Z", "UTC", "GMT"].contains(text.uppercased()) {
      self = .gmt
    } else if let match = text.wholeMatch(of: /(?:UTC|GMT)?([+\-−])(\d{1,2})(?::?(\d\d))?/) {
      let (hours, minutes) = (Int(match.2) ?? 99, match.3.flatMap { Int($0) } ?? 0)
      guard hours <= 14, minutes < 60, hours < 14 || minutes == 0,
        let zone = TimeZone(secondsFromGMT: (match.1 == "+" ? 1 : -1) * (hours * 3600 + minutes * 60))
      else { return nil }
      self = zone
    } else if text.contains("/"), let zone = TimeZone(identifier: text) {
      self = zone
    } else {
      return nil
    }
  }
}
