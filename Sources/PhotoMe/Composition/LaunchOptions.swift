// Options of the command line.

import CameraCore
import CameraModels
import Foundation

/// The command line's options.
struct LaunchOptions {
  /// `--camera`: the id of a camera, or `test`.
  var cameraID: String?
  /// `--library`: the folder of the pictures.
  var library: URL?
  /// `--live`, `--countdown` and `--take-photo`, also for a PhotoMe that runs already.
  var request = StartRequest()
  /// Whether files are to be opened, and nothing is asked of the camera: then it stays off until its page is in front.
  var opensFiles = false
  /// Whether the desktop's portal lends all cameras: `--camera-portal`, else the environment variable
  /// `PHOTOME_CAMERA_PORTAL` (0 or 1), else whether this is a sandbox.
  var usesCameraPortal = Self.usesCameraPortal(ProcessInfo.processInfo.environment, in: .current)

  /// The options that have a value, which isn't a file.
  private static let optionsWithValues: Set<String> = ["--camera", "--library", "--countdown"]

  /// Parts a command line, without the program's name. GLib says which arguments are files only after the camera was to
  /// be opened.
  ///
  /// An option of the toolkit may have a value that is taken for a file here; the first activation says otherwise.
  static func parts(of arguments: [String]) -> (options: [String], files: [String]) {
    var (options, files): ([String], [String]) = ([], [])
    var (isValue, isEnded) = (false, false)
    for argument in arguments {
      if isEnded || !argument.hasPrefix("-") && !isValue {
        files.append(argument)
        continue
      }
      isEnded = argument == "--" && !isValue
      if !isEnded { options.append(argument) }
      isValue = !isValue && optionsWithValues.contains(argument)
    }
    return (options, files)
  }

  /// The options that ask for `request`.
  static func options(for request: StartRequest) -> [String] {
    (request.turnsLiveOn ? ["--live"] : []) + (request.delay.map { ["--countdown=\($0.seconds)"] } ?? [])
      + (request.takesPhoto ? ["--take-photo"] : [])
  }

  /// The options of a program that ends which are those of its next start, too: what was asked of the camera is done, and a
  /// service would show no window.
  static func forNextStart(_ options: [String]) -> [String] {
    let once = ["--live", "--take-photo", "--countdown", "--gapplication-service"]
    var (kept, isValue, isCountdown) = ([String](), false, false)
    for option in options {
      let isOnce = !isValue && (once.contains(option) || option.hasPrefix("--countdown="))
      if !isOnce, !(isValue && isCountdown) { kept.append(option) }
      isCountdown = !isValue && option == "--countdown"
      isValue = !isValue && optionsWithValues.contains(option)
    }
    return kept
  }

  static func usesCameraPortal(_ environment: [String: String], in sandbox: Sandbox?) -> Bool {
    switch environment["PHOTOME_CAMERA_PORTAL"] {
    case "0": false
    case "1": true
    default: sandbox != nil
    }
  }
}
