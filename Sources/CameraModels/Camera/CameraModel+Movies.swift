// Restrictions while recording: no camera changes, no sleep.

import CameraCore
import Localization

extension CameraModel {
  /// The reason why no movie can be recorded now; `nil` when one can, and while the camera is being opened: the engine tells then.
  var movieRefusal: CameraError? {
    switch status {
    case .running, .starting, .awaitingPermission, .awaitingPicture, .permissionDenied, .interrupted(.suspended): nil
    case .interrupted(.unplugged): .unplugged(camera: lastCameraName ?? localized("The camera"))
    case .noCamera, .failed, .interrupted(.inUse): status.error
    }
  }

  /// Why another camera, or another mode of it, can't be chosen now; `nil` when it can. A movie would end with the camera
  /// that it is recorded with, and its frames have one size from the first to the last.
  public var cameraChangeRefusal: String? { movies?.changeRefusal }

  /// Why the machine must not go to sleep, for the desktop to show; `nil` when it may. Not for a series whose camera is away.
  public var sleepInhibition: String? {
    if movies?.isBusy == true { return localized("A video is being recorded") }
    return intervals.isRunning && session != nil ? localized("Photos are being taken at an interval") : nil
  }

  /// Whether the camera may be changed now. A refusal is said.
  func mayChangeCamera() -> Bool {
    guard let cameraChangeRefusal else { return true }
    messages.post(cameraChangeRefusal)
    return false
  }
}
