// Places by name or by coordinates, as people type them.

import Foundation
import Localization

/// A city that a name was found for, or a spot that was given by its coordinates.
public struct NamedPlace: Sendable, Hashable {
  /// In the person's language: “Bern, Switzerland”.
  public var title: String
  public var location: GeoLocation

  /// The most that a search returns.
  public static let mostFound = 8

  /// The places that a text may mean, the best first: coordinates, or the cities whose names begin with it.
  ///
  /// Names are those of libgweather's list, in English and in the person's language; without that package there are
  /// coordinates only. Takes some 30 ms at the first call.
  public static func find(_ text: String) -> [NamedPlace] { find(text, in: .installed) }

  static func find(_ text: String, in gazetteer: Gazetteer) -> [NamedPlace] {
    let text = text.trimmingCharacters(in: .whitespacesAndNewlines)
    if let location = GeoLocation(text: text) { return [NamedPlace(title: text, location: location)] }
    let parts = text.split(separator: ",", maxSplits: 1).map { folded(String($0)) }
    guard let name = parts.first, !name.isEmpty else { return [] }
    var found: [(rank: Int, place: NamedPlace)] = []
    for city in gazetteer.cities {
      let names = [city.title, city.name].map(folded)
      guard names.contains(where: { $0.hasPrefix(name) }) else { continue }
      let country = Gazetteer.title(ofCountry: city.country)
      if parts.count > 1, !folded(country).hasPrefix(parts[1]) { continue }
      let place = NamedPlace(title: "\(city.title), \(country)", location: city.location)
      found.append((names.contains(name) ? 0 : 1, place))
    }
    found.sort { ($0.rank, $0.place.title) < ($1.rank, $1.place.title) }
    return found.prefix(mostFound).map(\.place)
  }

  private static func folded(_ text: String) -> String {
    text.trimmingCharacters(in: .whitespaces)
      .folding(options: [.caseInsensitive, .diacriticInsensitive], locale: .forText)
  }
}

extension GeoLocation {
  /// Reads coordinates as people and maps write them: `46.948, 7.4474`, `46.948° N 7.4474° E`, `46°56'53"N 7°26'51"E`,
  /// `+46.948000+007.447400/`.
  ///
  /// - Returns: `nil` for anything else, and for numbers with a sign and the letter of a hemisphere.
  public init?(text: String) {
    if let location = GeoLocation(iso6709: text) {
      self = location
      return
    }
    let number =
      /([+\-−]?)\s*(\d{1,3}(?:\.\d+)?)\s*(?:[°º]\s*(?:(\d{1,2}(?:\.\d+)?)\s*['′’]\s*(?:(\d{1,2}(?:\.\d+)?)\s*(?:["″”]|''))?)?)?\s*([NSEWnsew]?)/
    guard let first = text.prefixMatch(of: number) else { return nil }
    let rest = text[first.range.upperBound...].drop { $0 == "," || $0 == ";" || $0 == "/" || $0.isWhitespace }
    let isSeparate = text[..<first.range.upperBound].last?.isWhitespace == true || !first.5.isEmpty
    guard isSeparate || rest.startIndex > first.range.upperBound, let second = rest.wholeMatch(of: number) else {
      return nil
    }
    func degrees(
      _ match: (Substring, Substring, Substring, Substring?, Substring?, Substring), _ letters: (String, String)
    ) -> Double? {
      guard let whole = Double(match.2) else { return nil }
      let minutes = match.3.flatMap { Double($0) } ?? 0
      let seconds = match.4.flatMap { Double($0) } ?? 0
      let letter = match.5.uppercased()
      // South of the equator, or a southern latitude below zero?
      guard match.1.isEmpty || letter.isEmpty else { return nil }
      guard minutes < 60, seconds < 60, letter.isEmpty || letter == letters.0 || letter == letters.1 else { return nil }
      let value = whole + minutes / 60 + seconds / 3600
      return (match.1.isEmpty || match.1 == "+") == (letter != letters.1) ? value : -value
    }
    guard let latitude = degrees(first.output, ("N", "S")), let longitude = degrees(second.output, ("E", "W")) else {
      return nil
    }
    self.init(latitude: latitude, longitude: longitude)
  }

  /// Whether a text has a number with both a sign and the letter of a hemisphere, which may mean two places.
  public static func hasSignAndHemisphere(in text: String) -> Bool {
    text.contains(/[+\-−]\s*\d[\d.\s°º'′’"″”]*[NSEWnsew]\b/)
  }
}
