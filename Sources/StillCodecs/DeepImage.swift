// Pictures with 10 bits a sample.

import CameraCore
import Foundation
import Localization

/// A picture of 10 bits a sample, as planes of 4:2:0.
public struct DeepImage: Sendable {
  /// The meaning of the samples: numbers of ITU-T H.273.
  public struct Colors: Sendable, Hashable {
    /// Table 2.
    public var primaries: UInt32
    /// Table 3.
    public var transfer: UInt32
    /// Table 4.
    public var matrix: UInt32
    /// Whether luma reaches from 0 to 1023 instead of 64 to 940.
    public var isFullRange: Bool

    /// BT.709 in limited range.
    public static let bt709 = Colors(primaries: 1, transfer: 1, matrix: 1, isFullRange: false)

    public init(primaries: UInt32, transfer: UInt32, matrix: UInt32, isFullRange: Bool) {
      (self.primaries, self.transfer, self.matrix) = (primaries, transfer, matrix)
      self.isFullRange = isFullRange
    }
  }

  /// `I420_10LE`, with even sides.
  public var layout: RawLayout
  public var block: FrameBlock
  public var colors: Colors

  public init(layout: RawLayout, block: FrameBlock, colors: Colors) {
    (self.layout, self.block, self.colors) = (layout, block, colors)
  }
}

extension StillCodecs {
  /// Encodes a picture with 10 bits a sample, without metadata. Its samples are not converted.
  ///
  /// - Parameter format: HEIC or AVIF.
  /// - Throws: `StillCodecError`, also when no installed encoder does it.
  public static func encode(
    _ image: DeepImage, as format: PhotoFormat, quality: Quality = .photo
  ) throws(StillCodecError) -> Data {
    guard format.isHEIF else { throw StillCodecError(localized("\(format.name) has 8 bits per color")) }
    if let missing = missingDeepEncoder(for: format) { throw StillCodecError(missing) }
    return try HEIFCodec.encode(image, as: format, quality: quality)
  }

  /// The reason why a format's pictures don't have 10 bits, and what can be done; `nil` when they can.
  ///
  /// The first call of a format encodes a small picture: libheif tells only then, as its HEVC encoder may be built for 8 bits.
  public static func missingDeepEncoder(for format: PhotoFormat) -> String? {
    guard format.isHEIF else { return localized("\(format.name) has 8 bits per color") }
    if let missing = missingEncoder(for: format) { return missing }
    let isAble = format == .heic ? HEIFCodec.makesDeepHEIC : HEIFCodec.makesDeepAVIF
    return isAble ? nil : localized("libheif’s encoder for \(format.name) supports 8 bits only")
  }
}
