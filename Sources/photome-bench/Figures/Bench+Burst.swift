// Figures: thirty presses in one second.

import CameraCore
import Foundation

extension Bench {
  func measureBurst() async throws -> [Figure] {
    say("30 presses in one second")
    let studio = try await Studio(
      folder: folder.appendingPathComponent("burst"), camera: CameraConfiguration(cameraID: CameraDevice.testID))
    // The first burst fills caches and pools; the second shows what stays behind.
    _ = try await studio.burst(presses: 30)
    try await waitForIdle()
    let before = ProcessUsage.ownMemory()
    let statistics = try await studio.idleStatistics()
    let (saved, failures) = try await studio.burst(presses: 30)
    failures.forEach { say("  a shot was lost: \($0)") }
    try await waitForIdle()
    let counted = try await studio.idleStatistics()
    let after = ProcessUsage.ownMemory()
    await studio.close()
    let lost = (counted.arrived - statistics.arrived) - (counted.shown - statistics.shown)
    return [
      Figure(
        "burst: photos saved of 30 presses in one second", value: Double(saved), unit: "photos", goal: .atLeast(30)),
      Figure(
        "burst: preview frames lost", value: Double(lost), unit: "frames", goal: .atMost(0),
        note: "of \(counted.arrived - statistics.arrived) frames from the first press until 3 s after the last file"),
      Figure(
        "burst: memory held afterwards", value: Double(after - before) / 1e6, unit: "MB", goal: .atMost(4),
        note: "the process held \(Figure.number(Double(before) / 1e6)) MB before"),
    ]
  }

  /// Long enough for files, caches and pools to come to rest.
  private func waitForIdle() async throws { try await Task.sleep(nanoseconds: 3_000_000_000) }
}
