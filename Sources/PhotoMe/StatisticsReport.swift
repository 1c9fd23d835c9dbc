// Writes down each second what the preview and the ring do, for whoever measures PhotoMe.

import CameraCore
import Foundation
import Logging

/// A JSON line a second in the file that the environment variable `PHOTOME_STATISTICS` names; nothing without it.
enum StatisticsReport {
  private struct Line: Encodable {
    var arrived: Int
    var converted: Int
    var shown: Int
    /// What the ring of frames and sound holds.
    var ringBytes: Int
  }

  /// Begins to write when the variable is set. Ends with the program, or at the first line that can't be written.
  static func start(_ preview: any PreviewSource, _ service: any CameraService) {
    guard let path = ProcessInfo.processInfo.environment["PHOTOME_STATISTICS"], !path.isEmpty else { return }
    Task.detached(priority: .background) {
      do {
        try Data().write(to: URL(fileURLWithPath: path))
        let file = try FileHandle(forWritingTo: URL(fileURLWithPath: path))
        while true {
          let counts = preview.statistics
          let line = Line(
            arrived: counts.arrived, converted: counts.converted, shown: counts.shown,
            ringBytes: service.ringByteCount)
          try file.write(contentsOf: JSONEncoder().encode(line) + Data("\n".utf8))
          try await Task.sleep(nanoseconds: 1_000_000_000)
        }
      } catch {
        Logger(label: "photome").error("The statistics can't be written to \(path): \(error.localizedDescription)")
      }
    }
  }
}
