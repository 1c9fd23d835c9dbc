// Options of the command line.

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
}
