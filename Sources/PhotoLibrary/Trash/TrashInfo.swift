// The info files of the desktop's trash: original path and deletion date.

import Foundation

/// The contents of a `.trashinfo` file.
///
/// Source: https://specifications.freedesktop.org/trash-spec/trashspec-1.0.html, “Contents of a trash directory”.
struct TrashInfo: Hashable, Sendable {
  /// Absolute, or relative to the parent of the trash folder.
  var path: String
  /// To the second; `nil` when it is missing or malformed.
  var deleted: Date?

  init(path: String, deleted: Date?) {
    self.path = path
    self.deleted = deleted
  }

  /// The file's bytes. The date is local time in the given zone, which the format doesn't name.
  func bytes(timeZone: TimeZone) -> Data {
    var text = "[Trash Info]\nPath=\(Self.escaped(path))\n"
    if let deleted {
      let offset = timeZone.secondsFromGMT(for: deleted)
      let time = LocalTime(milliseconds: deleted.millisecondsSince1970, utcOffset: offset)
      let date = [(time.year, 4), (time.month, 2), (time.day, 2)].map { LocalTime.padded($0.0, $0.1) }
      let clock = [time.hour, time.minute, time.second].map { LocalTime.padded($0, 2) }
      text += "DeletionDate=\(date.joined(separator: "-"))T\(clock.joined(separator: ":"))\n"
    }
    return Data(text.utf8)
  }

  /// Parses a file that any program may have written.
  ///
  /// - Returns: `nil` when it has no path in UTF-8.
  init?(_ data: Data, timeZone: TimeZone) {
    var isInGroup = false
    var values: [String: Substring] = [:]
    for line in String(decoding: data, as: UTF8.self).split(whereSeparator: \.isNewline) {
      if line.hasPrefix("[") {
        isInGroup = line.trimmingCharacters(in: .whitespaces) == "[Trash Info]"
      } else if isInGroup, let equals = line.firstIndex(of: "=") {
        let key = line[..<equals].trimmingCharacters(in: .whitespaces)
        // The first of several lines with the same key counts.
        if values[key] == nil { values[key] = line[line.index(after: equals)...] }
      }
    }
    guard let path = values["Path"].flatMap({ Self.unescaped($0) }) else { return nil }
    self.path = path
    deleted = values["DeletionDate"].flatMap { Self.date($0, timeZone: timeZone) }
  }

  // MARK: Paths

  /// By RFC 2396: everything but letters, digits, unreserved marks and the slash is escaped.
  private static func escaped(_ path: String) -> String {
    var text = ""
    for byte in path.utf8 {
      switch byte {
      case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
        UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"),
        UInt8(ascii: "~"), UInt8(ascii: "/"):
        text.unicodeScalars.append(Unicode.Scalar(byte))
      default:
        text += byte < 16 ? "%0" : "%"
        text += String(byte, radix: 16, uppercase: true)
      }
    }
    return text
  }

  private static func unescaped(_ text: Substring) -> String? {
    var bytes: [UInt8] = []
    var rest = text.utf8
    while let byte = rest.popFirst() {
      guard byte == UInt8(ascii: "%") else {
        // A path can't contain a zero byte.
        guard byte != 0 else { return nil }
        bytes.append(byte)
        continue
      }
      let digits = rest.prefix(2)
      guard digits.count == 2, digits.allSatisfy({ $0 != UInt8(ascii: "+") && $0 != UInt8(ascii: "-") }),
        let code = UInt8(String(decoding: digits, as: UTF8.self), radix: 16), code != 0
      else { return nil }
      bytes.append(code)
      rest.removeFirst(2)
    }
    return bytes.isEmpty ? nil : String(validating: bytes, as: UTF8.self)
  }

  // MARK: Dates

  /// `2026-11-21T07:31:06`; an example in the specification omits the hyphens, and so do some programs.
  private static func date(_ text: Substring, timeZone: TimeZone) -> Date? {
    let digits = text.utf8.filter { (48...57).contains($0) }.map { Int($0) - 48 }
    guard digits.count >= 14, text.contains("T") else { return nil }
    func number(_ range: Range<Int>) -> Int { digits[range].reduce(0) { $0 * 10 + $1 } }
    func time(utcOffset: Int) -> LocalTime? {
      LocalTime(
        year: number(0..<4), month: number(4..<6), day: number(6..<8), hour: number(8..<10), minute: number(10..<12),
        second: number(12..<14), millisecond: 0, utcOffset: utcOffset)
    }
    guard let inGreenwich = time(utcOffset: 0) else { return nil }
    // The offset at the guessed time: right except in the hour of a change, where local time is ambiguous.
    let guess = Date(millisecondsSince1970: inGreenwich.milliseconds)
    let first = timeZone.secondsFromGMT(for: guess)
    let offset = timeZone.secondsFromGMT(for: guess.addingTimeInterval(-Double(first)))
    return time(utcOffset: offset).map { Date(millisecondsSince1970: $0.milliseconds) }
  }
}
