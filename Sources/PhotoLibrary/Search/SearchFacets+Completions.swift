// Completions of a search while it is typed.

import Foundation
import Localization

/// A way to complete the last words of a search, with the number of pictures that it alone finds.
public struct SearchCompletion: Sendable, Hashable, Identifiable {
  /// What a completion is about.
  public enum Subject: String, Sendable, Hashable, CaseIterable {
    case album, place, camera, kind, date
  }

  public var subject: Subject
  /// For display.
  public var title: String
  public var count: Int
  /// The whole search with the completion in the place of what was typed, and a space after it.
  public var text: String

  public var id: String { "\(subject.rawValue):\(text)" }
}

extension SearchFacets {
  /// The completions of the last words of a search: those whose title begins with them first, then those with the most
  /// pictures. None after a space.
  public func completions(
    of text: String, vocabulary: SearchVocabulary = .current, limit: Int = 8
  ) -> [SearchCompletion] {
    let tokens = SearchToken.tokens(of: text, vocabulary)
    guard let last = tokens.last, last.range.upperBound == text.endIndex else { return [] }
    var found: [(completion: SearchCompletion, isFirst: Bool)] = []
    // Of several words the most are meant.
    for count in stride(from: min(3, tokens.count), to: 0, by: -1) {
      let typed = tokens.suffix(count)
      let arePlain = typed.allSatisfy { $0.field == nil && !$0.isExcluded && !$0.isQuoted }
      guard count == 1 || arePlain, let first = typed.first else { continue }
      let needle = SearchVocabulary.key(typed.map(\.value).joined(separator: " "))
      guard !needle.isEmpty else { continue }
      let start = text[..<first.range.lowerBound] + (first.isExcluded ? "-" : "")
      for candidate in candidates(needle, vocabulary)
      where last.field == nil || last.field?.rawValue == candidate.subject.rawValue {
        let completion = SearchCompletion(
          subject: candidate.subject, title: candidate.title, count: candidate.count,
          text: "\(start)\(candidate.token) ")
        guard
          !found.contains(where: {
            $0.completion.title == completion.title && $0.completion.subject == completion.subject
          })
        else { continue }
        found.append((completion, SearchText.folded(candidate.title).hasPrefix(needle)))
      }
    }
    return found.enumerated().sorted { left, right in
      if left.element.isFirst != right.element.isFirst { return left.element.isFirst }
      let (more, less) = (left.element.completion.count, right.element.completion.count)
      return more != less ? more > less : left.offset < right.offset
    }.prefix(limit).map(\.element.completion)
  }

  private struct Candidate {
    var subject: SearchCompletion.Subject
    var title: String
    var count: Int
    var token: String
  }

  /// The largest number of candidates of one subject: a hundred cameras need not all be sorted.
  private static let mostCandidates = 50

  private func candidates(_ needle: String, _ vocabulary: SearchVocabulary) -> [Candidate] {
    func matches(_ title: String) -> Bool { SearchText.hasWord(SearchText.folded(title), beginningWith: needle) }
    func token(_ field: SearchVocabulary.Field, _ value: String) -> String {
      let name = vocabulary.fieldNames[field] ?? field.rawValue
      // A quotation mark can't be written in a phrase: the longest piece without one is as good.
      let pieces = value.split { (character: Character) in SearchToken.isQuote(character) }
      let piece = String(pieces.max { $0.count < $1.count } ?? "").trimmingCharacters(in: .whitespaces)
      return piece.contains(where: \.isWhitespace) ? "\(name):\"\(piece)\"" : "\(name):\(piece)"
    }
    var all: [Candidate] = []
    all += kinds.compactMap { kind in
      let words = vocabulary.kinds.filter { $0.value == kind.value }.keys
      guard matches(kind.value.title) || words.contains(where: { $0.hasPrefix(needle) }) else { return nil }
      return Candidate(
        subject: .kind, title: kind.value.title, count: kind.count,
        token: token(.kind, vocabulary.kindNames[kind.value] ?? kind.value.rawValue))
    }
    all += albums.lazy.filter { matches($0.value) }.prefix(Self.mostCandidates).map {
      Candidate(subject: .album, title: $0.value, count: $0.count, token: token(.album, $0.value))
    }
    let everywhere = places.flatMap { [$0] + $0.cities }
    all += everywhere.lazy.filter { $0.country != nil && matches($0.title) }.prefix(Self.mostCandidates).map {
      Candidate(subject: .place, title: $0.title, count: $0.count, token: token(.place, $0.title))
    }
    all += cameras.lazy.filter { matches($0.value) }.prefix(Self.mostCandidates).map {
      Candidate(subject: .camera, title: $0.value, count: $0.count, token: token(.camera, $0.value))
    }
    return all + dates(needle, matches, token)
  }

  private func dates(
    _ needle: String, _ matches: @escaping (String) -> Bool,
    _ token: @escaping (SearchVocabulary.Field, String) -> String
  ) -> [Candidate] {
    var years: [Int: Int] = [:]
    for month in months { years[month.value.year, default: 0] += month.count }
    let ofYears = years.sorted { $0.key > $1.key }.filter { String($0.key).hasPrefix(needle) }.map {
      Candidate(subject: .date, title: String($0.key), count: $0.value, token: token(.date, String($0.key)))
    }
    let ofMonths = months.lazy.map { month in
      (month, String(format: "%04d-%02d", month.value.year, month.value.month))
    }.filter { $0.1.hasPrefix(needle) || matches($0.0.value.title) }.prefix(Self.mostCandidates).map { month, digits in
      Candidate(subject: .date, title: month.value.title, count: month.count, token: token(.date, digits))
    }
    return ofYears + ofMonths
  }
}
