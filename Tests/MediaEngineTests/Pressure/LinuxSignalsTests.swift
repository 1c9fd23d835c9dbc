// The kernel's signals of pressure, from folders that look like its own.

import CameraCore
import Foundation
import Testing

@testable import MediaEngine

@Suite struct LinuxSignalsTests {
  /// Folders in the place of `/proc/pressure` and `/sys/class/thermal`.
  private final class Kernel {
    let folder = FileManager.default.temporaryDirectory.appending(path: "photome-signals-\(UUID().uuidString)")
    deinit { try? FileManager.default.removeItem(at: folder) }

    func write(_ path: String, _ text: String) throws {
      let file = folder.appending(path: path)
      try FileManager.default.createDirectory(at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
      try text.write(to: file, atomically: true, encoding: .utf8)
    }

    var reader: LinuxSignals {
      LinuxSignals(pressure: folder.appending(path: "pressure"), thermal: folder.appending(path: "thermal"))
    }

    /// Readings until the temperature is read again.
    func next(_ reader: LinuxSignals) -> SystemSignals {
      for _ in 1..<LinuxSignals.readingsPerTemperature { _ = reader.read() }
      return reader.read()
    }
  }

  @Test(arguments: [
    (
      "some avg10=12.34 avg60=1.00 avg300=0.00 total=1\nfull avg10=5.00 avg60=0.00 avg300=0.00 total=0\n",
      Double?(12.34)
    ),
    ("full avg10=5.00\nsome avg10=0.00\n", 0), ("some avg10=250", 100), ("some avg10=-3", 0),
    ("some avg10=nan", nil), ("some avg60=3", nil), ("", nil), ("full avg10=5.00", nil), ("some avg10=", nil),
  ])
  func stall(text: String, value: Double?) {
    #expect(LinuxSignals.stall(text) == value)
  }

  @Test func aKernelThatTellsNothingIsCalm() {
    #expect(Kernel().reader.read() == SystemSignals())
  }

  @Test func stallsAndTheHottestZoneAreRead() throws {
    let kernel = Kernel()
    try kernel.write("pressure/cpu", "some avg10=44.00 avg60=0 avg300=0 total=9\n")
    try kernel.write("pressure/memory", "some avg10=7.50 avg60=0 avg300=0 total=9\nfull avg10=3.00\n")
    // A zone of a battery: no trip points of ours.
    try kernel.write("thermal/thermal_zone0/temp", "99000\n")
    try kernel.write("thermal/thermal_zone0/trip_point_0_type", "active\n")
    try kernel.write("thermal/thermal_zone0/trip_point_0_temp", "20000\n")
    // A disabled one.
    try kernel.write("thermal/thermal_zone1/mode", "disabled\n")
    try kernel.write("thermal/thermal_zone1/temp", "99000\n")
    try kernel.write("thermal/thermal_zone1/trip_point_0_type", "critical\n")
    try kernel.write("thermal/thermal_zone1/trip_point_0_temp", "20000\n")
    // The processor's, with a trip point that firmware left empty.
    try kernel.write("thermal/thermal_zone2/mode", "enabled\n")
    try kernel.write("thermal/thermal_zone2/temp", "60000\n")
    for (index, (type, temperature)) in [
      ("critical", 105_000), ("passive", 80_000), ("hot", 95_000), ("passive", -274_000), ("passive", 0),
    ].enumerated() {
      try kernel.write("thermal/thermal_zone2/trip_point_\(index)_type", "\(type)\n")
      try kernel.write("thermal/thermal_zone2/trip_point_\(index)_temp", "\(temperature)\n")
    }
    try kernel.write("thermal/cooling_device0/type", "Fan\n")
    let reader = kernel.reader
    #expect(reader.read() == SystemSignals(processorStall: 44, memoryStall: 7.5))
    for (temperature, reading) in [
      ("80000", PressureSignals.Temperature.passive), ("95000", .hot), ("105000", .critical), ("79999", .normal),
      ("none", .normal),
    ] {
      try kernel.write("thermal/thermal_zone2/temp", temperature)
      #expect(kernel.next(reader).temperature == reading, "\(temperature)")
    }
  }
}
