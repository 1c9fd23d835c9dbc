// Zoom, brightness and contrast that are asked for at once: the camera's own where it has them, else PhotoMe's.

import CameraCore
import Localization

/// The picture's controls that a command names.
public struct ControlRequest: Sendable {
  /// The enlargement; 1 is the whole picture. `nil` leaves it alone.
  public var zoom: Double?
  /// A value as `CameraControl.value(from:)` reads it; `nil` leaves it alone.
  public var brightness: String?
  /// The same for the contrast.
  public var contrast: String?

  public init(zoom: Double? = nil, brightness: String? = nil, contrast: String? = nil) {
    (self.zoom, self.brightness, self.contrast) = (zoom, brightness, contrast)
  }

  public var isEmpty: Bool { zoom == nil && brightness == nil && contrast == nil }

  /// What has to be done for it: what the camera is told, in this order, and what is done to its pictures.
  ///
  /// - Parameters:
  ///   - hardware: The camera's own controls.
  ///   - camera: The camera's name.
  /// - Throws: `CameraControlError` when a value can't be had.
  public func plan(
    _ hardware: [CameraControl], of camera: String
  ) throws(CameraControlError) -> (writes: [ControlValue], look: FrameLook) {
    var controls = hardware + SoftwareControl.missing(from: hardware)
    var writes: [ControlValue] = []
    for index in controls.indices {
      let control = controls[index]
      guard let value = try value(of: control) else { continue }
      guard control.isWritable else { throw .notWritable(name: control.id, camera: camera) }
      if control.isSoftware {
        controls[index].value = value
      } else {
        writes += ControlPlan(hardware).setting(control.id, to: value)
      }
    }
    return (writes, SoftwareControl.look(of: controls))
  }

  /// - Returns: The value that is asked for; `nil` for none.
  private func value(of control: CameraControl) throws(CameraControlError) -> Int? {
    switch control.standard {
    case .brightness:
      guard let brightness else { return nil }
      return try control.value(from: brightness)
    case .contrast:
      guard let contrast else { return nil }
      return try control.value(from: contrast)
    case .zoom:
      guard let zoom else { return nil }
      let scale = ZoomScale(control)
      guard zoom >= 1, zoom <= scale.maximum + 0.001 else {
        throw .invalidValue(
          name: control.id, value: localized("\(zoom, decimals: 1...2)×"),
          valid: localized("1× to \(scale.text(of: control.range.upperBound))"))
      }
      return scale.value(of: zoom)
    default: return nil
    }
  }
}
