// Reduction of decoded pictures.

import CameraCore

extension DecodedImage {
  /// Whether it is at least as large as needed.
  public func covers(_ needed: PixelSize) -> Bool { size.width >= needed.width && size.height >= needed.height }

  /// Halved for as long as it stays at least as large as needed.
  public func reduced(toNeeded needed: PixelSize) -> DecodedImage {
    var image = self
    while image.size.width / 2 >= needed.width, image.size.height / 2 >= needed.height { image = image.halved() }
    return image
  }

  /// A smaller copy: each pixel is the mean of the area that it covers, weighted by coverage (box filter).
  ///
  /// - Parameter target: At most as wide and as high as the picture.
  public func averaged(to target: PixelSize) -> DecodedImage {
    precondition(target.width <= size.width && target.height <= size.height, "Averaging only makes pictures smaller.")
    if target == size { return self }
    let columns = Self.shares(of: size.width, in: target.width)
    let rows = Self.shares(of: size.height, in: target.height)
    // The sum of all weights of a pixel.
    let total = UInt64(size.area)
    let block = FrameBlock(count: target.area * 4) { output in
      var sums = [UInt64](repeating: 0, count: 3 * target.width)
      for (y, row) in rows.enumerated() {
        for index in sums.indices { sums[index] = 0 }
        self.block.withUnsafeBytes { input in
          for (down, weight) in row.weights.enumerated() {
            let line = UnsafeRawBufferPointer(rebasing: input[((row.start + down) * stride)...])
            Self.add(line, columns, weight: weight, to: &sums)
          }
        }
        for x in 0..<target.width {
          let at = (y * target.width + x) * 4
          for channel in 0..<3 {
            output[at + channel] = UInt8(truncatingIfNeeded: (sums[3 * x + channel] + total / 2) / total)
          }
          output[at + 3] = 0
        }
      }
    }
    return DecodedImage(size: target, stride: target.width * 4, block: block)
  }

  /// Adds a row's blue, green and red to sums by pixel.
  private static func add(
    _ line: UnsafeRawBufferPointer, _ columns: [(start: Int, weights: [UInt64])], weight: UInt64,
    to sums: inout [UInt64]
  ) {
    for (x, column) in columns.enumerated() {
      var (blue, green, red): (UInt64, UInt64, UInt64) = (0, 0, 0)
      var at = column.start * 4
      for share in column.weights {
        blue &+= share &* UInt64(line[at])
        green &+= share &* UInt64(line[at + 1])
        red &+= share &* UInt64(line[at + 2])
        at += 4
      }
      sums[3 * x] &+= weight &* blue
      sums[3 * x + 1] &+= weight &* green
      sums[3 * x + 2] &+= weight &* red
    }
  }

  /// For each of fewer output samples, the first of `count` input samples that it covers, and the weights from there on.
  private static func shares(of count: Int, in target: Int) -> [(start: Int, weights: [UInt64])] {
    // In units in which an input sample is `target` long, and an output sample `count`.
    (0..<target).map { index in
      let (from, to) = (index * count, (index + 1) * count)
      let (first, last) = (from / target, (to - 1) / target)
      let weights = (first...last).map { sample in
        UInt64(min(to, (sample + 1) * target) - max(from, sample * target))
      }
      return (first, weights)
    }
  }

  /// Half as wide and high; each pixel is the mean of four.
  public func halved() -> DecodedImage {
    let half = PixelSize(width: max(1, size.width / 2), height: max(1, size.height / 2))
    let rightStep = size.width > 1 ? 4 : 0
    let downStep = size.height > 1 ? stride : 0
    return block.withUnsafeBytes { source in
      let block = FrameBlock(count: half.area * 4) { target in
        for y in 0..<half.height {
          for x in 0..<half.width {
            let from = 2 * y * stride + 8 * x
            let to = (y * half.width + x) * 4
            for channel in 0..<4 {
              let at = from + channel
              let sum =
                Int(source[at]) + Int(source[at + rightStep]) + Int(source[at + downStep])
                + Int(source[at + rightStep + downStep])
              target[to + channel] = UInt8((sum + 2) / 4)
            }
          }
        }
      }
      return DecodedImage(size: half, stride: half.width * 4, block: block)
    }
  }
}
