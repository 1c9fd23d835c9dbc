// Swift text with comments and literals separated from code, so that rules about code ignore prose.

/// A Swift file, line by line: the code alone, and the comments alone.
///
///     SwiftCode("let a = \"try! it\"  // really").lines[0]      // code: `let a = ""`, comment: `// really`
struct SwiftCode: Sendable {
  struct Line: Sendable {
    /// The line without comments, and with empty string literals.
    var code = ""
    /// The comment on the line, with its slashes; empty when there is none.
    var comment = ""
    /// The text of the string literals on the line; an interpolation or escape is an x.
    var text = ""
  }

  let lines: [Line]

  init(_ text: String) {
    var reader = Reader(bytes: Array(text.utf8))
    reader.read()
    lines = reader.lines
  }
}

/// One pass over the bytes of a file. Bytes rather than characters, because the tests read the whole project.
private struct Reader {
  let bytes: [UInt8]
  var index = 0
  var lines: [SwiftCode.Line] = []
  private var code: [UInt8] = []
  private var comment: [UInt8] = []
  private var text: [UInt8] = []
  /// The open literals, each with the interpolation inside it.
  private var literals: [Literal] = []

  init(bytes: [UInt8]) { self.bytes = bytes }

  /// A string or an extended regular expression (`#/…/#`) that is being read.
  private struct Literal {
    /// Number signs before its delimiter.
    var signs: Int
    /// Delimiters at each end: 1 or 3.
    var count: Int
    /// A quotation mark, or the slash of a regular expression.
    var delimiter: UInt8
    /// Open parentheses of an interpolation; 0 in the literal's own text.
    var parentheses = 0
  }

  private static let (newline, slash, star, quote) = (
    UInt8(ascii: "\n"), UInt8(ascii: "/"), UInt8(ascii: "*"), UInt8(ascii: "\"")
  )
  private static let (sign, backslash) = (UInt8(ascii: "#"), UInt8(ascii: "\\"))
  private static let (opening, closing) = (UInt8(ascii: "("), UInt8(ascii: ")"))
  private static let (space, placeholder) = (UInt8(ascii: " "), UInt8(ascii: "x"))

  mutating func read() {
    while index < bytes.count {
      let byte = bytes[index]
      if byte == Self.newline {
        // An unterminated literal is code that doesn't compile, or a quotation mark in a bare regular expression.
        if let literal = literals.last, literal.parentheses == 0, literal.count == 1 { literals.removeLast() }
        endLine()
        index += 1
      } else if let literal = literals.last, literal.parentheses == 0 {
        readLiteral(literal)
      } else if byte == Self.slash, at(1) == Self.slash {
        while index < bytes.count, bytes[index] != Self.newline {
          comment.append(bytes[index])
          index += 1
        }
      } else if byte == Self.slash, at(1) == Self.star {
        readBlockComment()
      } else if let literal = literalBegins(byte) {
        literals.append(literal)
        index += literal.signs + literal.count
        code.append(Self.quote)
      } else {
        if !literals.isEmpty {
          if byte == Self.opening { literals[literals.count - 1].parentheses += 1 }
          if byte == Self.closing { literals[literals.count - 1].parentheses -= 1 }
        }
        if literals.last?.parentheses != 0 { code.append(byte) }
        index += 1
      }
    }
    endLine()
  }

  private func at(_ distance: Int) -> UInt8? {
    index + distance < bytes.count ? bytes[index + distance] : nil
  }

  private func count(of byte: UInt8, from distance: Int) -> Int {
    var count = 0
    while at(distance + count) == byte { count += 1 }
    return count
  }

  private mutating func endLine() {
    lines.append(
      SwiftCode.Line(
        code: String(decoding: code, as: UTF8.self), comment: String(decoding: comment, as: UTF8.self),
        text: String(decoding: text, as: UTF8.self)))
    code.removeAll(keepingCapacity: true)
    comment.removeAll(keepingCapacity: true)
    text.removeAll(keepingCapacity: true)
  }

  private func literalBegins(_ byte: UInt8) -> Literal? {
    guard byte == Self.quote || byte == Self.sign else { return nil }
    let signs = count(of: Self.sign, from: 0)
    if signs > 0, at(signs) == Self.slash { return Literal(signs: signs, count: 1, delimiter: Self.slash) }
    let quotes = count(of: Self.quote, from: signs)
    return quotes == 0 ? nil : Literal(signs: signs, count: quotes >= 3 ? 3 : 1, delimiter: Self.quote)
  }

  /// Reads one step inside a literal.
  private mutating func readLiteral(_ literal: Literal) {
    let byte = bytes[index]
    if byte == Self.backslash, literal.delimiter == Self.slash {
      index += at(1) == Self.newline ? 1 : 2
    } else if byte == Self.backslash, count(of: Self.sign, from: 1) >= literal.signs {
      let isInterpolation = at(1 + literal.signs) == Self.opening
      text.append(Self.placeholder)
      if isInterpolation { literals[literals.count - 1].parentheses = 1 }
      // Skips the escaped character, unless it is the end of the line.
      index += at(1 + literal.signs) == Self.newline ? 1 + literal.signs : 2 + literal.signs
    } else if byte == literal.delimiter, count(of: byte, from: 0) >= literal.count,
      count(of: Self.sign, from: literal.count) >= literal.signs
    {
      literals.removeLast()
      index += literal.count + literal.signs
      code.append(Self.quote)
      text.append(Self.space)
    } else {
      if literal.delimiter == Self.quote { text.append(byte) }
      index += 1
    }
  }

  /// Reads a block comment, with those nested in it.
  private mutating func readBlockComment() {
    var depth = 0
    repeat {
      if bytes[index] == Self.slash, at(1) == Self.star {
        depth += 1
        index += 2
      } else if bytes[index] == Self.star, at(1) == Self.slash {
        depth -= 1
        index += 2
      } else {
        if bytes[index] == Self.newline { endLine() }
        index += 1
      }
    } while depth > 0 && index < bytes.count
  }
}
