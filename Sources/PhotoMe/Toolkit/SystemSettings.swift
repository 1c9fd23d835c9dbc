// The desktop's settings, where programs are granted access to the camera.

import CameraCore
import Foundation
import Localization

/// GNOME's settings program, where it is installed.
enum SystemSettings {
  private static let program = "gnome-control-center"

  private static var path: String? {
    let folders = ProcessInfo.processInfo.environment["PATH"] ?? ""
    return folders.split(separator: ":").map { "\($0)/\(program)" }
      .first { FileManager.default.isExecutableFile(atPath: $0) }
  }

  static var areInstalled: Bool { path != nil }

  /// Opens the camera's page of the settings.
  ///
  /// - Parameter report: Called with a message for the user if that fails.
  static func openCameraPanel(report: (String) -> Void) {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: path ?? program)
    process.arguments = ["camera"]
    process.environment = ProcessInfo.processInfo.environment.filter { !ownSettings.contains($0.key) }
    do { try process.run() } catch {
      report(localized("Couldn’t open Settings: \(error.localizedDescription.asClause)."))
    }
  }

  /// Variables that `Application` sets for its own toolkit, which other programs must not inherit.
  static let ownSettings = ["GDK_DEBUG"]
}
