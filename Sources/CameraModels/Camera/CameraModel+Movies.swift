// The camera and its movies: the choices that wait for a movie's end, and the machine that stays awake.

extension CameraModel {
  /// Why another camera, or another mode of it, can't be chosen now; `nil` when it can. A movie would end with the camera
  /// that it is recorded with, and its frames have one size from the first to the last.
  public var cameraChangeRefusal: String? { movies?.changeRefusal }

  /// Why the machine must not go to sleep, for the desktop to show; `nil` when it may. Not for a series whose camera is away.
  public var sleepInhibition: String? {
    if movies?.isBusy == true { return "A video is being recorded" }
    return intervals.isRunning && session != nil ? "Photos are being taken at an interval" : nil
  }

  /// Whether the camera may be changed now. A refusal is said.
  func mayChangeCamera() -> Bool {
    guard let cameraChangeRefusal else { return true }
    messages.post(cameraChangeRefusal)
    return false
  }
}
