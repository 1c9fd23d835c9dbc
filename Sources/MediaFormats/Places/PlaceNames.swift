// The names of the place at which a picture was taken, and the texts that contain one.

import Foundation

/// The names of a file's place, as its own location fields have them: city, region, country, street.
///
/// A copy without the place must not name it elsewhere either. Programs repeat the place as keywords, flat and in
/// hierarchies, and people in captions. Names are compared by words, without regard to case, accents and hyphens: it is
/// better to lose a word than to give the place away.
public struct PlaceNames: Sendable, Hashable {
  /// The words of each name, folded, by the first of them.
  private var names: [String: Set<[String]>] = [:]
  /// Folded names in writing that has no spaces between words.
  private var unspaced: Set<String> = []
  /// The names without spaces, as in “newyork”.
  private var joined: Set<String> = []
  /// As written; codes such as “FR” or “IT” are words of many languages, so they only count as whole keywords.
  private var codes: Set<String> = []
  /// Names of two letters as written, which count in texts only in the same case.
  private var shortNames: Set<String> = []
  /// Folded: the other parts of the hierarchies in which a name occurs, which programs repeat as flat keywords.
  private var relatives: Set<String> = []
  /// Latitudes and longitudes of the place, in degrees, where they are known: numbers that are close to one tell it.
  private var coordinates: Set<Double> = []

  /// In letters: a shorter name is a word of many languages.
  private static let shortest = 3
  /// A file with more is an attack.
  private static let most = 256
  /// In characters; longer values are no names.
  private static let longest = 1000
  /// The separators of hierarchies: Lightroom's, digiKam's, and those of older programs.
  private static let separators: Set<Character> = ["|", "/", "\\", ">"]
  /// Folded roots of hierarchies that are places, whatever they are.
  private static let roots: Set<String> = [
    "places", "place", "locations", "location", "geography", "countries", "cities", "orte", "ort", "lander", "stadte",
    "lieux", "lieu", "pays", "villes", "lugares", "paises", "ciudades", "luoghi", "paesi", "citta", "plaatsen",
    "platser", "steder", "miejsca", "mista", "where", "wo", "geo", "geografie", "geographie", "geografia",
  ]

  public init() {}

  /// Whether there is no name.
  public var isEmpty: Bool {
    coordinates.isEmpty && names.isEmpty && unspaced.isEmpty && codes.isEmpty && shortNames.isEmpty
  }

  private var count: Int { joined.count + unspaced.count + codes.count + shortNames.count }

  /// Adds the name in a field, and the names in it: “7530 Zernez GR, Schweiz” also has “Zernez” and “Schweiz”. What is too
  /// short to be one, numbers and addresses of the web are ignored.
  ///
  /// - Parameter isCode: Whether it is a country's code, not a name.
  public mutating func insert(_ field: String, isCode: Bool = false) {
    let field = field.trimmingCharacters(in: .whitespacesAndNewlines)
    guard field.count > 1, field.count <= Self.longest, !field.contains("://") else { return }
    if isCode {
      // A code of three letters is hardly a word.
      if count < Self.most { codes.insert(field.count == 3 ? field.uppercased() : field) }
      return
    }
    for name in [field] + Self.parts(ofField: field) where count < Self.most {
      let folded = Self.folded(name)
      let words = Self.words(folded)
      let letters = words.reduce(0) { $0 + $1.count }
      if folded.unicodeScalars.contains(where: Self.isUnspaced) {
        if letters > 1 { unspaced.insert(words.joined()) }
      } else if letters >= Self.shortest {
        guard let first = words.first else { continue }
        names[first, default: []].insert(words)
        joined.insert(words.joined())
      } else if name.count == 2, name.contains(where: \.isLetter) {
        shortNames.insert(name)
      }
    }
  }

