// The tokens of Swift code without its comments and literals.

/// A word, an operator, or a bracket of Swift code.
struct SwiftToken: Sendable {
  enum Kind: Sendable {
    /// An identifier or keyword, without backticks; also `#if` and `$0`.
    case word
    /// A run of operator characters, dots excepted.
    case symbol
    /// Brackets, commas, colons, semicolons, dots, at signs; `"` stands for a literal.
    case punctuation
  }

  var kind: Kind
  var text: String
  /// Counted from 1.
  var line: Int
  /// Whether nothing but white space precedes it on its line.
  var isFirstOnLine: Bool

  /// The tokens of a file in order. Numbers are left out; a literal leaves one `"`.
  static func all(in code: SwiftCode) -> [SwiftToken] {
    var tokens: [SwiftToken] = []
    for (index, line) in code.lines.enumerated() {
      let bytes = Array(line.code.utf8)
      var at = 0
      var isFirst = true
      func text(_ range: Range<Int>) -> String { String(decoding: bytes[range], as: UTF8.self) }
      while at < bytes.count {
        let start = at
        let byte = bytes[at]
        if byte == UInt8(ascii: " ") || byte == UInt8(ascii: "\t") {
          at += 1
          continue
        }
        let kind: Kind
        if isDigit(byte) {
          // `0.5e-3` loses its sign; `0...9` keeps its range.
          while at < bytes.count, isWord(bytes[at]) || isPoint(bytes, at) { at += 1 }
          isFirst = false
          continue
        } else if isWord(byte) || byte == UInt8(ascii: "#") || byte == UInt8(ascii: "$") || byte == UInt8(ascii: "`") {
          at += 1
          while at < bytes.count, isWord(bytes[at]) || bytes[at] == UInt8(ascii: "`") { at += 1 }
          kind = .word
        } else if isSymbol(byte) {
          while at < bytes.count, isSymbol(bytes[at]) { at += 1 }
          kind = .symbol
        } else {
          at += 1
          kind = .punctuation
        }
        var spelling = text(start..<at)
        if spelling.hasPrefix("`") { spelling.removeAll { $0 == "`" } }
        tokens.append(SwiftToken(kind: kind, text: spelling, line: index + 1, isFirstOnLine: isFirst))
        isFirst = false
      }
    }
    return tokens
  }

  private static func isDigit(_ byte: UInt8) -> Bool { (48...57).contains(byte) }

  /// Letters, digits, the underscore, and every byte of a character beyond ASCII.
  private static func isWord(_ byte: UInt8) -> Bool {
    isDigit(byte) || (65...90).contains(byte) || (97...122).contains(byte) || byte == 95 || byte >= 128
  }

  private static func isSymbol(_ byte: UInt8) -> Bool { "/=-+!*%<>&|^~?".utf8.contains(byte) }

  /// Whether the byte is a decimal point: digits on both sides.
  private static func isPoint(_ bytes: [UInt8], _ at: Int) -> Bool {
    bytes[at] == UInt8(ascii: ".") && at + 1 < bytes.count && isDigit(bytes[at + 1])
  }
}
