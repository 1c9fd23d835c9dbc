// The preferences of the shutter.

import CGtk
import CameraModels

extension PreferencesWindow {
  func addShutter(_ interface: Interface) {
    let camera = models.camera
    rows.append(
      ComboSetting<ShutterDelay>(
        interface["countdown"],
        items: { ShutterDelay.allCases.map { ($0, $0.title) } },
        chosen: { camera.delay }, choose: { camera.setDelay($0) }))
    rows.append(
      ComboSetting<BoothChoice>(
        interface["booth"], items: { BoothChoice.allCases.map { ($0, $0.title) } }, chosen: { camera.boothChoice },
        choose: { camera.setBooth($0) }))
    rows.append(
      ComboSetting<ShotInterval>(
        interface["interval"], items: { ShotInterval.allCases.map { ($0, $0.title) } }, chosen: { camera.interval },
        choose: { camera.setInterval($0) }))
    rows.append(
      ComboSetting<ShotCount>(
        interface["interval_count"], items: { ShotCount.allCases.map { ($0, $0.title) } },
        chosen: { camera.intervalCount }, isEnabled: { camera.interval != .none },
        choose: { camera.setIntervalCount($0) }))
    rows.append(
      ComboSetting<FlashMode>(
        interface["flash"], items: { FlashMode.allCases.map { ($0, $0.title) } }, chosen: { camera.flashMode },
        choose: { camera.setFlashMode($0) }))
    rows.append(
      SwitchSetting(interface["shutter_sounds"], isOn: { camera.playsSounds }, set: { camera.setPlaysSounds($0) }))
    rows.append(
      SwitchSetting(interface["codes"], isOn: { camera.looksForCodes }, set: { camera.setLooksForCodes($0) }))
    rows.append(
      ComboSetting<CompositionGuide>(
        interface["guides"], items: { CompositionGuide.allCases.map { ($0, $0.title) } }, chosen: { camera.guides },
        choose: { camera.setGuides($0) }))
    rows.append(
      SwitchSetting(
        interface["mirror_files"], isOn: { camera.mirror == .files }, isEnabled: { camera.isMirrored },
        set: { camera.setMirrorsFiles($0) }))
  }
}
