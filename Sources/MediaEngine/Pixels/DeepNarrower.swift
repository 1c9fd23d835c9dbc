// Rounding of 10 bits a sample to 8, and the way back.

import CGStreamer
import CameraCore
import Foundation

/// Rounds frames of 10 bits to 8 bits in the same color space, one after another. Not for several threads at once.
///
/// In limited range a step of 8 bits is four steps of 10: 64 to 940 become 16 to 235. In full range 0 to 1023 become 0 to
/// 255, and neutral chroma stays neutral, 512 to 128 (ITU-T H.273, 8.3). Samples are rounded to the nearest step.
///
/// The brightness of PQ is absolute and far beyond a screen's without a high dynamic range, so it is mapped: see
/// `ToneCurve`. HLG is made to be seen on such a screen as it is (ITU-R BT.2390-10, 6). Primaries are left as they are:
/// the colors of BT.2020 look a little paler.
final class DeepNarrower {
  /// The kind of the result: `I420` or `Y42B`, of the same size and color space.
  let kind: RawConverter.Kind
  private let luma: [UInt8]
  private let chroma: [UInt8]
  /// Of the chroma by the luma beside it, in 65536ths of an 8-bit step for one of 10 bits; `nil` without a tone curve.
  private let gains: [Int32]?

  /// - Parameter mapsTones: Whether PQ becomes what a usual screen shows; `false` keeps the values' meaning.
  /// - Returns: `nil` for pictures of another depth.
  init?(_ source: RawConverter.Kind, mapsTones: Bool = true) {
    guard let deep = DeepLayout(rawValue: source.layout), let info = GstVideoInfo(source) else { return nil }
    kind = RawConverter.Kind(
      layout: deep.hasHalfHeight ? "I420" : "Y42B", size: source.size, colorimetry: source.colorimetry)
    let isFull = info.colorimetry.range == GST_VIDEO_COLOR_RANGE_0_255
    let (black, scale, colorScale) = isFull ? (0.0, 1023.0, 1023.0) : (64.0, 876.0, 896.0)
    let (black8, scale8, colorScale8) = isFull ? (0.0, 255.0, 255.0) : (16.0, 219.0, 224.0)
    let curve = mapsTones && info.colorimetry.transfer == GST_VIDEO_TRANSFER_SMPTE2084 ? ToneCurve() : nil
    func byte(_ value: Double) -> UInt8 { UInt8(min(max((value + 0.5).rounded(.down), 0), 255)) }
    luma = (0..<1024).map { value in
      let light = Double(value) - black
      // Multiplied first: halves are exact then.
      let mapped = curve.map { $0.level(of: light / scale) * scale8 }
      return byte(black8 + (mapped ?? light * scale8 / scale))
    }
    chroma = (0..<1024).map { byte(128 + (Double($0) - 512) * colorScale8 / colorScale) }
    gains = curve.map { curve in
      (0..<1024).map { value in
        let gain = curve.chromaGain(at: (Double(value) - black) / scale) * colorScale8 / colorScale
        return Int32((gain * 65536).rounded())
      }
    }
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
        if let gains {
          Self.scale(blue, by: gains, at: samples, blues, count: half)
          Self.scale(red, by: gains, at: samples, reds, count: half)
        } else {
          Self.apply(chroma, to: blue, blues, count: half)
          Self.apply(chroma, to: red, reds, count: half)
        }
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

  /// - Parameter luma: A row, of which every second sample is beside one of chroma.
  private static func scale(
    _ samples: UnsafePointer<UInt16>, by gains: [Int32], at luma: UnsafePointer<UInt16>,
    _ target: UnsafeMutablePointer<UInt8>, count: Int
  ) {
    gains.withUnsafeBufferPointer { gains in
      for x in 0..<count {
        let value = (Int32(samples[x]) &- 512) &* gains[Int(luma[2 &* x] & 1023)]
        target[x] = UInt8(truncatingIfNeeded: min(max(128 &+ ((value &+ 32768) &>> 16), 0), 255))
      }
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

/// Maps the brightness of PQ to a screen without a high dynamic range.
///
/// The light of a level is PQ's (SMPTE ST 2084, BT.2100 table 4), in units of reference white, 203 cd/m² (ITU-R BT.2408-7,
/// 2.2). Reinhard's curve (“Photographic Tone Reproduction for Digital Images”, 2002, formula 4) keeps shadows, brings 1000
/// cd/m² to white, and bends what is between. The screen's gamma is 2.4 (ITU-R BT.1886). It is applied to luma, and chroma
/// gets the same factor, which keeps hues about as they are.
struct ToneCurve {
  /// In cd/m².
  static let (referenceWhite, brightest) = (203.0, 1000.0)

  /// The light of a PQ level from 0 to 1, in cd/m².
  static func light(of level: Double) -> Double {
    let (m1, m2) = (2610.0 / 16384, 2523.0 / 4096 * 128)
    let (c1, c2, c3) = (3424.0 / 4096, 2413.0 / 4096 * 32, 2392.0 / 4096 * 32)
    let power = pow(min(max(level, 0), 1), 1 / m2)
    return 10_000 * pow(max(power - c1, 0) / (c2 - c3 * power), 1 / m1)
  }

  /// The level on the screen, 0 to 1, of a PQ level.
  func level(of level: Double) -> Double {
    let light = min(Self.light(of: level), Self.brightest) / Self.referenceWhite
    let white = Self.brightest / Self.referenceWhite
    return pow(light * (1 + light / (white * white)) / (1 + light), 1 / 2.4)
  }

  /// The factor of chroma beside a luma of a PQ level.
  func chromaGain(at level: Double) -> Double {
    let safe = min(max(level, 0.05), 1)
    return self.level(of: safe) / safe
  }
}
