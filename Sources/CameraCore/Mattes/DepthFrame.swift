// Distances that a depth camera measures.

/// A picture of distances.
public struct DepthFrame: Sendable {
  /// When it was measured.
  public let time: MonotonicTime
  /// In pixels.
  public let size: PixelSize
  /// 16 bits a pixel, little-endian (`Z16` of linux/videodev2.h), row by row without gaps: the distance in the device's own
  /// unit, mostly millimeters; 0 where nothing was measured.
  public let block: FrameBlock

  /// - Parameter block: `2 * size.area` bytes.
  public init(time: MonotonicTime, size: PixelSize, block: FrameBlock) {
    precondition(block.count == 2 * size.area, "A distance has two bytes.")
    (self.time, self.size, self.block) = (time, size, block)
  }
}
