// A camera's modes: encoding, size in pixels, and the frame rates that go with them.

/// A frame rate as a fraction, in frames per second.
public struct FrameRate: Hashable, Comparable, Sendable, Codable, CustomStringConvertible {
  public var numerator: Int
  public var denominator: Int

  public init(_ numerator: Int, _ denominator: Int = 1) {
    self.numerator = numerator
    self.denominator = max(1, denominator)
  }

  public var framesPerSecond: Double { Double(numerator) / Double(denominator) }

  public static func < (left: Self, right: Self) -> Bool {
    left.numerator * right.denominator < right.numerator * left.denominator
  }

  public var description: String { denominator == 1 ? "\(numerator)" : "\(numerator)/\(denominator)" }
}

/// The memory layout of a camera's frames.
public enum FrameEncoding: Hashable, Sendable, Codable, CustomStringConvertible {
  /// One JPEG per frame, as webcams send it: Huffman tables may be missing.
  case motionJPEG
  /// Uncompressed pixels; the text is GStreamer's name of the layout (`YUY2`, `NV12`, `I420`, …).
  case raw(String)

  public var description: String {
    switch self {
    case .motionJPEG: "MJPG"
    case .raw(let layout): layout
    }
  }
}

/// One mode of a camera.
public struct CameraFormat: Hashable, Sendable, Codable, CustomStringConvertible {
  public var encoding: FrameEncoding
  public var size: PixelSize
  /// The rates that the camera offers in this mode, fastest first; never empty.
  public var frameRates: [FrameRate]

  public init(encoding: FrameEncoding, size: PixelSize, frameRates: [FrameRate]) {
    self.encoding = encoding
    self.size = size
    self.frameRates = frameRates.sorted(by: >)
  }

  /// The fastest rate.
  public var maximumFrameRate: FrameRate { frameRates.first ?? FrameRate(30) }

  public var description: String { "\(encoding) \(size) @ \(maximumFrameRate)" }
}
