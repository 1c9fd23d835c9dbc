// The preferences of the shutter.

import CGtk
import CameraModels

extension PreferencesWindow {
  func addShutter(_ interface: Interface) {
    let (camera, settings) = (models.camera, models.camera.settings)
    rows.append(
      ComboSetting<ShutterDelay>(
        interface["countdown"],
        items: { ShutterDelay.allCases.map { ($0, $0 == .none ? "Off" : "\($0.seconds) seconds") } },
        chosen: { camera.delay }, choose: { camera.setDelay($0) }))
    rows.append(
      ComboSetting<FlashMode>(
        interface["flash"], items: { FlashMode.allCases.map { ($0, $0.title) } }, chosen: { camera.flashMode },
        choose: { camera.setFlashMode($0) }))
    rows.append(
      SwitchSetting(interface["shutter_sounds"], isOn: { settings.values.capture.playsSounds }) { isOn in
        settings.update { $0.capture.playsSounds = isOn }
      })
    rows.append(
      ComboSetting<CompositionGuide>(
        interface["guides"], items: { CompositionGuide.allCases.map { ($0, $0.title) } }, chosen: { camera.guides },
        choose: { camera.setGuides($0) }))
    rows.append(
      SwitchSetting(
        interface["mirror_files"], isOn: { settings.values.mirror == .files },
        isEnabled: { settings.values.isMirrored },
        set: { isOn in settings.update { $0.capture.savesAsPreviewed = isOn } }))
  }
}
