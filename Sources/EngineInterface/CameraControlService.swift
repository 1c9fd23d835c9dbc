// The controls of cameras as the models see them.

import CameraCore

/// Access to the controls of cameras. No call waits longer than a few seconds, even for a device that hangs.
public protocol CameraControlService: Sendable {
  /// The controls that a camera has, with their present values; empty for a camera without any.
  ///
  /// - Throws: `CameraControlError.camera` when the camera can't be asked.
  func controls(of camera: CameraDevice) async throws(CameraControlError) -> [CameraControl]

  /// Sets controls one after another, and stops at the first failure.
  ///
  /// - Returns: The controls as they are then.
  /// - Throws: `CameraControlError`.
  func set(_ values: [ControlValue], of camera: CameraDevice) async throws(CameraControlError) -> [CameraControl]

  /// Sets all controls to their defaults.
  ///
  /// - Returns: The controls as they are then.
  /// - Throws: `CameraControlError` for the first control that couldn't be reset; the others are.
  func reset(_ camera: CameraDevice) async throws(CameraControlError) -> [CameraControl]

  /// The controls each time something changes them: this program, another one, or the camera by itself. The device is held
  /// open meanwhile. Ends when the camera is unplugged.
  func changes(of camera: CameraDevice) -> AsyncStream<[CameraControl]>

  /// Sets what is done to the pictures of a camera in place of controls that it lacks, also when it is opened again. No other
  /// camera's pictures have it.
  func setLook(_ look: FrameLook, of camera: CameraDevice)
}
