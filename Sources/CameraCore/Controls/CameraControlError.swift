// The errors of a camera's controls, with their messages.

import Foundation
import Localization

/// An error of a camera's controls. Its description says what happened, to what, and what can be done.
public enum CameraControlError: Error, Equatable, Sendable, LocalizedError, CustomStringConvertible {
  /// The camera has no such control; `known` are the names of those that it has.
  case unknown(name: String, camera: String, known: [String])
  /// The control can't have this value; `valid` says which it can have.
  case invalidValue(name: String, value: String, valid: String)
  /// The control can only be read, or not be set now.
  case notWritable(name: String, camera: String)
  /// The driver refused a value.
  case refused(name: String, camera: String, message: String)
  /// The camera can't be reached.
  case camera(CameraError)

  public var description: String {
    switch self {
    case .unknown(let name, let camera, let known):
      known.isEmpty
        ? localized("“\(camera)” has no controls, and so no “\(name)”.")
        : localized("“\(camera)” has no control “\(name)”. Available controls: \(known.localizedList).")
    case .invalidValue(let name, let value, let valid):
      localized("“\(name)” can’t be set to “\(value)”. Possible values: \(valid).")
    case .notWritable(let name, let camera):
      localized(
        """
        “\(name)” of “\(camera)” can’t be changed now. Close other programs that use the camera and try again.
        """)
    case .refused(let name, let camera, let message):
      localized(
        """
        “\(camera)” refused to change “\(name)”: \(message.asClause). Try another value, or reset the controls.
        """, comment: "{2} is the driver’s message")
    case .camera(let error):
      error.description
    }
  }

  public var errorDescription: String? { description }
}
