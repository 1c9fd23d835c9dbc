// Reading the cities of libgweather's Locations.xml.

import Foundation

/// Finds the elements `country` with `iso-code`, and in them `city` with `_name` or `name`, and `coordinates`.
///
/// It reads no other XML: no entities but the five that XML has itself, no CDATA. Its time is linear, whatever the file holds.
struct GazetteerReader {
  let bytes: [UInt8]
  private(set) var cities: [Gazetteer.City] = []

  /// The file has 1.7 MB.
  static let largestFile = 64 << 20

  private var country = ""
  private var city: (name: String, context: String?, location: GeoLocation?)?
  /// A weather station has a name and coordinates as well.
  private var isInStation = false
  /// The text since the last tag.
  private var text = 0..<0
  private var context: String?

  init(bytes: [UInt8]) { self.bytes = bytes }

  mutating func read() {
    var index = 0
    while let start = next(UInt8(ascii: "<"), from: index) {
      text = index..<start
      if bytes[start...].starts(with: Array("<!--".utf8)) {
        guard let end = endOfComment(from: start + 4) else { return }
        index = end
        continue
      }
      guard let end = next(UInt8(ascii: ">"), from: start) else { return }
      tag(String(decoding: bytes[(start + 1)..<end], as: UTF8.self))
      index = end + 1
    }
  }

  private func next(_ byte: UInt8, from index: Int) -> Int? {
    index < bytes.count ? bytes[index...].firstIndex(of: byte) : nil
  }

  private func endOfComment(from start: Int) -> Int? {
    var index = start
    while let end = next(UInt8(ascii: ">"), from: index) {
      if end >= start + 2, bytes[end - 1] == UInt8(ascii: "-"), bytes[end - 2] == UInt8(ascii: "-") { return end + 1 }
      index = end + 1
    }
    return nil
  }

  private mutating func tag(_ tag: String) {
    let name = tag.prefix { !$0.isWhitespace }
    switch name {
    case "country": country = ""
    case "city": city = ("", nil, nil)
    case "location": isInStation = true
    case "/location": isInStation = false
    case "/iso-code": country = value
    case "_name", "name": context = Self.attribute("msgctxt", of: tag)
    case "/_name", "/name":
      if !isInStation, let place = city, place.name.isEmpty { city = (value, context, place.location) }
    case "/coordinates":
      if !isInStation, let place = city { city = (place.name, place.context, Self.coordinates(value)) }
    case "/city":
      if let city, !city.name.isEmpty, let location = city.location, country.utf8.count == 2 {
        cities.append(
          Gazetteer.City(name: city.name, context: city.context, country: country.uppercased(), location: location))
      }
      city = nil
    default: break
    }
  }

  private var value: String {
    Self.unescaped(
      String(decoding: bytes[text].prefix(500), as: UTF8.self).trimmingCharacters(in: .whitespacesAndNewlines))
  }

  private static func attribute(_ name: String, of tag: String) -> String? {
    guard let start = tag.range(of: "\(name)=\"")?.upperBound else { return nil }
    return unescaped(String(tag[start...].prefix { $0 != "\"" }))
  }

  private static func coordinates(_ text: String) -> GeoLocation? {
    let numbers = text.split(whereSeparator: \.isWhitespace).compactMap { Double($0) }
    guard numbers.count == 2 else { return nil }
    return GeoLocation(latitude: numbers[0], longitude: numbers[1])
  }

  private static func unescaped(_ text: String) -> String {
    guard text.contains("&") else { return text }
    var text = text
    for (entity, character) in [("&lt;", "<"), ("&gt;", ">"), ("&quot;", "\""), ("&apos;", "'"), ("&amp;", "&")] {
      text = text.replacing(entity, with: character)
    }
    return text
  }
}
