// The controls that are kept for each camera.

import CameraCore

extension SettingsModel {
  /// The values that were set for a camera, by the controls' ids.
  public func keptControls(of camera: CameraDevice) -> [CameraControl.ID: Int] { kept(camera).controls }

  /// Keeps values that were set.
  ///
  /// - Parameter controls: The camera's controls as they are now.
  public func keep(_ writes: [ControlValue], among controls: [CameraControl], of camera: CameraDevice) {
    changeControls(of: camera) { ControlPlan(controls).keeping(writes, in: $0) }
  }

  /// Forgets the values that are kept for some controls of a camera.
  public func forget(_ ids: [CameraControl.ID], of camera: CameraDevice) {
    changeControls(of: camera) { $0.filter { !ids.contains($0.key) } }
  }

  private func changeControls(
    of camera: CameraDevice, _ change: ([CameraControl.ID: Int]) -> [CameraControl.ID: Int]
  ) {
    var chosen = kept(camera)
    let changed = change(chosen.controls)
    guard changed != chosen.controls else { return }
    chosen.controls = changed
    update { $0.cameras[camera.id] = chosen }
  }

  private func kept(_ camera: CameraDevice) -> AppSettings.PerCamera {
    values.camera(camera.id, among: DeviceList(cameras: [camera]))
  }
}
