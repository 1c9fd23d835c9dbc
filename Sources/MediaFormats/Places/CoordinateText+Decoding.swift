// Texts in which bytes are escaped, or whose digits are of other scripts.

extension CoordinateText {
  /// A text with ASCII's digits and points, in which nothing is escaped as in addresses of the web; a text that is too
  /// long as it is. A percent sign that escapes nothing stays.
  static func decoded(_ text: String) -> String {
    guard text.utf8.count <= longest else { return text }
    let text = text.utf8.contains(UInt8(ascii: "%")) ? unescaped(text) : text
    return text.utf8.allSatisfy { $0 < 0x80 } ? text : String(text.map(plain))
  }

  private static func unescaped(_ text: String) -> String {
    var bytes: [UInt8] = []
    var rest = Array(text.utf8)[...]
    while let byte = rest.popFirst() {
      let digits = rest.prefix(2).compactMap { Character(UnicodeScalar($0)).hexDigitValue }
      if byte == UInt8(ascii: "%"), digits.count == 2 {
        bytes.append(UInt8(digits[0] << 4 | digits[1]))
        rest = rest.dropFirst(2)
      } else {
        bytes.append(byte)
      }
    }
    return String(decoding: bytes, as: UTF8.self)
  }

  /// A digit, point or comma of any script as ASCII's.
  private static func plain(_ letter: Character) -> Character {
    if letter.isASCII { return letter }
    if letter.unicodeScalars.first?.properties.numericType == .decimal, let digit = letter.wholeNumberValue {
      return Character(String(digit))
    }
    return switch letter {
    case "．", "٫": "."
    case "，", "،": ","
    default: letter
    }
  }
}