  /// The names in a field with several of them: without numbers, and without the code of a region behind a name.
  private static func parts(ofField field: String) -> [String] {
    var parts: [String] = []
    for piece in field.replacing(" - ", with: ",").split(whereSeparator: { ",;|/\\()[]\n".contains($0) }) {
      for run in piece.split(separator: " ").split(whereSeparator: { $0.contains(where: \.isNumber) }) {
        parts.append(run.joined(separator: " "))
        guard run.contains(where: { $0.contains(where: \.isLowercase) }) else { continue }
        let isCode = { (word: Substring) in word.count <= 3 && word.allSatisfy(\.isUppercase) }
        let name = run.drop(while: isCode).reversed().drop(while: isCode).reversed()
        if name.count < run.count { parts.append(name.joined(separator: " ")) }
      }
    }
    // Of a street's number, “a” may be left.
    return parts.filter { $0 != field && ($0.count >= shortest || $0.unicodeScalars.contains(where: isUnspaced)) }
  }

  /// Adds all names of others.
  public mutating func formUnion(_ others: PlaceNames) {
    names.merge(others.names) { $0.union($1) }
    unspaced.formUnion(others.unspaced)
    joined.formUnion(others.joined)
    codes.formUnion(others.codes)
    shortNames.formUnion(others.shortNames)
    relatives.formUnion(others.relatives)
    coordinates.formUnion(others.coordinates)
  }

  /// Adds a latitude or longitude of the place, in degrees. Whole numbers are no places.
  public mutating func insert(coordinate: Double) {
    guard abs(coordinate) > 1, abs(coordinate) <= 180, coordinate != coordinate.rounded() else { return }
    if coordinates.count < Self.most { coordinates.insert(abs(coordinate)) }
  }

  /// Adds the exact numbers in a position of some form, such as ISO 6709.
  mutating func insert(position: String) {
    for number in CoordinateText.exactNumbers(in: position) { insert(coordinate: number) }
    if let number = CoordinateText.coordinate(position) { insert(coordinate: number) }
  }

  /// Notes the parts of a hierarchical keyword. Below a root such as “Places” they are names; if one of them names the
  /// place, `isKeyword` knows all of them.
  public mutating func noteHierarchy(_ keyword: String) {
    let parts = Self.parts(of: keyword)
    guard parts.count > 1, relatives.count < Self.most else { return }
    if let root = parts.firstIndex(where: { Self.roots.contains(Self.folded($0)) }) {
      for part in parts[(root + 1)...] { insert(part) }
    } else if !parts.contains(where: { isNamed(in: $0) }) {
      return
    }
    relatives.formUnion(parts.map(Self.folded))
  }

  /// The same for a tree of keywords, each of which is looked at once.
  ///
  /// - Parameter keywords: Each behind its parent, with the parent's number.
  mutating func noteTree(_ keywords: [(word: String, parent: Int?)]) {
    var nodes: [(folded: String, isOfRoot: Bool, isNamed: Bool, isNoted: Bool)] = []
    for (word, parent) in keywords {
      let around = parent.map { nodes[$0] }
      let isBelowRoot = around?.isOfRoot ?? false
      if isBelowRoot { insert(word) }
      let folded = Self.folded(word)
      let isNamed = around?.isNamed ?? false || isNamed(in: word)
      nodes.append((folded, isBelowRoot || Self.roots.contains(folded), isNamed, false))
      guard parent != nil, isBelowRoot || isNamed else { continue }
      var number: Int? = nodes.count - 1
      while let noted = number, !nodes[noted].isNoted, relatives.count < Self.most {
        nodes[noted].isNoted = true
        relatives.insert(nodes[noted].folded)
        number = keywords[noted].parent
      }
    }
  }

  /// Whether a hierarchical keyword has a root such as “Places”.
  static func isOfPlaces(_ keyword: String) -> Bool {
    let parts = parts(of: keyword)
    return parts.count > 1 && parts.contains { roots.contains(folded($0)) }
  }

  /// Whether a keyword is a name of the place, part of a hierarchy that is, or made for maps.
  public func isKeyword(_ keyword: String) -> Bool {
    let folded = Self.folded(keyword.trimmingCharacters(in: .whitespacesAndNewlines))
    if folded == "geotagged" || folded.hasPrefix("geo:") { return true }
    if relatives.contains(folded) || codes.contains(keyword.count == 3 ? keyword.uppercased() : keyword) { return true }
    if joined.contains(Self.words(folded).joined()) || CoordinateText.isFound(in: keyword) || isPosition(keyword) {
      return true
    }
    let parts = Self.parts(of: keyword)
    return parts.count > 1 ? isPlace(parts) : isNamed(in: keyword)
  }

