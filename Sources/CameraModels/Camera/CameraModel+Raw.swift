// Raw pictures: the setting, and the cameras that have them.

import CameraCore
import Localization

extension CameraModel {
  /// The reason why the camera gives no raw pictures; `nil` when it does, or without a camera.
  public var rawRefusal: String? {
    guard let camera, camera.rawFormats.isEmpty else { return nil }
    return localized("RAW isn’t available: “\(camera.name)” doesn’t offer raw pictures")
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
    messages.post(isOn ? rawText : localized("RAW is off."), topic: .setting)
  }

  /// Where RAW applies, once it is on.
  private var rawText: String {
    guard let camera else { return localized("RAW is on for the next camera that offers it.") }
    return session?.savesRaw ?? !camera.rawFormats.isEmpty
      ? localized("Each photo is now saved with a DNG file.")
      : localized("RAW is on, but “\(camera.name)” doesn’t offer it. It will be used with the next camera that does.")
  }
}
