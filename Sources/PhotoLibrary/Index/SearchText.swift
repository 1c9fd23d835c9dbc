// Text normalization for searches: case and accents are ignored.

import Foundation

/// Folds text for searches.
enum SearchText {
  /// `Café Zürich.JPG` → `cafe zurich.jpg`.
  static func folded(_ text: String) -> String {
    text.folding(options: [.caseInsensitive, .diacriticInsensitive, .widthInsensitive], locale: nil)
  }

  /// The words of a search as patterns for SQLite's `LIKE … ESCAPE '\'`.
  static func patterns(_ text: String) -> [String] {
    folded(text).split(whereSeparator: \.isWhitespace).map { word in
      let escaped = word.reduce(into: "") { result, character in
        if "%_\\".contains(character) { result.append("\\") }
        result.append(character)
      }
      return "%\(escaped)%"
    }
  }
}
