// GeoClue, simulated on a test's own bus.

import Foundation

/// Tells one place to each client that starts.
final class SimulatedGeoClue: Sendable {
  private let service: SimulatedService

  /// - Parameters:
  ///   - address: Of the bus, which PhotoMe has as the system's.
  ///   - isAllowed: Whether clients may start.
  init(address: String, isAllowed: Bool = true) throws {
    let client = "/org/freedesktop/GeoClue2/Client/1"
    let update = SimulatedService.Signal(
      path: client, interface: "org.freedesktop.GeoClue2.Client", name: "LocationUpdated",
      parameters: "(objectpath '/', objectpath '/org/freedesktop/GeoClue2/Location/0')")
    service = try SimulatedService(address: address, names: ["org.freedesktop.GeoClue2"]) { call in
      switch call.member {
      case "CreateClient": .reply("(objectpath '\(client)',)")
      case "Set", "Stop", "DeleteClient": .reply(nil)
      case "GetAll": .reply("({'Latitude': <46.948>, 'Longitude': <7.4474>, 'Accuracy': <25.0>},)")
      case "Start" where isAllowed: .reply(nil, then: [update])
      case "Start": .refusal("Geolocation disabled")
      default: .unknown
      }
    }
  }
}
