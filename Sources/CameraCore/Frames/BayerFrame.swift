// Frames as a sensor has them: one color for each pixel, in a Bayer pattern.

/// The layout of a frame that has one of three colors for each pixel.
public struct BayerLayout: Hashable, Sendable {
  /// The colors of the two by two pixels at the upper left corner, row by row.
  public enum Pattern: String, CaseIterable, Sendable {
    case rggb, bggr, grbg, gbrg

    /// The colors as TIFF numbers them: 0 is red, 1 green and 2 blue (TIFF/EP, `CFAPattern`).
    public var colors: [UInt8] { rawValue.utf8.map { $0 == UInt8(ascii: "r") ? 0 : $0 == UInt8(ascii: "g") ? 1 : 2 } }
  }

  public var pattern: Pattern
  /// The bits of a sample that count: 8, 10, 12, 14 or 16. More than 8 are the lower ones of two bytes.
  public var bits: Int
  /// Whether of two bytes the higher one comes first.
  public var isBigEndian: Bool

  /// The depths that frames can have.
  public static let depths = [8, 10, 12, 14, 16]

  public init(pattern: Pattern, bits: Int, isBigEndian: Bool = false) {
    (self.pattern, self.bits, self.isBigEndian) = (pattern, bits, isBigEndian)
  }

  /// - Parameter name: GStreamer's: `rggb`, and from 1.24 on `rggb10le`, `rggb16be` and the like.
  /// - Returns: `nil` for other names.
  public init?(name: String) {
    guard let pattern = Pattern(rawValue: String(name.prefix(4))) else { return nil }
    let rest = name.dropFirst(4)
    if rest.isEmpty {
      self.init(pattern: pattern, bits: 8)
      return
    }
    guard let bits = Int(rest.dropLast(2)), bits > 8, Self.depths.contains(bits), ["le", "be"].contains(rest.suffix(2))
    else { return nil }
    self.init(pattern: pattern, bits: bits, isBigEndian: rest.hasSuffix("be"))
  }

  /// GStreamer's name of the layout.
  public var name: String { bits == 8 ? pattern.rawValue : "\(pattern.rawValue)\(bits)\(isBigEndian ? "be" : "le")" }

  /// The bytes of a sample.
  public var bytesPerSample: Int { bits == 8 ? 1 : 2 }
}

/// One frame as the sensor has it, before its colors are interpolated.
public struct BayerFrame: Sendable {
  /// The meaning of a sample's value.
  public enum Transfer: Sendable, Hashable {
    /// In proportion to the light, as sensors have it.
    case linear
    /// Encoded by sRGB's curve (IEC 61966-2-1), as the drivers of some webcams and simulated cameras say of theirs.
    case sRGB
  }

  public var layout: BayerLayout
  public var size: PixelSize
  /// Bytes from one row to the next.
  public var stride: Int
  public var transfer: Transfer
  public var block: FrameBlock

  /// - Returns: `nil` when the block is shorter than the frame.
  public init?(layout: BayerLayout, size: PixelSize, stride: Int, transfer: Transfer = .linear, block: FrameBlock) {
    let row = size.width * layout.bytesPerSample
    guard size.width > 0, size.height > 0, stride >= row, block.count >= stride * (size.height - 1) + row else {
      return nil
    }
    (self.layout, self.size, self.stride, self.transfer, self.block) = (layout, size, stride, transfer, block)
  }

  /// The samples without padding, in little-endian order.
  public var samples: [UInt8] {
    let row = size.width * layout.bytesPerSample
    return block.withUnsafeBytes { source in
      [UInt8](unsafeUninitializedCapacity: row * size.height) { target, count in
        for line in 0..<size.height {
          for column in 0..<row {
            let from = layout.isBigEndian && layout.bits > 8 ? column ^ 1 : column
            target[line * row + column] = source[line * stride + from]
          }
        }
        count = row * size.height
      }
    }
  }
}
