// The test camera's frames as a sensor with a Bayer pattern has them.

import CameraCore

/// Makes frames of 8 bits in which each pixel has one of three colors. Not for several threads at once.
final class TestBayerMaker {
  private let pattern: BayerLayout.Pattern
  private let size: PixelSize
  private let maker: TestRawMaker

  /// - Parameter size: Both sides even, the width a multiple of 8.
  init(pattern: BayerLayout.Pattern, size: PixelSize) {
    (self.pattern, self.size) = (pattern, size)
    maker = TestRawMaker(layout: .raw("I420", size: size))
  }

  func makeFrame(_ moment: TestMoment) -> FrameBlock {
    let planes = FrameBlock(count: maker.byteCount) { maker.fill($0, moment) }
    let colors = pattern.colors
    let (width, area) = (size.width, size.area)
    return planes.withUnsafeBytes { planes in
      FrameBlock(count: area) { memory in
        for row in 0..<size.height {
          let chroma = row / 2 * (width / 2)
          for column in 0..<width {
            let luma = 1.164 * (Float(planes[row * width + column]) - 16)
            let blue = Float(planes[area + chroma + column / 2]) - 128
            let red = Float(planes[area + area / 4 + chroma + column / 2]) - 128
            // ITU-R BT.601 with limited range, as the planes are drawn.
            let value: Float =
              switch colors[row % 2 * 2 + column % 2] {
              case 0: luma + 1.596 * red
              case 1: luma - 0.813 * red - 0.391 * blue
              default: luma + 2.018 * blue
              }
            memory[row * width + column] = UInt8(min(255, max(0, value.rounded())))
          }
        }
      }
    }
  }
}
