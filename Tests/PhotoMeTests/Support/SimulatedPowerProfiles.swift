// The daemon of power profiles, simulated on a test's own bus.

import Foundation
import Synchronization

/// Has one profile active, which can be changed. Under both names of the daemon: newer versions of GLib ask for
/// the second one.
final class SimulatedPowerProfiles: Sendable {
  private static let names = [
    ("net.hadess.PowerProfiles", "/net/hadess/PowerProfiles"),
    ("org.freedesktop.UPower.PowerProfiles", "/org/freedesktop/UPower/PowerProfiles"),
  ]

  /// The active profile; read on GDBus's thread.
  private final class Active: Sendable {
    private let name: Mutex<String>

    init(_ name: String) { self.name = Mutex(name) }

    var properties: String { "{'ActiveProfile': <'\(name.withLock { $0 })'>}" }

    func change(to name: String) { self.name.withLock { $0 = name } }
  }

  private let service: SimulatedService
  private let active: Active

  /// - Parameters:
  ///   - address: Of the bus, which PhotoMe has as the system's.
  ///   - profile: `power-saver`, `balanced` or `performance`.
  init(address: String, profile: String) throws {
    let active = Active(profile)
    self.active = active
    service = try SimulatedService(address: address, names: Self.names.map(\.0)) { call in
      call.member == "GetAll" ? .reply("(\(active.properties),)") : .unknown
    }
  }

  /// The person chooses another profile.
  func choose(_ profile: String) {
    active.change(to: profile)
    for (name, path) in Self.names {
      service.send(
        SimulatedService.Signal(
          path: path, interface: "org.freedesktop.DBus.Properties", name: "PropertiesChanged",
          parameters: "('\(name)', \(active.properties), @as [])"))
    }
  }
}
