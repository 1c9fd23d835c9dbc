// Dates as texts in files, changed in the forms in which they are written.

/// An instant, and the offset from UTC of the clocks at its place.
public struct CaptureDate: Sendable, Hashable {
  /// Since 1970, UTC.
  public var milliseconds: Int64
  /// Seconds east of Greenwich.
  public var utcOffset: Int
  /// Whether that isn't stated anywhere: only the local time is known.
  public var isOffsetAssumed: Bool

  public init(milliseconds: Int64, utcOffset: Int, isOffsetAssumed: Bool = false) {
    (self.milliseconds, self.utcOffset, self.isOffsetAssumed) = (milliseconds, utcOffset, isOffsetAssumed)
  }

  /// The offset from UTC, in seconds, that a text states with the same local time; `nil` for another text. `Z` is none: many
  /// programs write it for times of which they don't know the zone.
  public func statedOffset(in text: String) -> Int? { WrittenForm(text)?.offset(at: self) }
}

/// A new date of a picture or movie, for all texts in its file that say the former one.
public struct DateChange: Sendable, Hashable {
  /// The date as the file's own metadata tell it, and as its asset has it.
  public var former: [CaptureDate]
  public var new: CaptureDate

  public init(former: [CaptureDate], new: CaptureDate) { (self.former, self.new) = (former, new) }

  /// The new date in the form of a text that says the former one: with the same precision, and as long.
  ///
  /// Known are ISO 8601 with and without separators, EXIF's form, a year alone, RFC 1123, and C's `asctime`. A text
  /// without an offset from UTC is a local time.
  ///
  /// - Returns: `nil` for a text that says something else, or in another form.
  public func text(instead old: String) -> String? {
    guard let date = WrittenForm(old), former.contains(where: date.says) else { return nil }
    return date.text(of: new)
  }
}

/// A date as a text, with its form.
private struct WrittenForm {
  /// The offset from UTC as it is written.
  private enum Zone {
    case none
    /// `Z` or `GMT`.
    case utc(String)
    /// Seconds east of Greenwich.
    case offset(Int, hasColon: Bool)
  }

  private enum Form {
    /// The separators in the date and between date and time, and the one in the time.
    case iso(date: String, between: String, time: String)
    case rfc1123(hasDay: Bool, digits: Int)
    case asctime
  }

  private let form: Form
  /// Numbers from the year on; fewer where less is written.
  private var fields: [Int]
  private var fractionDigits = 0
  private var zone = Zone.none
  /// Before the offset from UTC.
  private var space = ""

