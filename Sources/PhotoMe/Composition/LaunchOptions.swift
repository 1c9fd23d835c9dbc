// Options of the command line.

import CameraCore
import CameraModels
import Foundation

/// The command line's options.
struct LaunchOptions {
  /// `--camera`: the id of a camera, or `test`.
  var cameraID: String?
  /// `--library`: the folder of the pictures.
  var library: URL?
  /// `--live`, `--countdown` and `--take-photo`, also for a PhotoMe that runs already.
  var request = StartRequest()
  /// Whether the desktop's portal lends all cameras: `--camera-portal`, else the environment variable
  /// `PHOTOME_CAMERA_PORTAL` (0 or 1), else whether this is a sandbox.
  var usesCameraPortal = Self.usesCameraPortal(ProcessInfo.processInfo.environment, in: .current)

  static func usesCameraPortal(_ environment: [String: String], in sandbox: Sandbox?) -> Bool {
    switch environment["PHOTOME_CAMERA_PORTAL"] {
    case "0": false
    case "1": true
    default: sandbox != nil
    }
  }
}
