// Sharpness: by the formula, and which of two pictures is the sharper one.

import CameraCore
import PhotoEffects
import Testing

@Suite struct SharpnessTests {
  private func value(_ samples: [UInt8], width: Int, stride: Int? = nil) -> Double {
    let stride = stride ?? width
    return samples.withUnsafeBytes {
      Sharpness.tenengrad(of: BytePlane($0, width: width, height: $0.count / stride, stride: stride))
    }
  }

  @Test func itIsTheMeanSquaredGradient() {
    // A step of 10 between the second and the third column: a gradient of 4 · 10 in the two samples beside it.
    let step: [UInt8] = [0, 0, 10, 10, 0, 0, 10, 10, 0, 0, 10, 10]
    #expect(value(step, width: 4) == 1600)
    // The same turned: two rows of one inner sample.
    #expect(value([0, 0, 0, 0, 0, 0, 10, 10, 10, 10, 10, 10], width: 3) == 1600)
    #expect(value([UInt8](repeating: 77, count: 64), width: 8) == 0)
    #expect(value([0, 255, 0, 255], width: 2) == 0, "too small")
    // What is behind the rows isn't a part of them.
    #expect(value([0, 0, 10, 10, 99, 0, 0, 10, 10, 99, 0, 0, 10, 10, 99], width: 4, stride: 5) == 1600)
  }

  @Test func aBlurredPictureIsLessSharp() {
    let (width, height) = (64, 48)
    var sharp = [UInt8](repeating: 0, count: width * height)
    for y in 0..<height { for x in 0..<width { sharp[y * width + x] = (x / 4 + y / 4).isMultiple(of: 2) ? 40 : 210 } }
    var values: [Double] = []
    for radius in [0, 1, 2, 4] {
      var moved = sharp
      for y in 0..<height {
        for x in 0..<width {
          let columns = max(0, x - radius)...min(width - 1, x + radius)
          moved[y * width + x] = UInt8(columns.reduce(0) { $0 + Int(sharp[y * width + $1]) } / columns.count)
        }
      }
      values.append(value(moved, width: width))
    }
    #expect(values == values.sorted(by: >) && Set(values).count == 4, "\(values)")
  }

  @Test func aPartCountsAlone() {
    // A step of 10 in the four columns from the third one on; white around it.
    let gray: [UInt32] = [255, 255, 0, 0, 10, 10]
    let pixels = (0..<5).flatMap { y in
      gray.map { y == 0 || y == 4 ? 0xFF_FFFF : $0 * 0x1_0101 }
    }
    let image = DecodedImage(
      size: PixelSize(width: 6, height: 5), stride: 24, block: pixels.withUnsafeBytes { FrameBlock(copying: $0) })
    #expect(Sharpness.tenengrad(of: image, columns: 2..<6, rows: 1..<4) == 1600)
    #expect(Sharpness.tenengrad(of: image, columns: 2..<99, rows: 1..<4) == 1600, "what is outside is left out")
    #expect(Sharpness.tenengrad(of: image, columns: 0..<6, rows: 0..<5) == Sharpness.tenengrad(of: image))
    #expect(Sharpness.tenengrad(of: image, columns: 6..<9, rows: 0..<5) == 0)
    #expect(Sharpness.tenengrad(of: image, columns: 4..<4, rows: 0..<5) == 0)
  }

  @Test func colorsCountByTheirLuma() {
    var pixels: [UInt32] = [0, 0, 0xff00, 0xff00, 0, 0, 0xff00, 0xff00, 0, 0, 0xff00, 0xff00]
    let green = pixels.withUnsafeMutableBytes {
      Sharpness.tenengrad(of: PixelView(writing: $0, size: PixelSize(width: 4, height: 3), stride: 16))
    }
    // 150/256 of 255.
    #expect(green == Double(4 * 149 * 4 * 149))
  }
}
