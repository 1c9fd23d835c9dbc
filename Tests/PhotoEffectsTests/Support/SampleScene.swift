// A procedural picture with the challenges of effects: a face, hair, stripes, ramps, flat areas.

import CameraCore
import Foundation
import PhotoEffects

enum SampleScene {
  /// The scene, softened as by a lens: each pixel is the mean of four samples.
  static func picture(width: Int, height: Int) -> PixelBuffer {
    var picture = PixelBuffer(size: PixelSize(width: width, height: height))
    let (w, h) = (Double(width), Double(height))
    for y in 0..<height {
      for x in 0..<width {
        var sum = (0.0, 0.0, 0.0)
        for (dx, dy) in [(0.25, 0.25), (0.75, 0.25), (0.25, 0.75), (0.75, 0.75)] {
          let color = color(at: ((Double(x) + dx) / w - 0.5) * w / h, (Double(y) + dy) / h - 0.5)
          sum = (sum.0 + color.0 / 4, sum.1 + color.1 / 4, sum.2 + color.2 / 4)
        }
        picture[x, y] =
          0xff00_0000 | UInt32(sum.0 * 255 + 0.5) << 16 | UInt32(sum.1 * 255 + 0.5) << 8 | UInt32(sum.2 * 255 + 0.5)
      }
    }
    return picture
  }

  /// At 480×270, made once.
  static let small = picture(width: 480, height: 270)
  /// At 240×135, made once.
  static let smaller = picture(width: 240, height: 135)
  /// At 960×540, made once.
  static let large = picture(width: 960, height: 540)
  /// At 64×36, made once.
  static let tiny = picture(width: 64, height: 36)

  /// Red, green and blue, 0 to 1, at a place: the height of the picture is 1, its middle is (0, 0).
  private static func color(at x: Double, _ y: Double) -> (Double, Double, Double) {
    let hair = x * x / 0.052 + (y + 0.08) * (y + 0.08) / 0.1
    let face = x * x / 0.034 + y * y / 0.075
    let eye = min((x - 0.08) * (x - 0.08), (x + 0.08) * (x + 0.08)) / 0.0009 + (y + 0.06) * (y + 0.06) / 0.0004
    let bow = y - 0.13 + x * x * 1.5
    if face < 1 {
      if eye < 1 { return (0.12, 0.08, 0.07) }
      if abs(x) < 0.09, abs(bow) < 0.012 { return (0.55, 0.16, 0.17) }
      // A cheek in the light, one in the shadow.
      let light = 0.86 - 0.5 * max(0, x) - 0.12 * y
      return (light, light * 0.78, light * 0.66)
    }
    if hair < 1 {
      let strand = (x * 60 + y * 9).truncatingRemainder(dividingBy: 1)
      return abs(strand) < 0.4 ? (0.3, 0.2, 0.1) : (0.22, 0.14, 0.07)
    }
    if y > 0.33 { return (0.9, 0.42 + 0.2 * y, 0.12) }
    if x > 0.5 {
      // A ramp of grays and saturated stripes.
      return y < -0.2 ? (x - 0.4, x - 0.4, x - 0.4) : Int((x + 1) * 25) % 2 == 0 ? (0.1, 0.2, 0.7) : (0.95, 0.95, 0.9)
    }
    if x < -0.5, y > 0 { return (0.08, 0.09, 0.1) }
    return (0.72 + 0.15 * y, 0.75, 0.8 - 0.2 * y)
  }
}

extension PixelBuffer {
  /// The parts of a color, blue first.
  static func parts(_ pixel: UInt32) -> [Int] { [Int(pixel & 0xff), Int(pixel >> 8 & 0xff), Int(pixel >> 16 & 0xff)] }

  /// The mean of what the parts of two pictures' colors differ by.
  func meanDifference(to other: PixelBuffer) -> Double {
    let histogram = differences(to: other)
    let sum = histogram.indices.reduce(0) { $0 + $1 * histogram[$1] }
    return Double(sum) / Double(3 * pixels.count)
  }

  /// The peak signal-to-noise ratio of two pictures in decibels.
  func signalToNoise(_ other: PixelBuffer) -> Double {
    let histogram = differences(to: other)
    let sum = histogram.indices.reduce(0) { $0 + $1 * $1 * histogram[$1] }
    return 10 * log10(255 * 255 * 3 * Double(pixels.count) / max(1, Double(sum)))
  }

  /// The number of channels that differ by 0, 1, … 255.
  private func differences(to other: PixelBuffer) -> [Int] {
    var histogram = [Int](repeating: 0, count: 256)
    pixels.withUnsafeBufferPointer { mine in
      other.pixels.withUnsafeBufferPointer { others in
        var index = 0
        while index < mine.count {
          let (a, b) = (Int(mine[index]), Int(others[index]))
          histogram[abs(a & 0xff - b & 0xff)] += 1
          histogram[abs(a >> 8 & 0xff - b >> 8 & 0xff)] += 1
          histogram[abs(a >> 16 & 0xff - b >> 16 & 0xff)] += 1
          index += 1
        }
      }
    }
    return histogram
  }

  /// The means over squares of 2×2 pixels.
  var halved: PixelBuffer {
    var half = PixelBuffer(size: PixelSize(width: size.width / 2, height: size.height / 2))
    for y in 0..<half.size.height {
      for x in 0..<half.size.width {
        let four = [self[2 * x, 2 * y], self[2 * x + 1, 2 * y], self[2 * x, 2 * y + 1], self[2 * x + 1, 2 * y + 1]]
        var pixel: UInt32 = 0
        for shift in [UInt32(0), 8, 16, 24] {
          var sum: UInt32 = 2
          for part in four { sum += part >> shift & 0xff }
          pixel |= (sum / 4) << shift
        }
        half[x, y] = pixel
      }
    }
    return half
  }

  /// The picture after an effect.
  func with(
    _ effect: some PixelEffect, intensity: Double = 1, fullSize: PixelSize? = nil,
    scratch: EffectScratch = EffectScratch()
  ) -> PixelBuffer {
    var copy = self
    let context = FrameContext(kind: .still, time: 0, fullSize: fullSize ?? size)
    copy.withView { effect.apply(to: $0, intensity: intensity, context: context, scratch: scratch) }
    return copy
  }
}
