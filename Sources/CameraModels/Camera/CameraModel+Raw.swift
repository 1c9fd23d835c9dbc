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
    if let camera, !camera.rawFormats.isEmpty { await show(remembered(camera.id)) }
    // Another request overtook this one, and says it.
    guard savesRaw == isOn else { return }
    messages.post(isOn ? rawText : "RAW is off.", topic: .setting)
  }

  /// Where RAW applies, once it is on.
  private var rawText: String {
    guard let camera else { return "RAW is on for the next camera that offers it." }
    return session?.savesRaw ?? !camera.rawFormats.isEmpty
      ? "Pictures are saved with a DNG from now on."
      : "RAW is on, but “\(camera.name)” doesn’t offer it. It applies to the next camera that does."
  }
}
