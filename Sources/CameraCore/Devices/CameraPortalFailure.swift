// Reasons why the desktop's portal can't be asked for cameras.

import Localization

/// The reason why there is no answer about cameras from the desktop's portal, which is not a refusal.
public enum CameraPortalFailure: Equatable, Sendable {
  /// Nothing on this desktop answers in the portal's name.
  case noPortal
  /// The portal has no part for cameras, or that part has no program that shows questions.
  case noCameras
  /// The portal can't reach PipeWire, by which it lends cameras.
  case noPipeWire(message: String)
  /// The question was closed without an answer.
  case closed
  /// Its answer can't be understood, or is an error; the message is the portal's.
  case failed(message: String)
}

extension CameraPortalFailure {
  /// What is wrong and what can be done, in sentences.
  var explanation: String {
    switch self {
    case .noPortal:
      localized(
        """
        This desktop has no portal to ask for the camera. Install the package xdg-desktop-portal and the one for your \
        desktop, such as xdg-desktop-portal-gnome, then log out and log in again.
        """)
    case .noCameras:
      localized(
        """
        This desktop’s portal has no cameras to offer, because the package for your desktop is missing: \
        xdg-desktop-portal-gnome, xdg-desktop-portal-kde, or xdg-desktop-portal-gtk. Install it, then log out and log \
        in again.
        """)
    case .noPipeWire(let message):
      localized(
        """
        This desktop’s portal can’t reach PipeWire, which provides the cameras: \(message.asClause). Start PipeWire and \
        try again.
        """)
    case .closed:
      localized("The question whether PhotoMe may use the camera was closed without an answer. Try again and allow it.")
    case .failed(let message):
      localized("This desktop’s portal couldn’t be asked for the camera: \(message.asClause). Try again.")
    }
  }
}
