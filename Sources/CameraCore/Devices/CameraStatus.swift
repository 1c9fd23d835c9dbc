// What the camera is doing, as three separate types: status, activity and what Live can do here.

/// The state of the camera as a person meets it. Each case has its own page in the window and its own way out.
public enum CameraStatus: Equatable, Sendable {
  public enum Interruption: Equatable, Sendable {
    /// Another program holds the camera.
    case inUse
    /// The camera was unplugged while it ran.
    case unplugged
    /// The machine slept, or the window was hidden.
    case suspended
  }

  /// A camera is being opened.
  case starting
  /// Frames are arriving.
  case running(CameraSession)
  /// Nothing is plugged in.
  case noCamera
  /// The system refused access to the device.
  case permissionDenied
  /// It ran, and something outside took it away; it can be resumed.
  case interrupted(Interruption)
  /// It could not be started, or broke.
  case failed(CameraError)
}

/// The camera and the mode that are running.
public struct CameraSession: Equatable, Sendable {
  public var camera: CameraDevice
  public var format: CameraFormat
  public var frameRate: FrameRate

  public init(camera: CameraDevice, format: CameraFormat, frameRate: FrameRate) {
    self.camera = camera
    self.format = format
    self.frameRate = frameRate
  }
}

/// What is being recorded now.
public enum Activity: Equatable, Sendable {
  case idle
  /// Shots that are not yet saved, and how many of them are still gathering their live movie.
  case photo(inFlight: Int, live: Int)
}

/// Whether a live photo can be taken on this machine.
public enum LiveCapability: Equatable, Sendable {
  case available
  /// Something is not installed; the text says what, and the Debian package that brings it.
  case unavailable(reason: String)
}

/// What happens to sound while Live is on.
public enum LiveSound: Equatable, Sendable {
  /// Live is off: no microphone is open.
  case off
  /// Sound is being kept from this microphone.
  case recording(MicrophoneDevice)
  /// Live works without sound; the text says why.
  case silent(reason: String)
}

extension CameraStatus {
  /// What went wrong, where that is known in detail.
  public var error: CameraError? {
    switch self {
    case .failed(let error): error
    case .noCamera: .noCamera
    case .starting, .running, .permissionDenied, .interrupted: nil
    }
  }
}
