// The names of the place at which a picture was taken, and the texts that contain one.

import Foundation

/// The names of a file's place, as its own location fields have them: city, region, country, street.
///
/// A copy without the place must not name it elsewhere either. Programs repeat the place as keywords, flat and in
/// hierarchies, and people in captions. Names are compared without regard to case and accents: it is better to lose a
/// word than to give the place away.
public struct PlaceNames: Sendable, Hashable {
  /// Folded.
  private var names: Set<String> = []
  /// As written; codes such as “FR” or “IT” are words of many languages, so they only count as whole keywords.
  private var codes: Set<String> = []
  /// Names of up to three letters as written, which count in texts only in the same case.
  private var shortNames: Set<String> = []
  /// Folded: the other parts of the hierarchies in which a name occurs, which programs repeat as flat keywords.
  private var relatives: Set<String> = []

  /// In letters: a shorter name is a word of many languages.
  private static let shortest = 4
  /// A file with more is an attack.
  private static let most = 256
  /// The separators of hierarchies: Lightroom's, digiKam's, and those of older programs.
  private static let separators: Set<Character> = ["|", "/", "\\", ">"]
  /// Folded roots of hierarchies that are places, whatever they are.
  private static let roots: Set<String> = [
    "places", "place", "locations", "location", "geography", "countries", "cities",
  ]

  public init() {}

  /// Whether there is no name.
  public var isEmpty: Bool { names.isEmpty && codes.isEmpty && shortNames.isEmpty }

  /// Adds a name; what is too short to be one is ignored.
  ///
  /// - Parameter isCode: Whether it is a country's code, not a name.
  public mutating func insert(_ name: String, isCode: Bool = false) {
    let name = name.trimmingCharacters(in: .whitespacesAndNewlines)
    guard name.count > 1, names.count + codes.count + shortNames.count < Self.most else { return }
    if isCode {
      codes.insert(name)
    } else if name.count < Self.shortest {
      shortNames.insert(name)
    } else {
      names.insert(Self.folded(name))
    }
  }

  /// Adds all names of others.
  public mutating func formUnion(_ others: PlaceNames) {
    names.formUnion(others.names)
    codes.formUnion(others.codes)
    shortNames.formUnion(others.shortNames)
    relatives.formUnion(others.relatives)
  }

  /// Notes the parts of a hierarchical keyword that names the place, so that `isKeyword` knows each of them.
  public mutating func noteHierarchy(_ keyword: String) {
    let parts = Self.parts(of: keyword)
    guard parts.count > 1, relatives.count < Self.most, namesPlace(parts) else { return }
    relatives.formUnion(parts.map(Self.folded))
  }

  /// Whether a keyword is a name of the place, part of a hierarchy that is, or made for maps.
  public func isKeyword(_ keyword: String) -> Bool {
    let folded = Self.folded(keyword.trimmingCharacters(in: .whitespacesAndNewlines))
    if folded == "geotagged" || folded.hasPrefix("geo:") { return true }
    if relatives.contains(folded) || codes.contains(keyword) { return true }
    let parts = Self.parts(of: keyword)
    return parts.count > 1 ? namesPlace(parts) : isNamed(in: keyword)
  }

  private func namesPlace(_ parts: [String]) -> Bool {
    Self.roots.contains(Self.folded(parts[0])) || parts.contains { isNamed(in: $0) }
  }

  /// Whether a text contains a name of the place as a word.
  public func isNamed(in text: String) -> Bool {
    guard !names.isEmpty || !shortNames.isEmpty else { return false }
    let folded = Self.folded(text)
    return names.contains { Self.hasWord($0, in: folded) } || shortNames.contains { Self.hasWord($0, in: text) }
  }

  private static func parts(of keyword: String) -> [String] {
    keyword.split(whereSeparator: separators.contains).map { $0.trimmingCharacters(in: .whitespacesAndNewlines) }
      .filter { !$0.isEmpty }
  }

  private static func folded(_ text: String) -> String {
    text.folding(options: [.caseInsensitive, .diacriticInsensitive, .widthInsensitive], locale: nil)
  }

  private static func hasWord(_ word: String, in text: String) -> Bool {
    var start = text.startIndex
    while let found = text.range(of: word, options: .literal, range: start..<text.endIndex) {
      let isBegin = found.lowerBound == text.startIndex || !isPartOfWord(text[text.index(before: found.lowerBound)])
      let isEnd = found.upperBound == text.endIndex || !isPartOfWord(text[found.upperBound])
      // Writing without spaces has no words.
      if isBegin && isEnd || word.unicodeScalars.contains(where: { $0.value >= 0x2e80 }) { return true }
      start = text.index(after: found.lowerBound)
    }
    return false
  }

  private static func isPartOfWord(_ character: Character) -> Bool { character.isLetter || character.isNumber }
}
