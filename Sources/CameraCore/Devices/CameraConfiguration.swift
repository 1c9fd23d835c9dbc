// The camera, mode and microphone that are asked for.

/// What camera is wanted, and in which mode.
public struct CameraConfiguration: Equatable, Sendable {
  /// `nil` takes the first real camera.
  public var cameraID: CameraDevice.ID?
  /// The size that is wanted; see `FormatChoice`. `nil` asks for 1280×720 at least.
  public var size: PixelSize?
  /// When a size is given: whether no other will do.
  public var sizeIsExact: Bool
  /// When given, frames of this encoding are wanted and no other.
  public var encoding: FrameEncoding?

  public init(
    cameraID: CameraDevice.ID? = nil, size: PixelSize? = nil, sizeIsExact: Bool = false, encoding: FrameEncoding? = nil
  ) {
    self.cameraID = cameraID
    self.size = size
    self.sizeIsExact = sizeIsExact
    self.encoding = encoding
  }
}

/// Where the sound of live photos comes from.
public enum MicrophoneChoice: Hashable, Sendable, Codable {
  /// What the desktop uses.
  case automatic
  case none
  case device(MicrophoneDevice.ID)
}
