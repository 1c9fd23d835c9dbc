// Text normalization for searches: case and accents are ignored.

import Foundation

/// Folds text for searches.
enum SearchText {
  /// `Café Zürich.JPG` → `cafe zurich.jpg`. The dotted and the dotless i of Turkish are one letter.
  static func folded(_ text: String) -> String {
    text.folding(options: [.caseInsensitive, .diacriticInsensitive, .widthInsensitive], locale: nil)
      .replacing("ı", with: "i")
  }

  /// A folded text as a pattern that finds it anywhere, for SQLite's `LIKE … ESCAPE '\'`.
  static func pattern(_ folded: String) -> String { "%\(escaped(folded))%" }

  /// A folded text without the wildcards of `LIKE`.
  static func escaped(_ folded: String) -> String {
    folded.reduce(into: "") { result, character in
      if "%_\\".contains(character) { result.append("\\") }
      result.append(character)
    }
  }

  /// A folded text as a string of FTS5's query language, in which nothing else than a quotation mark has a meaning.
  ///
  /// - Returns: `nil` for a text that is too short for an index of three characters each.
  static func trigrams(_ folded: String) -> String? {
    guard folded.unicodeScalars.count >= 3 else { return nil }
    return "\"\(folded.replacing("\"", with: "\"\""))\""
  }

  /// Whether a word of `text` begins with `beginning`, both folded.
  static func hasWord(_ text: String, beginningWith beginning: String) -> Bool {
    guard !beginning.isEmpty else { return false }
    var start = text.startIndex
    while let range = text.range(of: beginning, range: start..<text.endIndex) {
      if range.lowerBound == text.startIndex { return true }
      let before = text[text.index(before: range.lowerBound)]
      if !before.isLetter && !before.isNumber { return true }
      start = text.index(after: range.lowerBound)
    }
    return false
  }
}
