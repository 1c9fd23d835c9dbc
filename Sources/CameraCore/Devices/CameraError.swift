// The errors of cameras, microphones and shots, with their messages.

import Foundation
import Localization

/// An error of a camera, a microphone or a shot. Its description says what happened, to what, and what can be done.
public enum CameraError: Error, Equatable, Sendable, LocalizedError, CustomStringConvertible {
  /// No camera is plugged in.
  case noCamera
  /// The id names nothing that is plugged in; `known` are the ids that are.
  case unknownCamera(id: String, known: [String])
  case unknownMicrophone(id: String, known: [String])
  /// Another program holds the device; `holder` is its name, where that is known.
  case inUse(camera: String, holder: String? = nil)
  /// The system refused access to the device; `refusal` is the reason, where that is known.
  case permissionDenied(camera: String, refusal: NodeRefusal? = nil)
  /// The desktop doesn't let PhotoMe use cameras: someone said no, or its privacy settings do.
  case accessDenied
  /// The desktop's portal can't be asked for cameras.
  case portal(CameraPortalFailure)
  /// The camera has no mode with this size; `offered` are the sizes that it has.
  case noSuchFormat(camera: String, wanted: PixelSize, offered: [PixelSize])
  /// The camera is there, but offers nothing that can be decoded; `package` is the Debian package that would help.
  case noUsableMode(camera: String, offered: [String], package: String? = nil)
  /// The camera is there, but its device doesn't answer.
  case unresponsive(camera: String)
  /// The camera sent nothing within the time limit, since it was opened or since its last picture.
  case noFrames(camera: String, seconds: Double)
  /// The camera sent only frames that could not be used for this long.
  case damagedFrames(camera: String, seconds: Double)
  /// The camera stands still: no frame came after the press of the shutter.
  case stoppedSending(camera: String)
  /// The camera was disconnected before the frame of a shot could be taken.
  case unpluggedBeforeShot(camera: String)
  /// The camera was disconnected while it was in use.
  case unplugged(camera: String)
  /// GStreamer lacks an element; `package` is the Debian package that has it.
  case missingPlugin(element: String, package: String, purpose: Purpose)
  /// The device or its driver reported an error; the message is the driver's.
  case device(camera: String, message: String)
  /// The same in each of several modes.
  case refusedModes(camera: String, modes: [String], message: String)
  /// The program ended while this camera was being opened, in its last run; `nil` where none had been found yet.
  case endedLastRun(camera: String?)
  /// The sound server or the microphone can't be used.
  case microphone(message: String)
  /// The camera has no frames of its sensor, and so no raw pictures.
  case rawUnavailable(camera: String)
  /// The camera has no modes with 10 bits a sample.
  case hdrUnavailable(camera: String)
  /// So many pictures and movies wait to be written that there is no memory for another picture.
  case tooManyShots
  /// The camera isn't running, so there is no frame to take.
  case notRunning
  /// The movie of a live photo could not be made; the still is safe.
  case movieFailed(message: String)
  /// A movie could not be recorded; nothing of it was kept.
  case recordingFailed(message: String)
  /// A movie can't be played; `file` is its name.
  case playbackFailed(file: String, message: String)
  /// The picture could not be made from the frame.
  case pictureFailed(message: String)

  /// The use of a part of GStreamer, for the message that it is missing.
  public enum Purpose: Equatable, Sendable, CaseIterable {
    case camera
    case pipeWireCameras
    case pictures
    case sound
    case livePhotos
    case soundOfLivePhotos
    case livePhotoPlayback
    case hevc
    case playback
  }

  public var errorDescription: String? { description }
}

extension CameraDevice {
  /// The error of opening it all the same; `nil` for a camera that can be opened.
  public var obstacleError: CameraError? {
    switch obstacle {
    case .noUsableMode(let offered, let package): .noUsableMode(camera: name, offered: offered, package: package)
    case .unresponsive: .unresponsive(camera: name)
    case .inUse: .inUse(camera: name)
    case nil: nil
    }
  }
}

extension CameraError {
  /// The same error as the reason why a shot, which needs a running camera, has no picture.
  public var ofShot: CameraError {
    switch self {
    case .unplugged(let camera): .unpluggedBeforeShot(camera: camera)
    case .noFrames(let camera, _): .stoppedSending(camera: camera)
    default: self
    }
  }

  /// The same error as the reason why there is no movie, which needs a running camera as well.
  public var ofMovie: CameraError {
    self == .notRunning ? .recordingFailed(message: localized("the camera isn’t running")) : self
  }
}

extension CameraError {
  /// Whether a camera that ran has stalled or broken, rather than been taken away.
  var isBreakdown: Bool {
    switch self {
    case .noFrames, .damagedFrames, .device: true
    default: false
    }
  }
}

extension CameraError {
  /// Whether time alone may mend it, and so the camera is worth another try without a word: it broke, or its driver doesn't
  /// answer or refuses what it offers, as one with a loose plug does. Nothing tells when that is over.
  public var mayPass: Bool {
    switch self {
    case .unresponsive, .refusedModes: true
    default: isBreakdown
    }
  }
}

extension CameraError {
  /// Whether the cause is still there when it is tried again, unless somebody does something about it.
  public var isLasting: Bool {
    switch self {
    case .unknownCamera, .noSuchFormat, .noUsableMode, .missingPlugin: true
    default: false
    }
  }
}

extension String {
  /// The text without periods and spaces at its end, to stand inside another sentence: GStreamer and our own errors end
  /// theirs with one.
  public var asClause: String {
    var clause = self[...]
    while let last = clause.last, last == "." || last == "。" || last.isWhitespace { clause.removeLast() }
    return String(clause)
  }
}
