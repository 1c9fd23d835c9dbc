// The pages that stand in for the viewfinder while there is no picture: an explanation, and what can be done.

import CameraCore
import CameraModels
import Localization

/// The page of one of the camera's states.
struct StatusPage: Equatable {
  /// A remedy, as a button.
  enum Remedy: String, CaseIterable {
    case tryAgain, resume, openSettings, switchCamera, chooseCamera, useTestCamera

    var label: String {
      switch self {
      case .tryAgain: localized("Try _Again")
      case .resume: localized("_Resume")
      case .openSettings: localized("_Open Settings")
      case .switchCamera: localized("Use the _Other Camera")
      case .chooseCamera: localized("_Choose Another Camera")
      case .useTestCamera: localized("Use _Test Camera")
      }
    }

    /// The application's action that it calls.
    var action: String {
      switch self {
      case .tryAgain, .resume: "app.try-again"
      case .openSettings: "app.open-settings"
      case .switchCamera: "app.switch-camera"
      case .chooseCamera: "app.choose-camera"
      case .useTestCamera: "app.use-test-camera"
      }
    }
  }

  /// The name of a drawing among the program’s icons.
  var icon: String
  var title: String
  var text: String
  /// The first one is suggested.
  var remedies: [Remedy]

  /// The page of a state; `nil` while there is a picture, or about to be one.
  ///
  /// - Parameters:
  ///   - hasSettings: Whether there is a settings program to open.
  ///   - cameraSwitch: The ways to cameras that could be used instead.
  ///   - concealments: What hides the viewfinder.
  init?(
    _ status: CameraStatus, hasSettings: Bool, cameraSwitch: CameraModel.CameraSwitch = .none,
    concealments: Set<CameraStateMachine.Concealment> = []
  ) {
    let others: [Remedy] =
      switch cameraSwitch {
      case .none: []
      case .toggle: [.switchCamera]
      case .menu: [.chooseCamera]
      }
    // Where the engine knows more, for example who uses the camera, its words are shown.
    let words = status.error?.description
    switch status {
    case .starting, .awaitingPermission, .awaitingPicture, .running:
      return nil
    case .noCamera:
      icon = "photome-camera-none"
      title = localized("No Camera Found")
      text = localized("Connect a camera, and it will appear here.")
      remedies = [.tryAgain, .useTestCamera]
    case .permissionDenied(let error):
      icon = "photome-camera-denied"
      title = localized("Camera Access Denied")
      text = error.description
      // The settings know nothing of device files.
      let isInSettings = if case .permissionDenied(_, _?) = error { false } else { hasSettings }
      remedies = (isInSettings ? [.openSettings] : []) + [.tryAgain] + others + [.useTestCamera]
    case .interrupted(.inUse):
      icon = "photome-camera-busy"
      title = localized("Camera in Use")
      text = words ?? localized("Close the other app that’s using the camera, then try again.")
      remedies = [.tryAgain] + others + [.useTestCamera]
    case .interrupted(.unplugged):
      icon = "photome-camera-none"
      title = localized("Camera Disconnected")
      text = words ?? localized("Reconnect the camera to continue.")
      remedies = [.tryAgain] + others + [.useTestCamera]
    case .interrupted(.suspended):
      icon = "photome-camera-paused"
      title = localized("Camera Paused")
      text =
        if concealments.contains(.sleep) {
          localized("The camera is off while the computer sleeps.")
        } else if concealments.contains(.lock) {
          localized("The camera is off while the screen is locked.")
        } else { localized("The camera was turned off while PhotoMe was hidden.") }
      remedies = [.resume]
    case .failed(let error):
      icon = "photome-camera-trouble"
      title = Self.title(of: error)
      text = error.description
      // What trying again can't change is better left by another way.
      remedies = error.isLasting ? others + [.tryAgain, .useTestCamera] : [.tryAgain] + others + [.useTestCamera]
    }
  }

  /// What happened, in a few words; the error's own description follows.
  private static func title(of error: CameraError) -> String {
    switch error {
    case .noFrames, .stoppedSending: localized("No Picture From the Camera")
    case .damagedFrames: localized("Damaged Pictures From the Camera")
    case .noUsableMode: localized("Camera Not Supported")
    case .refusedModes: localized("Camera Can’t Be Started")
    case .unresponsive: localized("Camera Not Responding")
    case .unknownCamera: localized("Camera Not Found")
    case .noSuchFormat: localized("Resolution Not Available")
    case .missingPlugin: localized("Missing Plugin")
    case .device: localized("Camera Error")
    case .endedLastRun: localized("PhotoMe Ended Unexpectedly")
    case .portal(.closed): localized("Camera Not Allowed Yet")
    case .portal: localized("No Access to Cameras")
    default: localized("Camera Not Available")
    }
  }

  /// The words beside the spinner.
  ///
  /// - Parameters:
  ///   - camera: The camera that takes longer than most; `nil` at first.
  ///   - asksPermission: Whether the desktop is asking the person.
  static func startingText(camera: String?, asksPermission: Bool = false) -> String {
    if asksPermission { return localized("Waiting for your permission to use the camera…") }
    guard let camera else { return localized("Starting the camera…") }
    return localized("Waiting for the first picture from “\(camera)”…")
  }
}

extension CameraStatus {
  /// The state's name on D-Bus: the state of the action `status`.
  var reportName: String {
    switch self {
    case .starting, .awaitingPicture: "starting"
    case .awaitingPermission: "awaiting-permission"
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
