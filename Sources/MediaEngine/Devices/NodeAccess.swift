// The ordinary reasons why a device can't be opened, found out by opening its device file.

import CameraCore
import Foundation

/// Opens a device file before GStreamer does, whose errors say less.
enum NodeAccess {
  /// Returns when the device could be opened.
  ///
  /// - Throws: The reason why not; `CameraError.unresponsive` when the device hangs, `CameraError.notRunning` when the
  ///   task is canceled.
  static func check(_ path: String, of camera: CameraDevice, atMost limit: TimeSpan) async throws(CameraError) {
    let opened = OneShot<Void, CameraError>()
    // A thread of its own, because it is lost when the device hangs.
    Thread.detachNewThread {
      let descriptor = open(path, O_RDWR | O_NONBLOCK | O_CLOEXEC)
      let reason = errno
      guard descriptor < 0 else {
        close(descriptor)
        opened.decide(.success(()))
        return
      }
      var error = CameraError(opening: camera, errno: reason)
      if case .permissionDenied(let name, nil) = error {
        error = .permissionDenied(camera: name, refusal: NodeRefusal(path))
      }
      opened.decide(.failure(error))
    }
    try await opened.wait(atMost: limit, late: .unresponsive(camera: camera.name))
  }
}

extension CameraError {
  /// The error for an errno of a device; `nil` for one without a meaning of its own.
  init?(errno number: Int32, of camera: CameraDevice) {
    switch number {
    case EBUSY: self = .inUse(camera: camera.name)
    case EACCES, EPERM: self = .permissionDenied(camera: camera.name)
    case ENOENT, ENODEV, ENXIO: self = .unplugged(camera: camera.name)
    default: return nil
    }
  }
}

extension CameraError {
  /// The error for an errno of open(2).
  init(opening camera: CameraDevice, errno number: Int32) {
    self =
      CameraError(errno: number, of: camera) ?? .device(camera: camera.name, message: String(cString: strerror(number)))
  }
}

extension CameraDevice {
  /// Whether the camera is no longer there.
  func isGone(from list: DeviceList) -> Bool {
    switch kind {
    case .test: false
    // An id may change when udev gives the node its names; the node itself stays.
    case .v4l2(let path): access(path, F_OK) != 0
    case .pipeWire: !list.cameras.contains { $0.kind == kind || $0.twin?.kind == kind }
    }
  }
}

extension CameraError {
  /// The error, unless it has no meaning of its own and the camera is gone: whatever the driver or PipeWire called it, that
  /// is an unplug.
  func refined(for camera: CameraDevice?, by list: DeviceList?) -> CameraError {
    guard case .device = self, let camera, let list, camera.isGone(from: list) else { return self }
    return .unplugged(camera: camera.name)
  }
}
