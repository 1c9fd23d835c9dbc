// Makes decoded pictures smaller, and turns them upright.

import CameraCore

extension DecodedImage {
  /// Whether it has all pixels that are needed.
  func covers(_ needed: PixelSize) -> Bool { size.width >= needed.width && size.height >= needed.height }

  /// Halved for as long as it still has the pixels that are needed.
  func reduced(toNeeded needed: PixelSize) -> DecodedImage {
    var image = self
    while image.size.width / 2 >= needed.width, image.size.height / 2 >= needed.height { image = image.halved() }
    return image
  }

  /// A smaller copy, each pixel the mean of what it covers, parts of pixels counted as parts.
  ///
  /// - Parameter target: At most as wide and as high as the picture.
  func averaged(to target: PixelSize) -> DecodedImage {
    precondition(target.width <= size.width && target.height <= size.height, "Averaging only makes pictures smaller.")
    if target == size { return self }
    let columns = Self.shares(of: size.width, in: target.width)
    let rows = Self.shares(of: size.height, in: target.height)
    let result = FrameBlock(count: target.area * 4) { output in
      block.withUnsafeBytes { input in
        for (y, row) in rows.enumerated() {
          for (x, column) in columns.enumerated() {
            var sum = SIMD4<UInt64>(repeating: 0)
            var total: UInt64 = 0
            for (down, rowWeight) in row.weights.enumerated() {
              for (right, columnWeight) in column.weights.enumerated() {
                let at = (row.start + down) * stride + (column.start + right) * 4
                let weight = rowWeight * columnWeight
                let pixel = SIMD4(UInt64(input[at]), UInt64(input[at + 1]), UInt64(input[at + 2]), 0)
                sum &+= pixel &* SIMD4(repeating: weight)
                total += weight
              }
            }
            let mean = (sum &+ SIMD4(repeating: total / 2)) / SIMD4(repeating: total)
            let at = (y * target.width + x) * 4
            for channel in 0..<4 { output[at + channel] = UInt8(truncatingIfNeeded: mean[channel]) }
          }
        }
      }
    }
    return DecodedImage(size: target, stride: target.width * 4, block: result)
  }

  /// Which of `count` samples each of fewer ones covers, from where on, and how much of each.
  private static func shares(of count: Int, in target: Int) -> [(start: Int, weights: [UInt64])] {
    // In units of which a sample is `target` long, and one of the fewer ones `count`.
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
  func halved() -> DecodedImage {
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
