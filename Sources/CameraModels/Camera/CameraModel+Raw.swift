// Raw pictures: the setting, and the cameras that have them.

import CameraCore

extension CameraModel {
  /// The reason why the camera gives no raw pictures; `nil` when it does, or without a camera.
  public var rawRefusal: String? {
    guard let camera, camera.rawFormats.isEmpty else { return nil }
    return "RAW is not available: “\(camera.name)” doesn’t offer its sensor’s frames"
  }

  /// Whether pictures are saved with a DNG of the sensor's own frame, from cameras that offer it.
  public var savesRaw: Bool { settings.values.savesRaw }

  /// Turns raw pictures on or off, and remembers it. The camera is opened again in a mode that has them.
  public func setSavesRaw(_ isOn: Bool) async {
    guard isOn != savesRaw, mayChangeCamera() else { return }
    settings.update { $0.savesRaw = isOn }
    guard let camera, !camera.rawFormats.isEmpty else { return }
    await show(remembered(camera.id))
    guard let session, session.camera.id == camera.id, session.savesRaw == isOn else { return }
    messages.post(isOn ? "Pictures are saved with a DNG from now on." : "Pictures are saved without a DNG now.")
  }

  /// Whether a shot lacks the raw picture that it was to have.
  func isMissingRaw(_ saved: SavedPhoto) -> Bool {
    session?.savesRaw == true && savesRaw && saved.rawURL == nil && saved.resolved.burstID == nil
  }
}
