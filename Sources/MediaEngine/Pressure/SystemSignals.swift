// Linux's own signals of pressure: stalls of processor and memory, and the thermal zones.

import CameraCore
import Foundation
import Synchronization

/// What the system tells of its load.
struct SystemSignals: Equatable, Sendable {
  /// In percent of the last 10 seconds; 0 where the kernel doesn't tell.
  var processorStall = 0.0
  /// The same for memory.
  var memoryStall = 0.0
  var temperature = PressureSignals.Temperature.normal
}

/// Reads the system's signals.
protocol SystemSignalReader: Sendable {
  /// May block.
  func read() -> SystemSignals
}

/// A system that tells nothing.
struct NoSystemSignals: SystemSignalReader {
  func read() -> SystemSignals { SystemSignals() }
}

/// Reads the kernel's files: pressure stall information (PSI, `Documentation/accounting/psi.rst`), which some kernels are
/// built or booted without, and the thermal zones (`Documentation/driver-api/thermal/sysfs-api.rst`).
final class LinuxSignals: SystemSignalReader {
  /// Thermal zones are slow, in both senses: some firmware takes milliseconds to answer.
  static let readingsPerTemperature = 5

  private struct State {
    var zones: [ThermalZone]?
    var temperature = PressureSignals.Temperature.normal
    var readingCount = 0
  }

  private let pressure: URL
  private let thermal: URL
  private let state = Mutex(State())

  /// - Parameters:
  ///   - pressure: The folder of PSI.
  ///   - thermal: The folder of the thermal zones.
  init(
    pressure: URL = URL(fileURLWithPath: "/proc/pressure"), thermal: URL = URL(fileURLWithPath: "/sys/class/thermal")
  ) {
    self.pressure = pressure
    self.thermal = thermal
  }

  func read() -> SystemSignals {
    SystemSignals(
      processorStall: stall("cpu"), memoryStall: stall("memory"), temperature: state.withLock { temperature(&$0) })
  }

  private func stall(_ resource: String) -> Double {
    guard let text = try? String(contentsOf: pressure.appending(path: resource), encoding: .utf8) else { return 0 }
    return Self.stall(text) ?? 0
  }

  /// `some avg10` of a PSI file, in percent; `nil` for another text.
  static func stall(_ text: String) -> Double? {
    for line in text.split(separator: "\n") {
      let words = line.split(separator: " ")
      guard words.first == "some" else { continue }
      let value = words.lazy.compactMap { $0.hasPrefix("avg10=") ? Double($0.dropFirst(6)) : nil }.first
      return value.flatMap { $0.isFinite ? min(100, max(0, $0)) : nil }
    }
    return nil
  }

  private func temperature(_ state: inout State) -> PressureSignals.Temperature {
    defer { state.readingCount += 1 }
    guard state.readingCount.isMultiple(of: Self.readingsPerTemperature) else { return state.temperature }
    let zones = state.zones ?? ThermalZone.all(in: thermal)
    state.zones = zones
    state.temperature = zones.map(\.reading).max() ?? .normal
    return state.temperature
  }
}

/// A thermal zone with trip points that concern us. These don't change.
private struct ThermalZone: Sendable {
  private let file: URL
  /// In thousandths of a degree Celsius.
  private let trips: [(temperature: Int, meaning: PressureSignals.Temperature)]

  /// `nil` for a zone that is disabled, or without such trip points.
  private init?(_ folder: URL) {
    guard Self.text(folder, "mode") != "disabled",
      let names = try? FileManager.default.contentsOfDirectory(
        atPath: folder.path)
    else { return nil }
    file = folder.appending(path: "temp")
    trips = names.compactMap { name in
      guard name.hasPrefix("trip_point_"), name.hasSuffix("_type"),
        let temperature = Self.text(folder, name.dropLast(4) + "temp").flatMap({ Int($0) }), temperature > 0
      else { return nil }
      switch Self.text(folder, name) {
      case "passive": return (temperature, .passive)
      case "hot": return (temperature, .hot)
      case "critical": return (temperature, .critical)
      default: return nil
      }
    }
    if trips.isEmpty { return nil }
  }

  static func all(in folder: URL) -> [ThermalZone] {
    let names = (try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? []
    return names.filter { $0.hasPrefix("thermal_zone") }.sorted().compactMap { ThermalZone(folder.appending(path: $0)) }
  }

  /// The highest trip point that is reached.
  var reading: PressureSignals.Temperature {
    guard let text = try? String(contentsOf: file, encoding: .utf8),
      let temperature = Int(text.trimmingCharacters(in: .whitespacesAndNewlines))
    else { return .normal }
    return trips.filter { temperature >= $0.temperature }.map(\.meaning).max() ?? .normal
  }

  private static func text(_ folder: URL, _ name: some StringProtocol) -> String? {
    let text = try? String(contentsOf: folder.appending(path: String(name)), encoding: .utf8)
    return text?.trimmingCharacters(in: .whitespacesAndNewlines)
  }
}
