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
