// Rounding of 10 bits a sample to 8, and the way back.

import CGStreamer
import CameraCore
import Foundation

/// Rounds frames of 10 bits to 8 bits in the same color space, one after another. Not for several threads at once.
///
/// In limited range a step of 8 bits is four steps of 10: 64 to 940 become 16 to 235. In full range 0 to 1023 become 0 to
/// 255, and neutral chroma stays neutral, 512 to 128 (ITU-T H.273, 8.3). Samples are rounded to the nearest step.
///
/// What the values mean stays what it is; see `ScreenColors` for frames of HDR and of wide colors on a screen.
final class DeepNarrower {
  /// The kind of the result: `I420` or `Y42B`, of the same size and color space.
  let kind: RawConverter.Kind
  private let luma: [UInt8]
  private let chroma: [UInt8]

  /// - Returns: `nil` for pictures of another depth.
  init?(_ source: RawConverter.Kind) {
    guard let deep = DeepLayout(rawValue: source.layout), let info = GstVideoInfo(source) else { return nil }
    kind = RawConverter.Kind(
      layout: deep.hasHalfHeight ? "I420" : "Y42B", size: source.size, colorimetry: source.colorimetry)
    let isFull = info.colorimetry.range == GST_VIDEO_COLOR_RANGE_0_255
    let (black, scale, colorScale) = isFull ? (0.0, 1023.0, 1023.0) : (64.0, 876.0, 896.0)
    let (black8, scale8, colorScale8) = isFull ? (0.0, 255.0, 255.0) : (16.0, 219.0, 224.0)
    func byte(_ value: Double) -> UInt8 { UInt8(min(max((value + 0.5).rounded(.down), 0), 255)) }
    // Multiplied first: halves are exact then.
    luma = (0..<1024).map { byte(black8 + (Double($0) - black) * scale8 / scale) }
    chroma = (0..<1024).map { byte(128 + (Double($0) - 512) * colorScale8 / colorScale) }
  }

  /// Rounds a frame.
  ///
  /// - Parameters:
  ///   - layout: Of the source's kind.
  ///   - target: Of `kind`.
  func convert(
    _ pixels: UnsafeRawBufferPointer, _ layout: RawLayout, into memory: UnsafeMutableRawBufferPointer,
    as target: RawLayout
  ) {
    guard let rows = DeepRows(pixels, layout), let base = memory.assumingMemoryBound(to: UInt8.self).baseAddress else {
      return
    }
    let (width, height) = (target.size.width, target.size.height)
    let (half, share) = (width / 2, kind.layout == "I420" ? 2 : 1)
    withUnsafeTemporaryAllocation(of: UInt16.self, capacity: 2 * width) { room in
      guard let samples = room.baseAddress else { return }
      let (blue, red) = (samples + width, samples + width + half)
      for row in 0..<height {
        rows.readLuma(row, into: samples)
        Self.apply(luma, to: samples, base + target.offsets[0] + row * target.strides[0], count: width)
        guard row % share == 0, row / share < height / share else { continue }
        rows.readChroma(row / share, blue: blue, red: red)
        let blues = base + target.offsets[1] + row / share * target.strides[1]
        let reds = base + target.offsets[2] + row / share * target.strides[2]
        Self.apply(chroma, to: blue, blues, count: half)
        Self.apply(chroma, to: red, reds, count: half)
      }
    }
  }

  private static func apply(
    _ table: [UInt8], to samples: UnsafePointer<UInt16>, _ target: UnsafeMutablePointer<UInt8>, count: Int
  ) {
    table.withUnsafeBufferPointer { table in
      for x in 0..<count { target[x] = table[Int(samples[x] & 1023)] }
    }
  }

  /// Widens a picture of 8 bits to 10 in the same color space.
  ///
  /// - Parameters:
  ///   - layout: `I420`.
  ///   - target: `I420_10LE` of the same size, which is even.
  ///   - isFull: Whether luma reaches from 0 to 255.
  static func widen(
    _ pixels: UnsafeRawBufferPointer, _ layout: RawLayout, into memory: UnsafeMutableRawBufferPointer,
    as target: RawLayout, isFull: Bool
  ) {
    guard let source = pixels.assumingMemoryBound(to: UInt8.self).baseAddress, let result = memory.baseAddress else {
      return
    }
    for plane in 0..<3 {
      let share = plane == 0 ? 1 : 2
      let middle = plane == 0 ? 0.0 : 1.0
      let table = (0..<256).map { value -> UInt16 in
        let wide = isFull ? (Double(value) - 128 * middle) * 1023 / 255 + 512 * middle : Double(value) * 4
        return UInt16(min(max(wide.rounded(), 0), 1023))
      }
      for row in 0..<target.size.height / share {
        let from = source + layout.offsets[plane] + row * layout.strides[plane]
        let to = (result + target.offsets[plane] + row * target.strides[plane]).assumingMemoryBound(to: UInt16.self)
        for x in 0..<target.size.width / share { to[x] = table[Int(from[x])] }
      }
    }
  }
}