  private static let monthNames = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]
  private static let dayNames = ["Thu", "Fri", "Sat", "Sun", "Mon", "Tue", "Wed"]

  init?(_ text: String) {
    func number(_ text: Substring) -> Int { Int(text) ?? -1 }
    let iso =
      /(\d{4})(?:([\-:]?)(\d\d)\2(\d\d)(?:([T ])(\d\d)(:?)(\d\d)(?:\7(\d\d)(?:\.(\d{1,9}))?)?(\s?)(Z|[+\-]\d\d:?\d\d)?)?)?/
    let rfc = /([A-Z][a-z]{2}, )?(\d{1,2}) ([A-Z][a-z]{2}) (\d{4}) (\d\d):(\d\d):(\d\d)(?: (GMT|UTC|UT|Z|[+\-]\d{4}))?/
    let asctime = /[A-Z][a-z]{2} ([A-Z][a-z]{2}) ([ \d]\d) (\d\d):(\d\d):(\d\d) (\d{4})/
    if let match = text.wholeMatch(of: iso) {
      form = .iso(date: String(match.2 ?? ""), between: String(match.5 ?? ""), time: String(match.7 ?? ""))
      fields = [match.1, match.3, match.4, match.6, match.8, match.9].compactMap(\.self).map(number)
      fractionDigits = match.10?.count ?? 0
      space = String(match.11 ?? "")
      zone = Self.zone(match.12)
    } else if let match = text.wholeMatch(of: rfc), let month = Self.monthNames.firstIndex(of: String(match.3)) {
      form = .rfc1123(hasDay: match.1 != nil, digits: match.2.count)
      fields = [number(match.4), month + 1] + [match.2, match.5, match.6, match.7].map(number)
      space = match.8 == nil ? "" : " "
      zone = Self.zone(match.8)
    } else if let match = text.wholeMatch(of: asctime), let month = Self.monthNames.firstIndex(of: String(match.1)) {
      form = .asctime
      fields = [number(match.6), month + 1, Int(match.2.drop { $0 == " " }) ?? -1]
      fields += [match.3, match.4, match.5].map(number)
    } else {
      return nil
    }
    let limits = [1...9999, 1...12, 1...31, 0...23, 0...59, 0...60]
    guard zip(fields, limits).allSatisfy({ $1.contains($0) }) else { return nil }
  }

  private static func zone(_ text: Substring?) -> Zone {
    guard let text else { return .none }
    guard let sign = text.first, "+-".contains(sign) else { return .utc(String(text)) }
    let digits = text.dropFirst().filter { $0 != ":" }
    let seconds = (Int(digits.prefix(2)) ?? 0) * 3600 + (Int(digits.suffix(2)) ?? 0) * 60
    return .offset(sign == "-" ? -seconds : seconds, hasColon: text.contains(":"))
  }

  /// The seconds of what is written, as if it were UTC.
  private var seconds: Int64 {
    let all = fields + [1970, 1, 1, 0, 0, 0].dropFirst(fields.count)
    return Self.days(all[0], all[1], all[2]) * 86_400 + Int64(all[3] * 3600 + all[4] * 60 + all[5])
  }

  /// The offset that is written behind the local time of a date; `nil` for another one, and for a day.
  func offset(at date: CaptureDate) -> Int? {
    guard case .offset(let seconds, _) = zone, fields.count > 3, says(date, in: date.utcOffset) else { return nil }
    return seconds
  }

  /// Whether it is this date, as exactly as it is written.
  func says(_ date: CaptureDate) -> Bool {
    let stated: Int? =
      switch zone {
      case .none: nil
      case .utc: 0
      case .offset(let seconds, _): seconds
      }
    // Where the offset is assumed, the same local time is the same date in whatever zone.
    return date.isOffsetAssumed && says(date, in: date.utcOffset) || says(date, in: stated ?? date.utcOffset)
  }

  /// Whether it is the local time of a date at an offset from UTC.
  private func says(_ date: CaptureDate, in offset: Int) -> Bool {
    let local = Self.floor(date.milliseconds, 1000) + Int64(offset)
    switch fields.count {
    case 1: return Self.civil(local)[0] == fields[0]
    case 3: return Self.floor(local, 86_400) == Self.floor(seconds, 86_400)
    case 5: return Self.floor(local, 60) == Self.floor(seconds, 60)
    default: return local == seconds
    }
  }

  func text(of date: CaptureDate) -> String {
    let offset = if case .utc = zone { 0 } else { date.utcOffset }
    let instant = Self.floor(date.milliseconds, 1000)
    let all = Self.civil(instant + Int64(offset))
    func padded(_ number: Int, _ count: Int = 2) -> String {
      let digits = String(number)
      return String(repeating: "0", count: max(0, count - digits.count)) + digits
    }
    let clock = all[3...5].map { padded($0) }
    let day = Int(Self.floor(instant + Int64(offset), 86_400) % 7 + 7) % 7
    var text: String
    switch form {
    case .iso(let separator, let between, let colon):
      text = ([padded(all[0], 4)] + all[1..<max(1, min(3, fields.count))].map { padded($0) })
        .joined(separator: separator)
      if fields.count > 3 { text += between + clock.prefix(fields.count - 3).joined(separator: colon) }
      if fractionDigits > 0 {
        let thousandths = padded(Int(date.milliseconds - instant * 1000), 3)
        text += "." + (thousandths + String(repeating: "0", count: 6)).prefix(fractionDigits)
      }
    case .rfc1123(let hasDay, let digits):
      text = (hasDay ? "\(Self.dayNames[day]), " : "") + padded(all[2], digits)
      text += " \(Self.monthNames[all[1] - 1]) \(padded(all[0], 4)) " + clock.joined(separator: ":")
    case .asctime:
      let number = all[2] < 10 ? " \(all[2])" : "\(all[2])"
      text = "\(Self.dayNames[day]) \(Self.monthNames[all[1] - 1]) \(number) " + clock.joined(separator: ":")
      text += " " + padded(all[0], 4)
    }
    switch zone {
    case .none: return text
    case .utc(let name): return text + space + name
    case .offset(_, let hasColon):
      let minutes = abs(offset) / 60
      let digits = padded(minutes / 60) + (hasColon ? ":" : "") + padded(minutes % 60)
      return text + space + (offset < 0 ? "-" : "+") + digits
    }
  }

  // MARK: The calendar

  private static func floor(_ number: Int64, _ unit: Int64) -> Int64 {
    number / unit - (number % unit < 0 ? 1 : 0)
  }

  /// Howard Hinnant, “chrono-Compatible Low-Level Date Algorithms”, days_from_civil.
  private static func days(_ year: Int, _ month: Int, _ day: Int) -> Int64 {
    let shifted = month <= 2 ? year - 1 : year
    let era = Int(floor(Int64(shifted), 400))
    let yearOfEra = shifted - era * 400
    let dayOfYear = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1
    return Int64(era * 146_097 + yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear - 719_468)
  }

  /// Year to second; from the same source, civil_from_days.
  private static func civil(_ seconds: Int64) -> [Int] {
    let days = floor(seconds, 86_400)
    let clock = Int(seconds - days * 86_400)
    let shifted = Int(days) + 719_468
    let era = Int(floor(Int64(shifted), 146_097))
    let dayOfEra = shifted - era * 146_097
    let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
    let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
    let shiftedMonth = (5 * dayOfYear + 2) / 153
    let month = shiftedMonth < 10 ? shiftedMonth + 3 : shiftedMonth - 9
    let day = dayOfYear - (153 * shiftedMonth + 2) / 5 + 1
    return [yearOfEra + era * 400 + (month <= 2 ? 1 : 0), month, day, clock / 3600, clock / 60 % 60, clock % 60]
  }
}
