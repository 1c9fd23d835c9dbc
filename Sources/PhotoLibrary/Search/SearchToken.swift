// Splitting the text of a search into words, phrases, fields and minus signs.

import Foundation

/// A word or phrase of a search with the signs before it.
struct SearchToken: Hashable {
  var isExcluded = false
  var field: SearchVocabulary.Field?
  /// As typed.
  var value = ""
  var isQuoted = false
  /// Where it is in the text, with its signs.
  var range: Range<String.Index>

  /// Splits a text. Quotation marks that aren't closed reach to its end.
  static func tokens(of whole: String, _ vocabulary: SearchVocabulary) -> [SearchToken] {
    let text = whole.prefix(SearchQuery.longestText)
    var tokens: [SearchToken] = []
    var index = text.startIndex
    while index < text.endIndex {
      guard !text[index].isWhitespace else {
        index = text.index(after: index)
        continue
      }
      var token = SearchToken(range: index..<index)
      let start = index
      if text[index] == "-", let next = text[text.index(after: index)...].first, !next.isWhitespace,
        next != "-"
      {
        token.isExcluded = true
        index = text.index(after: index)
      }
      // A field: letters, and a colon that something follows.
      let head = text[index...].prefix { !$0.isWhitespace && $0 != ":" && !isQuote($0) }
      if head.endIndex < text.endIndex, text[head.endIndex] == ":",
        let field = vocabulary.fields[SearchVocabulary.key(String(head))]
      {
        let after = text.index(after: head.endIndex)
        if after < text.endIndex, !text[after].isWhitespace {
          token.field = field
          index = after
        }
      }
      if isQuote(text[index]) {
        token.isQuoted = true
        index = text.index(after: index)
        let value = text[index...].prefix { !isQuote($0) }
        token.value = String(value)
        index = value.endIndex < text.endIndex ? text.index(after: value.endIndex) : value.endIndex
      } else {
        let value = text[index...].prefix { !$0.isWhitespace }
        token.value = String(value)
        index = value.endIndex
      }
      token.range = start..<index
      tokens.append(token)
    }
    return tokens
  }

  static func isQuote(_ character: Character) -> Bool { "\"“”„«»".contains(character) }
}
