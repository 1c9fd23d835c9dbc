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
    // Drivers say what they want, and the products must not overflow.
    let (first, second) = (
      left.numerator.multipliedFullWidth(by: right.denominator),
      right.numerator.multipliedFullWidth(by: left.denominator)
    )
    return (first.high, first.low) < (second.high, second.low)
  }

  /// Whether two rates are the same to a person; 29.97 counts as 30.
  public func isAlike(_ other: FrameRate) -> Bool { abs(framesPerSecond - other.framesPerSecond) < 0.5 }

  public var description: String { denominator == 1 ? "\(numerator)" : "\(numerator)/\(denominator)" }
}

/// The form in which a camera sends its frames.
public enum FrameEncoding: Hashable, Sendable, Codable, CustomStringConvertible {
  /// One JPEG per frame, as webcams send it: Huffman tables may be missing.
  case motionJPEG
  /// Uncompressed pixels; the text is GStreamer's name of the layout (`YUY2`, `NV12`, `I420`, …).
  case raw(String)
  /// A stream of H.264; it is decoded before it is kept.
  case h264
  /// The sensor's own pattern of colors, by GStreamer's name (`BayerLayout`); colors are interpolated before it is kept.
  case bayer(String)

  /// Layouts without colors, as infrared and depth cameras send them.
  private static let grayLayouts: Set<String> = [
    "GRAY8", "GRAY10_LE16", "GRAY12_LE16", "GRAY14_LE16", "GRAY16_LE", "GRAY16_BE",
  ]

  /// Whether the frames have no colors.
  public var isGray: Bool {
    if case .raw(let layout) = self { Self.grayLayouts.contains(layout) } else { false }
  }

  /// Whether the frames have 10 bits a sample, of which pictures with a high dynamic range are made.
  public var isDeep: Bool {
    if case .raw(let layout) = self { DeepLayout(rawValue: layout) != nil } else { false }
  }

  /// The pattern and the depth of a sensor's own frames, which can be saved as they are; `nil` for all others.
  public var bayerLayout: BayerLayout? {
    if case .bayer(let name) = self { BayerLayout(name: name) } else { nil }
  }

  /// The rank among a camera's encodings; lower is better. Whatever isn't 0 costs a conversion, colors or both, and is
  /// chosen only where a camera has nothing else.
  public var rank: Int {
    switch self {
    case .motionJPEG: 0
    case .raw: isGray ? 3 : 0
    case .h264: 1
    case .bayer: 2
    }
  }

  public var description: String {
    switch self {
    case .motionJPEG: "MJPG"
    case .raw(let layout): layout
    case .h264: "H264"
    case .bayer(let pattern): "BAYER-\(pattern)"
    }
  }
}

extension FrameEncoding {
  /// Raw layouts in which two neighbors in a row share their colors.
  private static let halfWidthLayouts: Set<String> = [
    "YUY2", "UYVY", "YVYU", "VYUY", "NV12", "NV21", "I420", "YV12", "Y42B", "NV16",
    "P010_10LE", "Y210", "I420_10LE", "I422_10LE",
  ]
  /// Those in which two rows share them, too.
  private static let halfHeightLayouts: Set<String> = ["NV12", "NV21", "I420", "YV12", "P010_10LE", "I420_10LE"]

  /// Whether frames of this size have a defined layout in memory: where neighbors share their colors, an odd width or
  /// height leaves half a color, and drivers and GStreamer disagree on its place.
  public func isDefined(at size: PixelSize) -> Bool {
    guard size.width > 0, size.height > 0 else { return false }
    switch self {
    case .raw(let layout):
      // Movies have no picture of one row or column.
      return size.width > 1 && size.height > 1 && (size.width % 2 == 0 || !Self.halfWidthLayouts.contains(layout))
        && (size.height % 2 == 0 || !Self.halfHeightLayouts.contains(layout))
    case .bayer: return size.width % 2 == 0 && size.height % 2 == 0
    case .motionJPEG, .h264: return true
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
