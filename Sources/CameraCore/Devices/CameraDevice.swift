// Cameras and microphones to choose from.

import Localization

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

  /// Another way to the same camera, with the modes that it offers there.
  public struct Twin: Hashable, Sendable, Codable {
    public var kind: Kind
    public var formats: [CameraFormat]

    public init(kind: Kind, formats: [CameraFormat]) {
      self.kind = kind
      self.formats = formats
    }
  }

  /// The reason why a camera that is there can't be opened.
  public enum Obstacle: Hashable, Sendable, Codable {
    /// It offers nothing that can be decoded; the texts name what it offers, `package` the Debian package that would help.
    case noUsableMode(offered: [String], package: String?)
    /// Its device doesn't answer: its driver or the camera itself hangs.
    case unresponsive
    /// Its device can be opened once at a time, and another program has it open.
    case inUse
  }

  /// Stable across plug-ins and restarts: made from the serial number, the bus path or `node.name`, never from an index.
  /// `test` for the built-in camera.
  public var id: String
  /// The device's display name.
  public var name: String
  public var kind: Kind
  /// The modes that PhotoMe can use; empty where there is an obstacle.
  public var formats: [CameraFormat]
  /// The other way to this camera; `nil` where there is one way only.
  public var twin: Twin?
  /// `nil` for a camera that can be opened.
  public var obstacle: Obstacle?
  /// Further names that it answers to: ids that it had before.
  public var aliases: [String]
  /// The V4L2 node of a camera that is reached by PipeWire alone; `nil` where there is none, or `kind` or `twin` has it.
  public var node: String?

  public init(
    id: String, name: String, kind: Kind, formats: [CameraFormat], twin: Twin? = nil, obstacle: Obstacle? = nil,
    aliases: [String] = [], node: String? = nil
  ) {
    self.id = id
    self.name = name
    self.kind = kind
    self.formats = formats
    self.twin = twin
    self.obstacle = obstacle
    self.aliases = aliases
    self.node = node
  }

  /// The V4L2 node that has the camera's controls, however its pictures come; `nil` where it has none.
  public var controlNode: String? {
    if case .v4l2(let path) = kind { return path }
    if case .v4l2(let path)? = twin?.kind { return path }
    return node
  }

  /// The same camera by its other way; `nil` where it has none that offers anything.
  public var byOtherWay: CameraDevice? {
    guard let twin, !twin.formats.isEmpty else { return nil }
    var other = self
    (other.kind, other.formats, other.twin) = (twin.kind, twin.formats, Twin(kind: kind, formats: formats))
    return other
  }

  /// The id of the built-in test camera.
  public static let testID = "test"

  /// The name as it is shown; in files the test camera keeps its English one.
  public var displayName: String { kind == .test ? localized("Test Camera") : name.displayed }

  /// The modes in which it sends its sensor's own frames.
  public var rawFormats: [CameraFormat] { formats.filter { $0.encoding.bayerLayout != nil } }

  /// The modes with 10 bits a sample.
  public var deepFormats: [CameraFormat] { formats.filter(\.encoding.isDeep) }

  /// Whether the camera is the one that is named: by its id, by one that it had before, or by its device file.
  public func answers(to name: String) -> Bool {
    id == name || aliases.contains(name) || kind == .v4l2(path: name) || twin?.kind == .v4l2(path: name)
  }
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

  /// The name as it is shown.
  public var displayName: String { kind == .test ? localized("Test Tone") : name.displayed }

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

  public func camera(_ id: CameraDevice.ID) -> CameraDevice? {
    cameras.first { $0.id == id } ?? cameras.first { $0.answers(to: id) }
  }
  public func microphone(_ id: MicrophoneDevice.ID) -> MicrophoneDevice? { microphones.first { $0.id == id } }

  /// The microphone that the desktop prefers: its default, else the first real one. Never the test tone.
  public var defaultMicrophone: MicrophoneDevice? {
    let real = microphones.filter { $0.kind != .test }
    return real.first(where: \.isDefault) ?? real.first
  }

  /// The microphone to use for a choice: the chosen one, or the desktop's while that isn't connected; `nil` where there
  /// is none, or none is wanted.
  public func microphone(for choice: MicrophoneChoice) -> MicrophoneDevice? {
    switch choice {
    case .none: nil
    case .automatic: defaultMicrophone
    case .device(let id): microphone(id) ?? defaultMicrophone
    }
  }
}
