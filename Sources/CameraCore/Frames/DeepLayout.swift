// The raw layouts with 10 bits a sample.

/// A raw layout with 10 bits a sample in words of 16 bits, by GStreamer's name.
public enum DeepLayout: String, CaseIterable, Sendable {
  /// 4:2:0: luma, then blue and red difference in turn. A sample is in the upper bits of its word.
  case p010 = "P010_10LE"
  /// 4:2:2, packed: luma, blue difference, luma, red difference. A sample is in the upper bits of its word.
  case y210 = "Y210"
  /// 4:2:0 in three planes. A sample is in the lower bits of its word.
  case planar420 = "I420_10LE"
  /// 4:2:2 in three planes. A sample is in the lower bits of its word.
  case planar422 = "I422_10LE"

  /// Bits a sample.
  public static let bits = 10

  /// Whether two rows share their colors.
  public var hasHalfHeight: Bool { self == .p010 || self == .planar420 }

  /// Whether a sample is in the upper bits of its word.
  public var isInUpperBits: Bool { self == .p010 || self == .y210 }
}

extension RawLayout {
  /// The layout by its name if it has 10 bits a sample, else `nil`.
  public var deep: DeepLayout? { DeepLayout(rawValue: name) }
}

extension CameraFrame {
  /// The layout of a frame with 10 bits a sample; `nil` for any other frame.
  public var deepLayout: RawLayout? {
    guard case .raw(let layout) = content, layout.deep != nil else { return nil }
    return layout
  }
}
