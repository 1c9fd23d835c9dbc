// Adds up pictures of one size and tells their mean.

import CameraCore

/// The mean of pictures, channel by channel, rounded to nearest.
///
///     var average = RunningAverage(size: frames[0].size)
///     for frame in frames { average.add(frame) }
///     average.image  // a long exposure
public struct RunningAverage: Sendable {
  public let size: PixelSize
  /// How many pictures were added.
  public private(set) var count = 0
  private var sums: [UInt32]

  public init(size: PixelSize) {
    self.size = size
    sums = [UInt32](repeating: 0, count: size.area * 3)
  }

  /// Adds a picture; one of another size is left out. Exact for up to 16 million pictures.
  public mutating func add(_ image: DecodedImage) {
    guard image.size == size else { return }
    count += 1
    sums.withUnsafeMutableBufferPointer { sums in
      image.block.withUnsafeBytes { bytes in
        var at = 0
        for y in 0..<size.height {
          var from = y * image.stride
          for _ in 0..<size.width {
            for channel in 0..<3 { sums[at + channel] &+= UInt32(bytes[from + channel]) }
            at += 3
            from += 4
          }
        }
      }
    }
  }

  /// The mean; `nil` before the first picture.
  public var image: DecodedImage? {
    guard count > 0 else { return nil }
    let (count, half) = (UInt32(count), UInt32(count / 2))
    let block = FrameBlock(count: size.area * 4) { bytes in
      for pixel in 0..<size.area {
        for channel in 0..<3 {
          bytes[4 * pixel + channel] = UInt8(truncatingIfNeeded: (sums[3 * pixel + channel] + half) / count)
        }
        bytes[4 * pixel + 3] = 255
      }
    }
    return DecodedImage(size: size, stride: size.width * 4, block: block)
  }
}
