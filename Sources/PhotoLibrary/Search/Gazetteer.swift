// The names of places, without a network: the cities that libgweather's data lists.

import CameraCore
import Foundation
import Localization

/// Cities with their coordinates, from `Locations.xml` of the package libgweather-4-common: some 4,200 with a weather
/// station nearby, of every country, in the languages of the desktop.
///
/// Only the data is used. The package's library is made for weather reports, and would bring an HTTP client into a program
/// that never asks the network where its pictures were taken.
struct Gazetteer: Sendable {
  /// A city.
  struct City: Sendable, Hashable {
    /// In English.
    var name: String
    /// What tells its name from equal ones in the catalog of translations.
    var context: String?
    /// ISO 3166-1, two capital letters.
    var country: String
    var location: GeoLocation

    /// In the person's language.
    var title: String { systemTranslation(of: name, context: context, domain: "libgweather-4.0-locations") }
  }

  /// By latitude.
  let cities: [City]
  /// Changes when the data does.
  let version: String

  /// Further away than this, a city's name would mislead.
  static let farthest = 60_000.0

  /// The system's; without cities where the package isn't installed. Read once, some 30 ms.
  static let installed = find(
    in: (ProcessInfo.processInfo.environment["XDG_DATA_DIRS"].flatMap { $0.isEmpty ? nil : $0 }
      ?? "/usr/local/share:/usr/share").split(separator: ":").map(String.init))

  /// - Parameter folders: The system's data folders.
  static func find(in folders: [String]) -> Gazetteer {
    for folder in folders {
      let url = URL(fileURLWithPath: "\(folder)/libgweather-4/Locations.xml", isDirectory: false)
      // Its absence is no error: places are told by their coordinates then.
      guard let data = try? Data(contentsOf: url), data.count <= GazetteerReader.largestFile else { continue }
      return Gazetteer(data)
    }
    return Gazetteer(Data())
  }

  /// - Parameter data: The file; what can't be read is left out.
  init(_ data: Data) {
    var reader = GazetteerReader(bytes: [UInt8](data))
    reader.read()
    cities = reader.cities.sorted { $0.location.latitude < $1.location.latitude }
    version = "\(data.count):\(cities.count)"
  }

  /// The nearest city; `nil` when it is further away than `farthest`.
  func nearest(to place: GeoLocation) -> City? {
    // A degree of latitude is nowhere shorter than 110.5 km.
    let reach = Self.farthest / 110_500
    var (low, high) = (0, cities.count)
    while low < high {
      let middle = (low + high) / 2
      if cities[middle].location.latitude < place.latitude - reach { low = middle + 1 } else { high = middle }
    }
    var best: (city: City, distance: Double)?
    for city in cities[low...] {
      if city.location.latitude > place.latitude + reach { break }
      let distance = city.location.distance(to: place)
      if distance <= Self.farthest, distance < best?.distance ?? .infinity { best = (city, distance) }
    }
    return best?.city
  }

  /// A country in the person's language; its code where the system has no name for it.
  static func title(ofCountry code: String) -> String {
    Locale.forText.localizedString(forRegionCode: code) ?? code
  }
}

extension GeoLocation {
  /// Meters along a great circle of a sphere, by the haversine formula.
  func distance(to other: GeoLocation) -> Double {
    let radian = Double.pi / 180
    let (sine, cross) = (
      sin((other.latitude - latitude) * radian / 2), sin((other.longitude - longitude) * radian / 2)
    )
    let square = sine * sine + cos(latitude * radian) * cos(other.latitude * radian) * cross * cross
    return 2 * 6_371_000 * asin(min(1, square.squareRoot()))
  }
}
