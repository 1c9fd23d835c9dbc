// A JSON parser for untrusted input, linear in time and memory.

import Foundation

extension JSONValue {
  /// Parses JSON (RFC 8259) in time and memory proportional to its length, whatever it contains.
  ///
  /// Foundation's decoder takes time proportional to the depth for each value, and more for each type it tries: 40 KB
  /// of brackets kept it busy for 45 seconds.
  ///
  /// - Returns: `nil` when it isn't JSON in UTF-8, is nested more than 128 deep, or has a number out of `Double`'s
  ///   range.
  package init?(parsing data: Data) {
    guard String(validating: data, as: UTF8.self) != nil else { return nil }
    var reader = JSONReader(bytes: [UInt8](data))
    guard let value = reader.document() else { return nil }
    self = value
  }
}

/// A cursor over JSON that is known to be UTF-8. Every method returns `nil` on a syntax error.
private struct JSONReader {
  let bytes: [UInt8]
  private var at = 0

  private static let deepest = 128

  init(bytes: [UInt8]) { self.bytes = bytes }

  mutating func document() -> JSONValue? {
    guard let value = value(depth: 0) else { return nil }
    skipSpace()
    return at == bytes.count ? value : nil
  }

  private mutating func value(depth: Int) -> JSONValue? {
    guard depth <= Self.deepest else { return nil }
    skipSpace()
    switch next {
    case UInt8(ascii: "{"): return object(depth: depth)
    case UInt8(ascii: "["): return array(depth: depth)
    case UInt8(ascii: "\""): return text().map(JSONValue.text)
    case UInt8(ascii: "t"): return take("true") ? .bool(true) : nil
    case UInt8(ascii: "f"): return take("false") ? .bool(false) : nil
    case UInt8(ascii: "n"): return take("null") ? .null : nil
    default: return number()
    }
  }

  private mutating func object(depth: Int) -> JSONValue? {
    at += 1
    var values: [String: JSONValue] = [:]
    skipSpace()
    if take("}") { return .object(values) }
    while true {
      skipSpace()
      guard next == UInt8(ascii: "\""), let key = text() else { return nil }
      skipSpace()
      guard take(":"), let value = value(depth: depth + 1) else { return nil }
      values[key] = value
      skipSpace()
      if take("}") { return .object(values) }
      guard take(",") else { return nil }
    }
  }

  private mutating func array(depth: Int) -> JSONValue? {
    at += 1
    var values: [JSONValue] = []
    skipSpace()
    if take("]") { return .array(values) }
    while true {
      guard let value = value(depth: depth + 1) else { return nil }
      values.append(value)
      skipSpace()
      if take("]") { return .array(values) }
      guard take(",") else { return nil }
    }
  }

  // MARK: Strings

  private mutating func text() -> String? {
    at += 1
    var text: [UInt8] = []
    while let byte = next {
      at += 1
      switch byte {
      case UInt8(ascii: "\""): return String(decoding: text, as: UTF8.self)
      case UInt8(ascii: "\\"):
        guard let scalar = escaped() else { return nil }
        text.append(contentsOf: String(Character(scalar)).utf8)
      case 0..<32: return nil
      default: text.append(byte)
      }
    }
    return nil
  }

  /// The escape after a backslash.
  private mutating func escaped() -> Unicode.Scalar? {
    guard let byte = next else { return nil }
    at += 1
    switch byte {
    case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): return Unicode.Scalar(byte)
    case UInt8(ascii: "b"): return "\u{8}"
    case UInt8(ascii: "f"): return "\u{c}"
    case UInt8(ascii: "n"): return "\n"
    case UInt8(ascii: "r"): return "\r"
    case UInt8(ascii: "t"): return "\t"
    case UInt8(ascii: "u"): break
    default: return nil
    }
    guard let first = codeUnit() else { return nil }
    guard UTF16.isLeadSurrogate(first) else { return Unicode.Scalar(first) }
    // A surrogate needs its pair.
    guard take("\\u"), let second = codeUnit(), UTF16.isTrailSurrogate(second) else { return nil }
    return UTF16.decode(UTF16.EncodedScalar([first, second]))
  }

  private mutating func codeUnit() -> UInt16? {
    guard at + 4 <= bytes.count else { return nil }
    var unit: UInt16 = 0
    for byte in bytes[at..<at + 4] {
      guard let digit = Character(Unicode.Scalar(byte)).hexDigitValue else { return nil }
      unit = unit << 4 | UInt16(digit)
    }
    at += 4
    return unit
  }

  // MARK: Numbers

  private mutating func number() -> JSONValue? {
    let start = at
    _ = take("-")
    if !take("0") {
      guard skipDigits() else { return nil }
    }
    if take(".") {
      guard skipDigits() else { return nil }
    }
    if take("e") || take("E") {
      if !take("+") { _ = take("-") }
      guard skipDigits() else { return nil }
    }
    let text = String(decoding: bytes[start..<at], as: UTF8.self)
    if let integer = Int64(text) { return .integer(integer) }
    guard let number = Double(text), number.isFinite else { return nil }
    // 1.0 is written as 1, and must compare equal when it is read again.
    return Int64(exactly: number).map(JSONValue.integer) ?? .number(number)
  }

  /// Skips at least one digit.
  private mutating func skipDigits() -> Bool {
    let start = at
    while let byte = next, (48...57).contains(byte) { at += 1 }
    return at > start
  }

  // MARK: Bytes

  private var next: UInt8? { at < bytes.count ? bytes[at] : nil }

  private mutating func skipSpace() {
    while let byte = next, byte == 32 || byte == 9 || byte == 10 || byte == 13 { at += 1 }
  }

  /// Consumes these bytes if they come next.
  private mutating func take(_ text: StaticString) -> Bool {
    guard at + text.utf8CodeUnitCount <= bytes.count else { return false }
    let isThere = text.withUTF8Buffer { bytes[at..<at + $0.count].elementsEqual($0) }
    if isThere { at += text.utf8CodeUnitCount }
    return isThere
  }
}
