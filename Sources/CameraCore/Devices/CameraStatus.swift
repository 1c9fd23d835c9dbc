// The camera's status, the recording activity, and the capabilities of Live: three separate types.

import Localization

/// The status of the camera as it is shown. Each case has its own page in the window and its own way out.
public enum CameraStatus: Equatable, Sendable {
  /// The cause of a pause, from outside of the camera, which itself is fine: it opens again when the cause is gone or
  /// someone resumes.
  public enum Interruption: Equatable, Sendable {
    /// Another program holds the camera; `holder` is its name, where that is known.
    case inUse(camera: String, holder: String? = nil)
    /// The camera was unplugged while it ran.
    case unplugged
    /// The viewfinder can't be seen: another page, a minimized window, a locked session, a sleeping machine.
    case suspended
  }

  /// A camera is being opened.
  case starting
  /// The same, and the desktop is asked whether PhotoMe may use it.
  case awaitingPermission
  /// The same, for longer than most cameras take: it is open, and its first picture hasn't come.
  case awaitingPicture(camera: String)
  /// Frames are arriving.
  case running(CameraSession)
  /// Nothing is plugged in.
  case noCamera
  /// The system or the desktop refused access; the error says which, and what can be done.
  case permissionDenied(CameraError)
  /// Something outside took the camera away; it can be resumed.
  case interrupted(Interruption)
  /// It could not be opened, or broke.
  case failed(CameraError)
}

/// The camera and the mode that are running.
public struct CameraSession: Equatable, Sendable {
  public var camera: CameraDevice
  public var format: CameraFormat
  public var frameRate: FrameRate
  /// Whether each shot gets the sensor's own frame beside its picture.
  public var savesRaw: Bool
  /// Whether its frames have 10 bits a sample, and pictures keep them where there are encoders for that.
  public var isHDR: Bool

  public init(
    camera: CameraDevice, format: CameraFormat, frameRate: FrameRate, savesRaw: Bool = false, isHDR: Bool = false
  ) {
    self.camera = camera
    self.format = format
    self.frameRate = frameRate
    self.savesRaw = savesRaw
    self.isHDR = isHDR
  }
}

/// The recordings in progress.
public enum Activity: Equatable, Sendable {
  case idle
  /// Shots that are not yet saved, and how many of them are still gathering their live movie.
  case photo(inFlight: Int, live: Int)
  /// A movie, and its length so far without pauses.
  case movie(elapsed: TimeSpan)
}

/// Whether a live photo can be taken on this machine.
public enum LiveCapability: Equatable, Sendable {
  case available
  /// A plugin is missing; the text names it and its Debian package.
  case unavailable(reason: String)
}

/// The state of the sound of live photos.
public enum LiveSound: Equatable, Sendable {
  /// Live is off: no microphone is open.
  case off
  /// Sound is being kept from this microphone.
  case recording(MicrophoneDevice)
  /// Live works without sound, for this reason.
  case silent(reason: String)

  /// A movie began before the microphone was heard, and gets its sound from then on.
  public static var awaited: LiveSound {
    .silent(reason: localized("The microphone isn’t ready yet. Sound will be recorded as soon as it is."))
  }
}

extension CameraStatus {
  /// The error behind this status, where there is one.
  public var error: CameraError? {
    switch self {
    case .failed(let error), .permissionDenied(let error): error
    case .noCamera: .noCamera
    case .interrupted(.inUse(let camera, let holder)): .inUse(camera: camera, holder: holder)
    case .starting, .awaitingPermission, .awaitingPicture, .running, .interrupted(.unplugged), .interrupted(.suspended):
      nil
    }
  }

  /// Whether it waits for something that a person does elsewhere: permits the camera, or mends the desktop's portal.
  public var awaitsAccess: Bool {
    switch self {
    case .permissionDenied, .failed(.portal): true
    default: false
    }
  }
}
