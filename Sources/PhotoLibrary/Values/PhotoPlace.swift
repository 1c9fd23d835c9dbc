// A country, a city, or a spot without a name: what a list of places shows.

import Foundation

/// Where pictures were taken, as far as it has a name.
public struct PhotoPlace: Sendable, Hashable {
  /// The extent of a place.
  public enum Area: Sendable, Hashable {
    /// By its ISO 3166-1 code, two capital letters.
    case country(String)
    /// The surroundings of a city, by its English name.
    case city(String, country: String)
    /// A spot that no known city is near to, or whose name isn't known without a gazetteer.
    case spot(Moment.Place)
  }

  public var area: Area
  /// In the person's language.
  public var title: String
  /// The number of pictures that aren't hidden.
  public var count: Int
  /// The cities of a country, by title.
  public var cities: [PhotoPlace]

  init(_ area: Area, title: String, count: Int, cities: [PhotoPlace] = []) {
    (self.area, self.title, self.count, self.cities) = (area, title, count, cities)
  }

  /// The ISO 3166-1 code of the country; `nil` for a spot.
  public var country: String? {
    switch area {
    case .country(let code), .city(_, country: let code): code
    case .spot: nil
    }
  }

  /// The same in every language.
  var id: String {
    switch area {
    case .country(let code): "place:\(code)"
    case .city(let name, country: let code): "place:\(code)/\(name)"
    case .spot(let place): "place:\(place.row):\(place.column)"
    }
  }
}