  /// Whether a branch of a hierarchy names the place, or is one of places.
  func isPlace(_ parts: [String]) -> Bool {
    parts.contains { Self.roots.contains(Self.folded($0)) || isNamed(in: $0) }
  }

  /// Whether a text contains a name of the place as a word, or run together with others: “ZernezGR”, “#newyork2024”.
  public func isNamed(in text: String) -> Bool {
    guard !names.isEmpty || !unspaced.isEmpty || !shortNames.isEmpty else { return false }
    let folded = Self.folded(text)
    if !names.isEmpty {
      let words = Self.words(folded)
      if isNamed(words) { return true }
      let apart = Self.words(Self.folded(Self.takenApart(text)))
      if apart.count > words.count, isNamed(apart) { return true }
    }
    if unspaced.contains(where: { folded.contains($0) }) { return true }
    return !shortNames.isEmpty && Self.words(text).contains { shortNames.contains($0) }
  }

  private func isNamed(_ words: [String]) -> Bool {
    for (index, word) in words.enumerated() {
      if joined.contains(word) { return true }
      if names[word]?.contains(where: { words[index...].starts(with: $0) }) == true { return true }
    }
    return false
  }

  /// Whether a text tells the place: by a name, or by coordinates.
  public func isTold(in text: String) -> Bool { isKnown(in: text) || CoordinateText.isFound(in: text) }

  /// Whether a text has a name of the place, or one of its known coordinates.
  public func isKnown(in text: String) -> Bool { isNamed(in: text) || isPosition(text) }

  /// Whether a text has one of the known coordinates as no other number is written, or two of them in another form.
  private func isPosition(_ text: String) -> Bool {
    guard !coordinates.isEmpty else { return false }
    let text = CoordinateText.decoded(text)
    func isKnown(_ number: Double) -> Bool { coordinates.contains { abs($0 - abs(number)) < Self.closest } }
    if CoordinateText.exactNumbers(in: text).contains(where: isKnown) { return true }
    // Several spellings of one coordinate may be known.
    let angles = CoordinateText.possibleAngles(in: text).filter(isKnown)
    if let least = angles.min(), let most = angles.max(), most - least > 2 * Self.closest { return true }
    return CoordinateText.plusCodes(in: text).contains { $0.isAmong(coordinates, within: Self.closest) }
  }

  /// In degrees: a hundred meters, which three decimals tell.
  private static let closest = 0.001

  private static func parts(of keyword: String) -> [String] {
    keyword.split(whereSeparator: separators.contains).map { $0.trimmingCharacters(in: .whitespacesAndNewlines) }
      .filter { !$0.isEmpty }
  }

  // MARK: Words

  /// Letters that have no accent that could be taken off, as they are written without them.
  private static let plain: [Character: String] = [
    "ß": "ss", "ł": "l", "ø": "o", "đ": "d", "ð": "d", "þ": "th", "æ": "ae", "œ": "oe", "ı": "i",
  ]

  /// Without case, accents, width, and characters that nobody sees, such as soft hyphens.
  private static func folded(_ text: String) -> String {
    let folded = text.folding(options: [.caseInsensitive, .diacriticInsensitive, .widthInsensitive], locale: nil)
    if folded.utf8.allSatisfy({ $0 < 0x80 }) { return folded }
    let seen = String(folded.unicodeScalars.filter { $0.properties.generalCategory != .format })
    return seen.reduce(into: "") { $0 += plain[$1] ?? String($1) }
  }

  private static func words(_ text: String) -> [String] {
    text.split { !$0.isLetter && !$0.isNumber }.map(String.init)
  }

  /// A text with spaces where words are run together: before capitals behind small letters, and around numbers.
  private static func takenApart(_ text: String) -> String {
    var apart = ""
    var last: Character?
    for letter in text {
      if let last, last.isLowercase && letter.isUppercase || last.isNumber != letter.isNumber { apart.append(" ") }
      apart.append(letter)
      last = letter
    }
    return apart
  }

  /// Whether a letter belongs to writing that has no spaces between words: Thai, Lao, Burmese, Khmer, and all of East Asia.
  private static func isUnspaced(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.value {
    case 0x0e00...0x0eff, 0x1000...0x109f, 0x1780...0x17ff, 0x2e80...: true
    default: false
    }
  }
}
