// The choice of the camera.

import CameraCore
import Localization

extension CameraModel {
  /// Changes to another camera, and remembers it, unless it is the test camera.
  public func selectCamera(_ id: CameraDevice.ID) async {
    if id == CameraDevice.testID { return await useTestCamera() }
    guard mayChangeCamera() else { return }
    settings.update { $0.cameraID = id }
    await change(to: remembered(id))
  }

  /// The cameras that could be used instead of the selected one, without the test camera.
  public var otherCameras: [CameraDevice] {
    devices.realCameras.filter { camera in
      camera.obstacle == nil && !(selectedCameraID.map(camera.answers(to:)) ?? false)
    }
  }

  /// The ways to another camera.
  public enum CameraSwitch: Equatable, Sendable {
    /// There is no other camera.
    case none
    /// There is exactly one other, which a press changes to.
    case toggle(CameraDevice)
    /// There are several to choose from.
    case menu
  }

  public var cameraSwitch: CameraSwitch {
    let others = otherCameras
    guard let first = others.first else { return .none }
    return others.count == 1 ? .toggle(first) : .menu
  }

  /// Changes to the other one of two cameras. Does nothing where there isn't exactly one other.
  public func switchCamera() async {
    if case .toggle(let other) = cameraSwitch { await selectCamera(other.id) }
  }

  /// Shows the built-in moving scene. It isn't remembered: the next start looks for a real camera again.
  public func useTestCamera() async {
    guard mayChangeCamera() else { return }
    await change(to: CameraConfiguration(cameraID: CameraDevice.testID))
  }

  /// Opens a camera, and says which it is where it is another one. A failure is told by `status`.
  private func change(to configuration: CameraConfiguration) async {
    let previous = camera?.id
    await show(configuration)
    if let camera, camera.id != previous { messages.post(localized("Camera: \(camera.name)."), topic: .setting) }
  }
}
