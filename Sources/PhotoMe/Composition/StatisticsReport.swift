// Statistics of the preview, the ring and the window's frames, once a second, for measurements.

import CGtk
import CameraCore
import EngineInterface
import Foundation
import GtkShim
import Logging

/// A JSON line a second in the file that the environment variable `PHOTOME_STATISTICS` names; nothing without it.
enum StatisticsReport {
  private struct Line: Encodable {
    var arrived: Int
    var converted: Int
    var shown: Int
    /// Frames that came too late for the screen.
    var dropped: Int
    /// Frames that were left out on purpose.
    var skipped: Int
    /// The level of pressure.
    var pressure: String
    /// The bytes in the rings of frames and sound.
    var ringBytes: Int
    /// Frames of the window that were painted in this second.
    var frames: Int
    /// The most of PhotoMe's own work on the main thread for one of them, in milliseconds of processor time.
    var longestOwnWork: Double
    /// The same as it passed, in milliseconds.
    var longestOwnTime: Double
    /// The longest of them altogether, with GTK's layout and painting, as it passed, in milliseconds.
    var longestFrameTime: Double
  }

  private static var path: String? {
    let path = ProcessInfo.processInfo.environment["PHOTOME_STATISTICS"]
    return path?.isEmpty == false ? path : nil
  }

  /// Counts the work for a window's frames from now on, when the variable is set.
  @MainActor static func watch(_ window: GObjectRef) {
    if path != nil { pm_frame_work_watch(window.widget) }
  }

  /// Begins to write when the variable is set. Ends with the program, or at the first line that can't be written.
  static func start(_ preview: any PreviewSource, _ service: any CameraService) {
    guard let path else { return }
    Task.detached(priority: .background) {
      do {
        try Data().write(to: URL(fileURLWithPath: path))
        let file = try FileHandle(forWritingTo: URL(fileURLWithPath: path))
        while true {
          let counts = preview.statistics
          let work = await MainActor.run { pm_frame_work_take() }
          let line = Line(
            arrived: counts.arrived, converted: counts.converted, shown: counts.shown, dropped: counts.dropped,
            skipped: counts.skipped, pressure: service.pressure.level.name, ringBytes: service.ringByteCount,
            frames: Int(work.frames),
            longestOwnWork: Double(work.longest_own_work) / 1e6, longestOwnTime: Double(work.longest_own_time) / 1e6,
            longestFrameTime: Double(work.longest_frame_time) / 1e6)
          try file.write(contentsOf: JSONEncoder().encode(line) + Data("\n".utf8))
          try await Task.sleep(nanoseconds: 1_000_000_000)
        }
      } catch {
        Logger(label: "photome").error("The statistics can’t be written to \(path): \(error.localizedDescription)")
      }
    }
  }
}
