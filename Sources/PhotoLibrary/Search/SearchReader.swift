// Reading the tokens of a search as conditions.

import CameraCore
import Foundation

/// Reads a search from its beginning to its end; the longest phrase that means something is read first.
struct SearchReader {
  private let context: SearchContext
  private let tokens: [SearchToken]

  init(_ text: String, _ context: SearchContext) {
    self.context = context
    tokens = SearchToken.tokens(of: text, context.vocabulary)
  }

  mutating func terms() -> [SearchQuery.Term] {
    var terms: [SearchQuery.Term] = []
    var index = 0
    while index < tokens.count, terms.count < SearchQuery.mostTerms {
      let (term, count) = term(at: index)
      if let term, !terms.contains(term) { terms.append(term) }
      index += count
    }
    return terms
  }

  private func term(at index: Int) -> (SearchQuery.Term?, count: Int) {
    let token = tokens[index]
    if let field = token.field { return fieldTerm(field, token, at: index) }
    let words = plainWords(from: index)
    if !token.isQuoted, let (meaning, count) = meaning(of: words) {
      let texts = words.prefix(count).compactMap { text($0) }.map { SearchQuery.Condition.text($0) }
      let asText: [SearchQuery.Condition] = texts.count > 1 ? [.all(texts)] : texts
      return (SearchQuery.Term([meaning] + asText, isExcluded: token.isExcluded), count)
    }
    return (text(token.value).map { SearchQuery.Term([.text($0)], isExcluded: token.isExcluded) }, 1)
  }

  /// The words from a token on that can be one phrase.
  private func plainWords(from index: Int) -> [String] {
    guard !tokens[index].isQuoted else { return [] }
    let rest = tokens[(index + 1)...].prefix(4).prefix { $0.field == nil && !$0.isExcluded && !$0.isQuoted }
    return [tokens[index].value] + rest.map(\.value)
  }

  private func fieldTerm(
    _ field: SearchVocabulary.Field, _ token: SearchToken, at index: Int
  ) -> (SearchQuery.Term?, count: Int) {
    func term(_ condition: SearchQuery.Condition, _ count: Int = 1) -> (SearchQuery.Term?, count: Int) {
      (SearchQuery.Term([condition], isExcluded: token.isExcluded), count)
    }
    guard let value = text(token.value) else { return (nil, 1) }
    // In quotation marks all words belong to the field, otherwise as many as mean something.
    let quoted = token.value.split(whereSeparator: \.isWhitespace).map(String.init)
    let words = token.isQuoted ? quoted : plainWords(from: index)
    switch field {
    case .name: return term(.name(value))
    case .camera: return term(.camera(value))
    case .place: return term(.place(value))
    case .album: return term(.album(value))
    case .kind, .size, .date:
      let found: (meaning: SearchQuery.Condition, count: Int)? =
        switch field {
        case .kind: kind(of: words)
        case .size: SearchSizes.read(words) ?? (words.first.flatMap { SearchSizes.pixels($0) }).map { ($0, 1) }
        default: SearchDates(context, isField: true).read(words)
        }
      guard let found, !token.isQuoted || found.count == words.count else { return term(.nothing) }
      return term(found.meaning, token.isQuoted ? 1 : found.count)
    }
  }

  private func meaning(of words: [String]) -> (SearchQuery.Condition, count: Int)? {
    let readings = [SearchDates(context).read(words), kind(of: words), SearchSizes.read(words)].compactMap(\.self)
    if let longest = readings.max(by: { $0.count < $1.count }) { return longest }
    return words.first.flatMap { SearchSizes.pixels($0) }.map { ($0, 1) }
  }

  private func kind(of words: [String]) -> (meaning: SearchQuery.Condition, count: Int)? {
    for count in stride(from: min(words.count, SearchVocabulary.longestPhrase), to: 0, by: -1) {
      let phrase = SearchVocabulary.key(words.prefix(count).joined(separator: " "))
      if let kind = context.vocabulary.kinds[phrase] { return (.kind(kind), count) }
    }
    return nil
  }

  /// A value as the text to look for; `nil` without one.
  private func text(_ value: String) -> String? {
    let visible = value.unicodeScalars.filter { $0.properties.generalCategory != .control }
    let folded = SearchText.folded(String(String(String.UnicodeScalarView(visible)).prefix(SearchQuery.longestTerm)))
      .trimmingCharacters(in: .whitespacesAndNewlines)
    return folded.isEmpty ? nil : folded
  }
}
