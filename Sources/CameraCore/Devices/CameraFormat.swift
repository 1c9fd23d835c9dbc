// What a camera delivers: an encoding, a size in pixels and the frame rates that go with them.

/// The dimensions of a picture in pixels.
public struct PixelSize: Hashable, Sendable, Codable, CustomStringConvertible {
  public var width: Int
  public var height: Int

  public init(width: Int, height: Int) {
    self.width = width
    self.height = height
  }

  /// Reads `WxH`, for example `1280x720`; `nil` unless both are whole numbers above zero.
  public init?(_ text: String) {
    let parts = text.lowercased().split(separator: "x", omittingEmptySubsequences: false)
    guard parts.count == 2, let width = Int(parts[0]), let height = Int(parts[1]), width > 0, height > 0 else {
      return nil
    }
    self.init(width: width, height: height)
  }

  /// Width times height.
  public var area: Int { width * height }

  public var description: String { "\(width)x\(height)" }
}

/// A frame rate as a fraction, in frames a second.
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

/// How a camera's frames are laid out in memory.
public enum FrameEncoding: Hashable, Sendable, Codable, CustomStringConvertible {
  /// A JPEG a frame, as webcams send it: Huffman tables may be left out.
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
