// Cameras and microphones to choose from.

/// A camera that is plugged in now, or the built-in test camera.
public struct CameraDevice: Hashable, Sendable, Identifiable, Codable {
  /// The API through which the camera is reached.
  public enum Kind: Hashable, Sendable, Codable {
    /// A V4L2 capture node, for example `/dev/video0`.
    case v4l2(path: String)
    /// A PipeWire node, addressed by its `node.name`, which outlives the `object.serial` of one plug-in.
    case pipeWire(node: String)
    /// The built-in moving scene.
    case test
  }

  /// Stable across plug-ins and restarts: made from the bus path or `node.name`, never from an index. `test` for the
  /// built-in camera.
  public var id: String
  /// The device's display name.
  public var name: String
  public var kind: Kind
  /// The modes that PhotoMe can use; never empty.
  public var formats: [CameraFormat]

  public init(id: String, name: String, kind: Kind, formats: [CameraFormat]) {
    self.id = id
    self.name = name
    self.kind = kind
    self.formats = formats
  }

  /// The id of the built-in test camera.
  public static let testID = "test"

  /// Whether the camera is the one that is named: by its id, or by its device file.
  public func answers(to name: String) -> Bool { id == name || kind == .v4l2(path: name) }
}

/// A microphone that is plugged in now, or the built-in test tone.
public struct MicrophoneDevice: Hashable, Sendable, Identifiable, Codable {
  /// The API through which the microphone is reached.
  public enum Kind: Hashable, Sendable, Codable {
    /// A PulseAudio (or PipeWire's PulseAudio) source, by its source name.
    case pulse(source: String)
    /// The built-in beep.
    case test
  }

  /// The PulseAudio source name, or `test`.
  public var id: String
  public var name: String
  public var kind: Kind
  /// Whether this is the desktop's default.
  public var isDefault: Bool

  public init(id: String, name: String, kind: Kind, isDefault: Bool) {
    self.id = id
    self.name = name
    self.kind = kind
    self.isDefault = isDefault
  }

  /// The id of the built-in test tone.
  public static let testID = CameraDevice.testID
}

/// The devices that are plugged in at one moment. The test camera and the test tone are always included, last.
public struct DeviceList: Equatable, Sendable {
  public var cameras: [CameraDevice]
  public var microphones: [MicrophoneDevice]

  public init(cameras: [CameraDevice] = [], microphones: [MicrophoneDevice] = []) {
    self.cameras = cameras
    self.microphones = microphones
  }

  /// The cameras that are hardware (or another program's), without the test camera.
  public var realCameras: [CameraDevice] { cameras.filter { $0.kind != .test } }

  public func camera(_ id: CameraDevice.ID) -> CameraDevice? { cameras.first { $0.id == id } }
  public func microphone(_ id: MicrophoneDevice.ID) -> MicrophoneDevice? { microphones.first { $0.id == id } }

  /// The microphone that the desktop prefers: its default, else the first real one. Never the test tone.
  public var defaultMicrophone: MicrophoneDevice? {
    let real = microphones.filter { $0.kind != .test }
    return real.first(where: \.isDefault) ?? real.first
  }
}
