// Local date and time with a UTC offset, for file names and EXIF.

import Foundation

/// Year to millisecond in the Gregorian calendar, with an offset from UTC. It uses no locale and no time zone database,
/// so that a file's name and its EXIF date never differ.
struct LocalTime: Hashable, Sendable {
  var year: Int
  var month: Int
  var day: Int
  var hour: Int
  var minute: Int
  var second: Int
  var millisecond: Int
  /// Seconds east of Greenwich.
  var utcOffset: Int

  /// - Parameters:
  ///   - milliseconds: Since 1970, UTC.
  ///   - utcOffset: Rounded to minutes, as files have it; the instant is exact.
  init(milliseconds: Int64, utcOffset: Int) {
    let utcOffset = Self.wholeMinutes(utcOffset)
    let local = milliseconds + Int64(utcOffset) * 1000
    let dayMilliseconds: Int64 = 86_400_000
    let days = local.floorDivided(by: dayMilliseconds)
    let time = Int(local - days * dayMilliseconds)
    (year, month, day) = Self.civil(days: Int(days))
    hour = time / 3_600_000
    minute = time / 60_000 % 60
    second = time / 1000 % 60
    millisecond = time % 1000
    self.utcOffset = utcOffset
  }

  /// An offset from UTC in seconds, rounded to minutes: before there were time zones, towns had their own time.
  static func wholeMinutes(_ utcOffset: Int) -> Int { Int((Double(utcOffset) / 60).rounded()) * 60 }

  /// Parses the form of EXIF, `2026:11:21 07:31:06`; `nil` unless it is a date.
  ///
  /// - Parameters:
  ///   - subseconds: The digits after the decimal point.
  ///   - offset: `+01:00`.
  ///   - assumed: The offset in seconds when that is missing or malformed; `nil` for the current time zone's.
  init?(exif text: String, subseconds: String?, offset: String?, assumed: Int? = nil) {
    let digits = text.utf8.map { (48...57).contains($0) ? Int($0) - 48 : -1 }
    func number(_ start: Int, _ count: Int) -> Int? {
      guard start + count <= digits.count else { return nil }
      var value = 0
      for digit in digits[start..<start + count] {
        guard digit >= 0 else { return nil }
        value = value * 10 + digit
      }
      return value
    }
    // Some programs write a sign or spaces among the digits, which must not cost the date.
    let written = (subseconds ?? "").prefix { $0.isASCII && $0.isNumber }
    guard let year = number(0, 4), let month = number(5, 2), let day = number(8, 2), let hour = number(11, 2),
      let minute = number(14, 2), let second = number(17, 2)
    else { return nil }
    let fraction = written.prefix(3)
    let milliseconds = Int(fraction + String(repeating: "0", count: 3 - fraction.count)) ?? 0
    self.init(
      year: year, month: month, day: day, hour: hour, minute: minute, second: second, millisecond: milliseconds,
      utcOffset: Self.offset(offset) ?? assumed)
  }

  /// Parses the form of ISO 8601 with an offset from UTC, `2026-11-21T07:31:06+0100`, as QuickTime movies have it.
  ///
  /// - Returns: `nil` for anything else.
  init?(iso8601 text: String) {
    guard
      let match = text.wholeMatch(
        of: /(\d{4})-(\d\d)-(\d\d)T(\d\d):(\d\d):(\d\d)(?:\.(\d{1,9}))?(?:Z|([+-])(\d\d):?(\d\d))/)
    else { return nil }
    func number(_ text: Substring) -> Int { Int(text) ?? -1 }
    let fraction = (match.7 ?? "").prefix(3)
    let milliseconds = Int(fraction + String(repeating: "0", count: 3 - fraction.count)) ?? 0
    let offset = match.9.flatMap { hours in match.10.map { number(hours) * 3600 + number($0) * 60 } } ?? 0
    guard (0...50_400).contains(offset) else { return nil }
    self.init(
      year: number(match.1), month: number(match.2), day: number(match.3), hour: number(match.4),
      minute: number(match.5), second: number(match.6), millisecond: milliseconds,
      utcOffset: match.8 == "-" ? -offset : offset)
  }

  /// - Parameter utcOffset: `nil` takes the current time zone's at that time.
  /// - Returns: `nil` when a number is out of range.
  init?(
    year: Int, month: Int, day: Int, hour: Int, minute: Int, second: Int, millisecond: Int, utcOffset: Int?
  ) {
    // A leap second counts as the first of the next minute.
    guard (1...9999).contains(year), (1...12).contains(month), (1...31).contains(day), (0...23).contains(hour),
      (0...59).contains(minute), (0...60).contains(second), (0...999).contains(millisecond)
    else { return nil }
    (self.year, self.month, self.day) = (year, month, day)
    (self.hour, self.minute, self.second, self.millisecond) = (hour, minute, second, millisecond)
    self.utcOffset = utcOffset ?? 0
    if utcOffset == nil {
      let guess = Date(timeIntervalSince1970: Double(milliseconds) / 1000)
      let first = TimeZone.current.secondsFromGMT(for: guess)
      self.utcOffset = TimeZone.current.secondsFromGMT(for: guess.addingTimeInterval(-Double(first)))
    }
  }

