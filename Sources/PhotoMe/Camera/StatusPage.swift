// The pages that stand in for the viewfinder while there is no picture: an explanation, and what can be done.

import CameraCore

/// The page of one of the camera's states.
struct StatusPage: Equatable {
  /// A remedy, as a button.
  enum Remedy: String, CaseIterable {
    case tryAgain, resume, openSettings, useTestCamera

    var label: String {
      switch self {
      case .tryAgain: "Try _Again"
      case .resume: "_Resume"
      case .openSettings: "_Open Settings"
      case .useTestCamera: "Use _Test Camera"
      }
    }

    /// The application's action that it calls.
    var action: String {
      switch self {
      case .tryAgain, .resume: "app.try-again"
      case .openSettings: "app.open-settings"
      case .useTestCamera: "app.use-test-camera"
      }
    }
  }

  var icon: String
  var title: String
  var text: String
  /// The first one is suggested.
  var remedies: [Remedy]

  /// The page of a state; `nil` while there is a picture, or about to be one.
  ///
  /// - Parameter hasSettings: Whether there is a settings program to open.
  init?(_ status: CameraStatus, hasSettings: Bool) {
    switch status {
    case .starting, .running:
      return nil
    case .noCamera:
      icon = "camera-disabled-symbolic"
      title = "No Camera Found"
      text = "Connect a camera, and it will appear here."
      remedies = [.tryAgain, .useTestCamera]
    case .permissionDenied:
      icon = "camera-disabled-symbolic"
      title = "Camera Access Denied"
      text = "Allow access in the system’s privacy settings, or add yourself to the group “video”, then try again."
      remedies = (hasSettings ? [.openSettings] : []) + [.tryAgain, .useTestCamera]
    case .interrupted(.inUse):
      icon = "camera-web-symbolic"
      title = "Camera in Use"
      text = "Close the other app that is using the camera, then try again."
      remedies = [.tryAgain, .useTestCamera]
    case .interrupted(.unplugged):
      icon = "camera-disabled-symbolic"
      title = "Camera Disconnected"
      text = "Connect the camera again to continue."
      remedies = [.tryAgain, .useTestCamera]
    case .interrupted(.suspended):
      icon = "camera-web-symbolic"
      title = "Camera Paused"
      text = "The camera was turned off while PhotoMe was hidden."
      remedies = [.resume]
    case .failed(let error):
      icon = "dialog-warning-symbolic"
      title = "Camera Not Available"
      text = error.description
      remedies = [.tryAgain, .useTestCamera]
    }
  }
}

extension CameraStatus {
  /// The state's name on D-Bus: the state of the action `status`.
  var reportName: String {
    switch self {
    case .starting: "starting"
    case .running: "running"
    case .noCamera: "no-camera"
    case .permissionDenied: "permission-denied"
    case .interrupted(.inUse): "in-use"
    case .interrupted(.unplugged): "unplugged"
    case .interrupted(.suspended): "suspended"
    case .failed: "failed"
    }
  }
}
