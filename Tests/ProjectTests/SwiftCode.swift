// Swift text with its comments and literals told apart, so that a rule about code is not fooled by words.

/// A Swift file, line by line: the code alone, and the comments alone.
///
///     SwiftCode("let a = \"try! it\"  // really").lines[0]      // code: `let a = ""`, comment: `// really`
struct SwiftCode {
  struct Line {
    /// The line without comments, and with empty string literals.
    var code = ""
    /// The comment on the line, with its slashes; empty when there is none.
    var comment = ""
  }

  private(set) var lines: [Line] = [Line()]

  /// The code of all lines.
  var code: String { lines.map(\.code).joined(separator: "\n") }

  init(_ text: String) {
    var rest = Substring(text)
    var literals: [Literal] = []  // the string literals that are open, each with the interpolations inside it
    while let character = rest.first {
      if character.isNewline {
        if literals.last?.endsWithItsLine == true { literals.removeLast() }
        lines.append(Line())
        rest.removeFirst()
      } else if let literal = literals.last, literal.parentheses == 0 {
        readLiteral(&rest, &literals, literal)
      } else if rest.hasPrefix("//") {
        let comment = rest.prefix { !$0.isNewline }
        lines[lines.count - 1].comment += comment
        rest.removeFirst(comment.count)
      } else if rest.hasPrefix("/*") {
        readBlockComment(&rest)
      } else if let literal = Literal(opening: rest) {
        literals.append(literal)
        rest.removeFirst(literal.delimiter.count)
        lines[lines.count - 1].code += "\""
      } else {
        if character == "(" { literals.change { $0.parentheses += 1 } }
        if character == ")" { literals.change { $0.parentheses -= 1 } }
        if literals.last?.parentheses != 0 { lines[lines.count - 1].code.append(character) }
        rest.removeFirst()
      }
    }
  }

  /// A string literal that is being read.
  private struct Literal {
    /// The quotation marks that open it, with their number signs; the same in reverse close it.
    var delimiter: Substring
    /// How many parentheses of an interpolation are open; 0 in the literal's own text.
    var parentheses = 0

    init?(opening text: Substring) {
      let signs = text.prefix { $0 == "#" }.count
      let quotes = text.dropFirst(signs).prefix { $0 == "\"" }.count
      guard quotes > 0 else { return nil }
      delimiter = text.prefix(signs + (quotes >= 3 ? 3 : 1))
    }

    /// Whether this is code that does not compile, or a quotation mark in a regular expression.
    var endsWithItsLine: Bool { parentheses == 0 && !delimiter.contains("\"\"\"") }
    var closing: String { String(delimiter.reversed()) }
    var interpolation: String { "\\" + delimiter.filter { $0 == "#" } + "(" }
  }

  /// Reads one step inside a string literal.
  private mutating func readLiteral(_ rest: inout Substring, _ literals: inout [Literal], _ literal: Literal) {
    if rest.hasPrefix(literal.interpolation) {
      literals.change { $0.parentheses = 1 }
      rest.removeFirst(literal.interpolation.count)
    } else if rest.hasPrefix("\\"), !literal.delimiter.hasPrefix("#") {
      rest.removeFirst()
      if rest.first?.isNewline == false { rest.removeFirst() }
    } else if rest.hasPrefix(literal.closing) {
      literals.removeLast()
      rest.removeFirst(literal.closing.count)
      lines[lines.count - 1].code += "\""
    } else {
      rest.removeFirst()
    }
  }

  /// Reads a block comment, with those nested in it.
  private mutating func readBlockComment(_ rest: inout Substring) {
    var depth = 0
    repeat {
      if rest.hasPrefix("/*") {
        depth += 1
        rest.removeFirst(2)
      } else if rest.hasPrefix("*/") {
        depth -= 1
        rest.removeFirst(2)
      } else if rest.removeFirst().isNewline {
        lines.append(Line())
      }
    } while depth > 0 && !rest.isEmpty
  }
}

extension Array {
  /// Changes the last element, if there is one.
  fileprivate mutating func change(_ body: (inout Element) -> Void) {
    if !isEmpty { body(&self[count - 1]) }
  }
}