  /// Since 1970, UTC.
  var milliseconds: Int64 {
    let days = Int64(Self.days(year: year, month: month, day: day))
    let seconds = Int64(hour * 3600 + minute * 60 + second - utcOffset)
    return days * 86_400_000 + seconds * 1000 + Int64(millisecond)
  }

  /// `2026-11`.
  var monthFolder: String { "\(Self.padded(year, 4))-\(Self.padded(month, 2))" }

  /// `20261121_073106_123`.
  var stamp: String {
    "\(Self.padded(year, 4))\(Self.padded(month, 2))\(Self.padded(day, 2))_"
      + "\(Self.padded(hour, 2))\(Self.padded(minute, 2))\(Self.padded(second, 2))_\(Self.padded(millisecond, 3))"
  }

  /// `2026:11:21 07:31:06`.
  var exifDate: String {
    "\(Self.padded(year, 4)):\(Self.padded(month, 2)):\(Self.padded(day, 2)) "
      + "\(Self.padded(hour, 2)):\(Self.padded(minute, 2)):\(Self.padded(second, 2))"
  }

  /// `2026-11-21T07:31:06+0100`, as QuickTime movies have it.
  var quickTimeDate: String { isoDate + exifOffset.filter { $0 != ":" } }

  /// `2026-11-21T07:31:06.123+01:00`, as XMP has it.
  var xmpDate: String { isoDate + (millisecond == 0 ? "" : "." + exifSubseconds) + exifOffset }

  private var isoDate: String {
    "\(Self.padded(year, 4))-\(Self.padded(month, 2))-\(Self.padded(day, 2))T"
      + "\(Self.padded(hour, 2)):\(Self.padded(minute, 2)):\(Self.padded(second, 2))"
  }

  /// `123`.
  var exifSubseconds: String { Self.padded(millisecond, 3) }

  /// `+01:00`.
  var exifOffset: String {
    let minutes = abs(utcOffset) / 60
    return "\(utcOffset < 0 ? "-" : "+")\(Self.padded(minutes / 60, 2)):\(Self.padded(minutes % 60, 2))"
  }

  static func padded(_ number: Int, _ width: Int) -> String {
    let digits = String(min(max(0, number), width == 4 ? 9999 : Int.max))
    return String(repeating: "0", count: max(0, width - digits.count)) + digits
  }

  /// Seconds east of Greenwich from `+hh:mm`; `nil` for anything else.
  static func offset(_ text: String?) -> Int? {
    guard let bytes = text.map({ Array($0.utf8) }), bytes.count >= 6, bytes[3] == UInt8(ascii: ":") else { return nil }
    guard let hours = Int(String(decoding: bytes[1...2], as: UTF8.self)),
      let minutes = Int(String(decoding: bytes[4...5], as: UTF8.self)), (0...14).contains(hours),
      (0...59).contains(minutes)
    else { return nil }
    switch bytes[0] {
    case UInt8(ascii: "+"): return hours * 3600 + minutes * 60
    case UInt8(ascii: "-"): return -(hours * 3600 + minutes * 60)
    default: return nil
    }
  }

  /// Howard Hinnant, “chrono-Compatible Low-Level Date Algorithms”, civil_from_days.
  static func civil(days: Int) -> (year: Int, month: Int, day: Int) {
    let shifted = days + 719_468
    let era = shifted.floorDivided(by: 146_097)
    let dayOfEra = shifted - era * 146_097
    let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
    let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
    let shiftedMonth = (5 * dayOfYear + 2) / 153
    let day = dayOfYear - (153 * shiftedMonth + 2) / 5 + 1
    let month = shiftedMonth < 10 ? shiftedMonth + 3 : shiftedMonth - 9
    return (yearOfEra + era * 400 + (month <= 2 ? 1 : 0), month, day)
  }

  /// From the same source, days_from_civil.
  static func days(year: Int, month: Int, day: Int) -> Int {
    let shifted = month <= 2 ? year - 1 : year
    let era = shifted.floorDivided(by: 400)
    let yearOfEra = shifted - era * 400
    let dayOfYear = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1
    let dayOfEra = yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear
    return era * 146_097 + dayOfEra - 719_468
  }
}

extension BinaryInteger {
  /// The quotient, rounded down.
  fileprivate func floorDivided(by divisor: Self) -> Self {
    let quotient = self / divisor
    return self % divisor < 0 ? quotient - 1 : quotient
  }
}

extension Date {
  /// Since 1970, rounded.
  var millisecondsSince1970: Int64 { Int64((timeIntervalSince1970 * 1000).rounded()) }

  init(millisecondsSince1970 milliseconds: Int64) {
    self.init(timeIntervalSince1970: Double(milliseconds) / 1000)
  }
}
