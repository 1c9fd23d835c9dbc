// A procedural picture, and helpers of tests that change pictures.

import CameraCore
import TestSupport

@testable import PhotoEffects

/// A soft, colorful picture with light and dark parts and a round shape in skin's color.
enum ProceduralScene {
  static func color(_ x: Double, _ y: Double) -> SIMD3<Double> {
    let dx = x - 0.45
    let dy = y - 0.5
    let inside = dx * dx + dy * dy < 0.06
    let shade = 1 - 2.2 * (dx * dx + dy * dy)
    return inside
      ? SIMD3(0.88, 0.68, 0.56) * shade
      : SIMD3(0.1 + 0.85 * x, 0.9 - 0.8 * y, 0.25 + 0.7 * x * y)
  }

  static func picture(_ width: Int, _ height: Int) -> PixelBuffer {
    var picture = PixelBuffer(size: PixelSize(width: width, height: height))
    for y in 0..<height {
      for x in 0..<width {
        let color = color((Double(x) + 0.5) / Double(width), (Double(y) + 0.5) / Double(height))
        picture[x, y] = pixel(red: color.x, green: color.y, blue: color.z)
      }
    }
    return picture
  }

  /// Every pixel of its own.
  static func noise(_ width: Int, _ height: Int, seed: UInt64 = 1) -> PixelBuffer {
    var numbers = SeededNumbers(state: seed)
    var picture = PixelBuffer(size: PixelSize(width: width, height: height))
    for y in 0..<height { for x in 0..<width { picture[x, y] = UInt32(truncatingIfNeeded: numbers.next()) } }
    return picture
  }

  static func pixel(red: Double, green: Double, blue: Double) -> UInt32 {
    func byte(_ value: Double) -> UInt32 { UInt32((min(max(value, 0), 1) * 255).rounded()) }
    return 0xff00_0000 | byte(red) << 16 | byte(green) << 8 | byte(blue)
  }

  /// Red, green and blue, 0 to 1.
  static func values(_ pixel: UInt32) -> [Double] { [16, 8, 0].map { Double(pixel >> $0 & 255) / 255 } }

  /// The largest difference of a channel, in steps of 8 bits.
  static func distance(_ one: UInt32, _ other: UInt32) -> Int {
    [0, 8, 16].map { abs(Int(one >> $0 & 255) - Int(other >> $0 & 255)) }.max() ?? 0
  }

  static func distance(_ one: PixelBuffer, _ other: PixelBuffer) -> Int {
    zip(one.pixels, other.pixels).map { distance($0, $1) }.max() ?? 0
  }
}

extension PixelBuffer {
  func applying(_ effect: some PixelEffect, intensity: Double = 1, threads: Int = 1) -> PixelBuffer {
    applying { view, context, scratch in
      effect.apply(to: view, intensity: intensity, context: context, scratch: scratch)
    } threads: {
      threads
    }
  }

  func applying(_ adjustments: Adjustments, threads: Int = 1) -> PixelBuffer {
    applying { view, context, scratch in
      let renderer = AdjustmentRenderer(adjustments, isLast: true)
      renderer.apply(to: view, context: context, scratch: scratch)
      renderer.applyVignette(to: view, scratch: scratch)
    } threads: {
      threads
    }
  }

  private func applying(
    _ change: (PixelView, FrameContext, EffectScratch) -> Void, threads: () -> Int
  ) -> PixelBuffer {
    var copy = self
    let context = FrameContext(kind: .still, time: 0, fullSize: size)
    let scratch = EffectScratch(threadCount: threads())
    copy.withView { change($0, context, scratch) }
    return copy
  }

  /// The same pixels in rows with a gap behind each, changed, and read back; fails when a gap was written to.
  func inWideRows(_ change: (PixelView) throws -> Void) rethrows -> PixelBuffer? {
    let stride = size.width + 5
    var memory = [UInt32](repeating: 0x1234_5678, count: stride * size.height)
    for y in 0..<size.height { for x in 0..<size.width { memory[y * stride + x] = self[x, y] } }
    let result = try memory.withUnsafeMutableBufferPointer { memory -> PixelBuffer in
      let view = PixelView(pixels: memory.baseAddress!, width: size.width, height: size.height, stride: stride)
      try change(view)
      return PixelBuffer(copying: view)
    }
    for y in 0..<size.height {
      for x in size.width..<stride where memory[y * stride + x] != 0x1234_5678 { return nil }
    }
    return result
  }
}
