// The errors of cameras, microphones and shots, with their messages.

import Foundation

/// An error of a camera, a microphone or a shot. Its description says what happened, to what, and what can be done.
public enum CameraError: Error, Equatable, Sendable, LocalizedError, CustomStringConvertible {
  /// No camera is plugged in.
  case noCamera
  /// The id names nothing that is plugged in; `known` are the ids that are.
  case unknownCamera(id: String, known: [String])
  case unknownMicrophone(id: String, known: [String])
  /// Another program holds the device.
  case inUse(camera: String)
  /// The system refused access.
  case permissionDenied(camera: String)
  /// The camera has no mode with this size; `offered` are the sizes that it has.
  case noSuchFormat(camera: String, wanted: PixelSize, offered: [PixelSize])
  /// The camera was opened and sent nothing within the time limit.
  case noFrames(camera: String, seconds: Double)
  /// The camera was disconnected while it was in use.
  case unplugged(camera: String)
  /// GStreamer lacks an element; `package` is the Debian package that has it.
  case missingPlugin(element: String, package: String, purpose: String)
  /// The device or its driver reported an error; the message is the driver's.
  case device(camera: String, message: String)
  /// The program ended while this camera was being opened, in its last run; `nil` where none had been found yet.
  case endedLastRun(camera: String?)
  /// The sound server or the microphone can't be used.
  case microphone(message: String)
  /// The camera isn't running, so there is no frame to take.
  case notRunning
  /// The movie of a live photo could not be made; the still is safe.
  case movieFailed(message: String)
  /// A movie can't be played; `file` is its name.
  case playbackFailed(file: String, message: String)
  /// The picture could not be made from the frame.
  case pictureFailed(message: String)

  public var description: String {
    switch self {
    case .noCamera:
      "No camera was found. Plug one in, or use the built-in test camera."
    case .unknownCamera(let id, let known):
      "There is no camera “\(id)”. Known cameras: \(known.joined(separator: ", "))."
    case .unknownMicrophone(let id, let known):
      "There is no microphone “\(id)”. Known microphones: \(known.joined(separator: ", ")), none."
    case .inUse(let camera):
      "“\(camera)” is in use by another program. Close that program and try again."
    case .permissionDenied(let camera):
      "Access to “\(camera)” was refused. Allow it in the system's privacy settings, or add yourself to the group “video”."
    case .noSuchFormat(let camera, let wanted, let offered):
      "“\(camera)” has no \(wanted) mode. It offers \(offered.map(\.description).joined(separator: ", "))."
    case .noFrames(let camera, let seconds):
      "“\(camera)” was opened but sent no picture for \(seconds.formatted()) seconds. Unplug it, plug it in again and try again."
    case .unplugged(let camera):
      "“\(camera)” was unplugged. Plug it in again to go on."
    case .missingPlugin(let element, let package, let purpose):
      "The GStreamer element “\(element)” is missing, which is needed to \(purpose). Install the package \(package)."
    case .device(let camera, let message):
      "“\(camera)” reported an error: \(message). Try again, or choose another camera."
    case .endedLastRun(let camera):
      "PhotoMe ended unexpectedly while it was opening \(camera.map { "“\($0)”" } ?? "the camera") the last time. "
        + "Try again, or choose another camera."
    case .microphone(let message):
      "The microphone can't be used: \(message)."
    case .notRunning:
      "The camera isn't running, so there is no picture to take. Start it and try again."
    case .movieFailed(let message):
      "The movie of the live photo could not be made: \(message). The photo itself was kept."
    case .playbackFailed(let file, let message):
      "The movie of “\(file)” can't be played: \(message)."
    case .pictureFailed(let message):
      "The picture could not be made: \(message)."
    }
  }

  public var errorDescription: String? { description }
}

extension String {
  /// The text without a period at its end, to stand inside another sentence: GStreamer and our own errors end theirs with
  /// one.
  public var asClause: String { hasSuffix(".") ? String(dropLast()) : self }
}
