// The camera, mode and microphone that are asked for.

/// A request for a camera in a mode.
public struct CameraConfiguration: Hashable, Sendable {
  /// `nil` takes the first real camera.
  public var cameraID: CameraDevice.ID?
  /// Whether any real camera will do when the one that is named isn't there: the camera of the last time, for example.
  public var acceptsOthers: Bool
  /// The wanted size; see `FormatChoice`. `nil` asks for 1280×720 at least.
  public var size: PixelSize?
  /// When a size is given: whether no other will do.
  public var sizeIsExact: Bool
  /// When given, frames of this encoding are wanted and no other.
  public var encoding: FrameEncoding?
  /// The wanted rate, which gives way to the size; `nil` asks for 30 frames per second at least.
  public var rate: FrameRate?
  /// Whether the sensor's own frames are wanted beside the pictures. It gives way where the camera has none.
  public var savesRaw: Bool
  /// Whether frames of 10 bits are wanted, and kept as such. It gives way where the camera has none, and to `savesRaw`.
  public var isHDR: Bool

  public init(
    cameraID: CameraDevice.ID? = nil, acceptsOthers: Bool = false, size: PixelSize? = nil, sizeIsExact: Bool = false,
    encoding: FrameEncoding? = nil, rate: FrameRate? = nil, savesRaw: Bool = false, isHDR: Bool = false
  ) {
    self.cameraID = cameraID
    self.acceptsOthers = acceptsOthers
    self.size = size
    self.sizeIsExact = sizeIsExact
    self.encoding = encoding
    self.rate = rate
    self.savesRaw = savesRaw
    self.isHDR = isHDR
  }

  /// The mode of a camera that meets this request; `nil` when it has none.
  public func mode(of camera: CameraDevice) -> CameraSession? {
    let raw = savesRaw && encoding == nil ? camera.rawFormats : []
    let deep = isHDR && raw.isEmpty && encoding == nil ? camera.deepFormats : []
    let formats = raw.isEmpty ? (deep.isEmpty ? camera.formats : deep) : raw
    let best = FormatChoice.best(
      of: formats, size: size, isExact: sizeIsExact, encoding: encoding, rate: rate, prefersDepth: savesRaw)
    guard let best else { return nil }
    return CameraSession(
      camera: camera, format: best.format, frameRate: best.frameRate,
      savesRaw: savesRaw && best.format.encoding.bayerLayout != nil,
      isHDR: isHDR && best.format.encoding.isDeep)
  }

  /// Whether a session is what an opening would bring, so that nothing has to be opened again.
  public func isMet(by session: CameraSession) -> Bool {
    let isThis = cameraID.map(session.camera.answers(to:)) ?? (session.camera.kind != .test)
    return isThis && mode(of: session.camera) == session
  }
}

/// The microphone of live photos.
public enum MicrophoneChoice: Hashable, Sendable, Codable {
  /// The desktop's default.
  case automatic
  case none
  case device(MicrophoneDevice.ID)
}
