// Frames of movies in HDR and in wide colors, as a screen of sRGB shows them.

import CGStreamer
import CameraCore
import Foundation
import PhotoEffects
import StillCodecs
import Synchronization

/// Converts frames of 10 bits to the pixels of the screen, BGRX in sRGB, at the size at which they are shown.
///
/// By the definitions that stills have: the light of a value (PQ and HLG of ITU-R BT.2100) is toned down by
/// `HDRToneCurve`, brought from the frame's primaries to those of the screen, and what the screen can't show is clipped.
/// The values of movies without HDR are taken for those of sRGB's curve, as everywhere.
///
/// Frames are scaled first, so the tables are looked up only for pixels that are shown. Any number of threads.
final class ScreenColors: Sendable {
  /// What the tables depend on.
  struct Key: Hashable {
    /// Numbers of ITU-T H.273.
    var (primaries, transfer): (UInt32, UInt32)
    /// The weights of red and blue in luma.
    var (red, blue): (Double, Double)
    var isFullRange: Bool
  }

  /// The values of red, green and blue in front of the light table, and behind the matrix.
  private static let (valueBits, lightBits, levelBits): (Int, Int, Int) = (12, 14, 13)

  /// Light by value.
  private let light: [UInt16]
  /// The screen's values by light.
  private let levels: [UInt8]
  /// From light to the screen's, in 16384ths.
  private let matrix: [Int32]
  /// From samples of 10 bits with four more to values of 12 bits, in 65536ths.
  private let (luma, redOfRed, greenOfBlue, greenOfRed, blueOfBlue): (Int32, Int32, Int32, Int32, Int32)
  private let black: Int32

  private static let known = Mutex<[Key: ScreenColors]>([:])

  /// The conversion for frames of a kind.
  ///
  /// - Returns: `nil` for frames of another depth, and for those whose colors are the screen's already.
  static func conversion(of kind: RawConverter.Kind) -> ScreenColors? {
    guard DeepLayout(rawValue: kind.layout) != nil, let info = GstVideoInfo(kind), let key = Key(info.colorimetry)
    else {
      return nil
    }
    return known.withLock { known in
      if let made = known[key] { return made }
      let made = ScreenColors(key)
      known[key] = made
      return made
    }
  }

  private init?(_ key: Key) {
    guard let matrix = ColorPrimaries.toScreen(from: key.primaries) else { return nil }
    let curve: (Double) -> Double =
      switch key.transfer {
      case 16: HDRToneCurve.perceptualQuantizer
      case 18: HDRToneCurve.hybridLogGamma
      default: { $0 <= 0.04045 ? $0 / 12.92 : pow(($0 + 0.055) / 1.055, 2.4) }
      }
    let (values, lights, levels) = (1 << Self.valueBits, 1 << Self.lightBits, 1 << Self.levelBits)
    light = (0..<values).map { UInt16((curve(Double($0) / Double(values - 1)) * Double(lights - 1)).rounded()) }
    self.levels = (0..<levels).map { step in
      let light = Double(step) / Double(levels - 1)
      let value = light <= 0.003_130_8 ? 12.92 * light : 1.055 * pow(light, 1 / 2.4) - 0.055
      return UInt8((value * 255).rounded())
    }
    self.matrix = matrix.joined().map { Int32(($0 * 16384).rounded()) }
    let green = 1 - key.red - key.blue
    let (zero, scale, colorScale) = key.isFullRange ? (0.0, 1023.0, 1023.0) : (64.0, 876.0, 896.0)
    // Samples have four bits more, for scaling.
    func factor(_ share: Double, _ scale: Double) -> Int32 {
      Int32((share * Double(values - 1) / (scale * 16) * 65536).rounded())
    }
    black = Int32(zero * 16)
    luma = factor(1, scale)
    redOfRed = factor(2 * (1 - key.red), colorScale)
    blueOfBlue = factor(2 * (1 - key.blue), colorScale)
    greenOfBlue = factor(-2 * (1 - key.blue) * key.blue / green, colorScale)
    greenOfRed = factor(-2 * (1 - key.red) * key.red / green, colorScale)
  }

  /// Converts a frame.
  ///
  /// - Parameters:
  ///   - layout: Of the kind, with 10 bits a sample.
  ///   - size: Of the result, no larger than the frame.
  ///   - output: Room for rows of `size.width` pixels without gaps.
  ///   - threads: The number of threads that share the work.
  func convert(
    _ pixels: UnsafeRawBufferPointer, _ layout: RawLayout, to size: PixelSize,
    into output: UnsafeMutableRawBufferPointer, threads: Int
  ) {
    guard let rows = DeepRows(pixels, layout), let base = output.assumingMemoryBound(to: UInt32.self).baseAddress,
      size.area * 4 <= output.count
    else { return }
    let plan = ScaledRows.Plan(layout, size)
    // The bands write to different rows.
    nonisolated(unsafe) let target = base
    RowBands.run(rows: size.height, width: size.width, threads: threads) { band in
      var scaled = ScaledRows(rows, plan)
      for row in band {
        scaled.read(row)
        fill(target + row * size.width, scaled)
      }
    }
  }

  private func fill(_ pixels: UnsafeMutablePointer<UInt32>, _ row: borrowing ScaledRows) {
    let (lumas, blues, reds) = (row.luma, row.blue, row.red)
    let (m0, m1, m2) = (matrix[0], matrix[1], matrix[2])
    let (m3, m4, m5) = (matrix[3], matrix[4], matrix[5])
    let (m6, m7, m8) = (matrix[6], matrix[7], matrix[8])
    let largest = Int32(1 << Self.valueBits) - 1
    let (shift, brightest) = (Int32(14 + Self.lightBits - Self.levelBits), Int32(1 << Self.levelBits) - 1)
    light.withUnsafeBufferPointer { light in
      levels.withUnsafeBufferPointer { levels in
        @inline(__always)
        func lit(_ value: Int32) -> Int32 {
          Int32(truncatingIfNeeded: light[Int(min(max(value &>> 16, 0), largest))])
        }
        @inline(__always)
        func level(_ light: Int32) -> UInt32 {
          UInt32(truncatingIfNeeded: levels[Int(min(max(light &>> shift, 0), brightest))])
        }
        for x in 0..<row.width {
          // Half a step is added to round.
          let gray = (lumas[x] &- black) &* luma &+ 32768
          let (cb, cr) = (blues[x] &- 8192, reds[x] &- 8192)
          let red = lit(gray &+ cr &* redOfRed)
          let green = lit(gray &+ cb &* greenOfBlue &+ cr &* greenOfRed)
          let blue = lit(gray &+ cb &* blueOfBlue)
          let half: Int32 = 1 &<< (shift &- 1)
          let r = level(m0 &* red &+ m1 &* green &+ m2 &* blue &+ half)
          let g = level(m3 &* red &+ m4 &* green &+ m5 &* blue &+ half)
          let b = level(m6 &* red &+ m7 &* green &+ m8 &* blue &+ half)
          pixels[x] = 0xFF00_0000 | r &<< 16 | g &<< 8 | b
        }
      }
    }
  }
}

extension ScreenColors.Key {
  /// - Returns: `nil` for the colors of the screen, and for unknown ones.
  init?(_ colorimetry: GstVideoColorimetry) {
    let isHDR =
      colorimetry.transfer == GST_VIDEO_TRANSFER_SMPTE2084 || colorimetry.transfer == GST_VIDEO_TRANSFER_ARIB_STD_B67
    let primaries: UInt32
    switch colorimetry.primaries {
    case GST_VIDEO_COLOR_PRIMARIES_BT2020: primaries = 9
    case GST_VIDEO_COLOR_PRIMARIES_SMPTEEG432: primaries = 12
    // HDR is BT.2020's unless it says another.
    case GST_VIDEO_COLOR_PRIMARIES_UNKNOWN where isHDR: primaries = 9
    case _ where isHDR: primaries = 1
    default: return nil
    }
    self.primaries = primaries
    transfer = isHDR ? (colorimetry.transfer == GST_VIDEO_TRANSFER_SMPTE2084 ? 16 : 18) : 13
    var (red, blue) = (0.0, 0.0)
    if gst_video_color_matrix_get_Kr_Kb(colorimetry.matrix, &red, &blue) == 0 || red <= 0 || blue <= 0 {
      (red, blue) = primaries == 9 ? (0.2627, 0.0593) : (0.2126, 0.0722)
    }
    (self.red, self.blue) = (red, blue)
    isFullRange = colorimetry.range == GST_VIDEO_COLOR_RANGE_0_255
  }
}

/// One row after another of a frame of 10 bits, scaled down: luma and chroma of each pixel, with four more bits. Used by one
/// thread.
///
/// Pixels are the means of squares of a whole number of samples; what is between that and the wanted size is interpolated
/// linearly. Where nothing is scaled, pixels have the chroma of their sample.
struct ScaledRows: ~Copyable {
  /// What all rows have in common.
  struct Plan {
    let (source, size): (PixelSize, PixelSize)
    let (columns, rows, chromaColumns, chromaRows): (Steps, Steps, Steps, Steps)

    /// - Parameter size: No larger than the frame.
    init(_ layout: RawLayout, _ size: PixelSize) {
      (source, self.size) = (layout.size, size)
      let isScaled = size != layout.size
      let (wide, high) = (layout.size.width / size.width, layout.size.height / size.height)
      columns = Steps(of: layout.size.width, square: wide, to: size.width)
      rows = Steps(of: layout.size.height, square: high, to: size.height)
      let halvesRows = layout.deep?.hasHalfHeight ?? true
      chromaColumns = Steps(of: layout.size.width / 2, square: wide / 2, to: size.width, interpolates: isScaled)
      chromaRows = Steps(
        of: halvesRows ? layout.size.height / 2 : layout.size.height, square: halvesRows ? high / 2 : high,
        to: size.height, interpolates: isScaled)
    }
  }

  /// The places of pixels in one direction: between two neighboring squares, with the weight of the second in 256ths.
  struct Steps {
    let first: [Int32]
    let weight: [Int32]
    /// Samples, those of a square, and squares.
    let (length, square, count): (Int, Int, Int)

    init(of length: Int, square: Int, to wanted: Int, interpolates: Bool = true) {
      (self.length, self.square) = (max(1, length), max(1, square))
      count = max(1, self.length / self.square)
      let (samples, side, last) = (self.length, self.square, count - 1)
      let places = (0..<wanted).map { place -> Int in
        guard interpolates else { return min(place / max(1, wanted / samples), last) * 256 }
        let middle = (2 * place + 1) * samples * 128 / (wanted * side) - 128
        return min(max(middle, 0), last * 256)
      }
      first = places.map { Int32(min($0 / 256, max(0, last - 1))) }
      weight = zip(places, first).map { Int32($0) - $1 * 256 }
    }
  }

  let width: Int
  let luma, blue, red: UnsafeMutablePointer<Int32>
  private let rows: DeepRows
  private let plan: Plan
  private let memory: UnsafeMutablePointer<Int32>
  /// Two rows.
  private let (samples, otherSamples): (UnsafeMutablePointer<UInt16>, UnsafeMutablePointer<UInt16>)
  /// A row of luma, of each chroma, and the sums that they are made of.
  private let (lumaRow, blueRow, redRow, sum, otherSum):
    (
      UnsafeMutablePointer<Int32>, UnsafeMutablePointer<Int32>, UnsafeMutablePointer<Int32>,
      UnsafeMutablePointer<Int32>,
      UnsafeMutablePointer<Int32>
    )
  private var chromaRow = (first: Int32(-1), weight: Int32(-1))

  init(_ rows: DeepRows, _ plan: Plan) {
    (self.rows, self.plan) = (rows, plan)
    width = plan.size.width
    // One more than there is, for the second neighbor of a single column.
    let room = plan.source.width + 2
    memory = .allocate(capacity: 3 * width + 5 * room)
    memory.initialize(repeating: 0, count: 3 * width + 5 * room)
    samples = .allocate(capacity: 2 * room)
    samples.initialize(repeating: 0, count: 2 * room)
    otherSamples = samples + room
    (luma, blue, red) = (memory, memory + width, memory + 2 * width)
    let rest = memory + 3 * width
    (lumaRow, blueRow, redRow, sum, otherSum) = (rest, rest + room, rest + 2 * room, rest + 3 * room, rest + 4 * room)
  }

  deinit {
    memory.deallocate()
    samples.deallocate()
  }

  /// Reads the row of the result into `luma`, `blue` and `red`.
  mutating func read(_ row: Int) {
    let (first, weight) = (Int(plan.rows.first[row]), plan.rows.weight[row])
    let count = plan.columns.count
    if plan.columns.square == 1, plan.rows.square == 1 {
      rows.readLuma(first, into: samples)
      if weight > 0 { rows.readLuma(first + 1, into: otherSamples) }
      Self.blend(samples, weight > 0 ? otherSamples : samples, weight, to: lumaRow, count: count)
    } else {
      for x in 0..<count { lumaRow[x] = 0 }
      for (place, share) in [(first, 256 - weight), (first + 1, weight)] where share > 0 {
        readLuma(place)
        for x in 0..<count { lumaRow[x] = lumaRow[x] &+ sum[x] &* share }
      }
    }
    Self.spread(lumaRow, plan.columns, to: luma, count: width)
    let chroma = (first: plan.chromaRows.first[row], weight: plan.chromaRows.weight[row])
    // The row below often has the same.
    guard chroma != chromaRow else { return }
    chromaRow = chroma
    readChromaRow(Int(chroma.first), chroma.weight)
    Self.spread(blueRow, plan.chromaColumns, to: blue, count: width)
    Self.spread(redRow, plan.chromaColumns, to: red, count: width)
  }

  /// Reads the chroma between a row and the one below into `blueRow` and `redRow`.
  private func readChromaRow(_ first: Int, _ weight: Int32) {
    let (count, length) = (plan.chromaColumns.count, plan.chromaColumns.length)
    if plan.chromaColumns.square == 1, plan.chromaRows.square == 1 {
      rows.readChroma(first, blue: samples, red: samples + length)
      if weight > 0 { rows.readChroma(first + 1, blue: otherSamples, red: otherSamples + length) }
      let second = weight > 0 ? otherSamples : samples
      Self.blend(samples, second, weight, to: blueRow, count: count)
      Self.blend(samples + length, second + length, weight, to: redRow, count: count)
      return
    }
    for x in 0..<count { (blueRow[x], redRow[x]) = (0, 0) }
    for (place, share) in [(first, 256 - weight), (first + 1, weight)] where share > 0 {
      readChroma(place)
      for x in 0..<count {
        blueRow[x] = blueRow[x] &+ sum[x] &* share
        redRow[x] = redRow[x] &+ otherSum[x] &* share
      }
    }
  }

  /// Samples between those of two rows, with four more bits and 256 times as large.
  private static func blend(
    _ first: UnsafePointer<UInt16>, _ second: UnsafePointer<UInt16>, _ weight: Int32,
    to target: UnsafeMutablePointer<Int32>, count: Int
  ) {
    let rest = 256 &- weight
    for x in 0..<count { target[x] = (Int32(first[x]) &* rest &+ Int32(second[x]) &* weight) &<< 4 }
  }

  /// Reads a row of squares into `sum`: their means, with four more bits.
  private func readLuma(_ place: Int) {
    let (wide, high, count) = (plan.columns.square, plan.rows.square, plan.columns.count)
    for x in 0..<count { sum[x] = 0 }
    for line in 0..<high {
      rows.readLuma(place * high + line, into: samples)
      Self.add(samples, wide, to: sum, count: count)
    }
    Self.divide(sum, by: wide * high, count: count)
  }

  /// Reads a row of squares of chroma into `sum` and `otherSum`.
  private func readChroma(_ place: Int) {
    let (wide, high, count) = (plan.chromaColumns.square, plan.chromaRows.square, plan.chromaColumns.count)
    let (blues, reds) = (samples, samples + plan.chromaColumns.length)
    for x in 0..<count { (sum[x], otherSum[x]) = (0, 0) }
    for line in 0..<high {
      rows.readChroma(place * high + line, blue: blues, red: reds)
      Self.add(blues, wide, to: sum, count: count)
      Self.add(reds, wide, to: otherSum, count: count)
    }
    Self.divide(sum, by: wide * high, count: count)
    Self.divide(otherSum, by: wide * high, count: count)
  }

  private static func add(
    _ samples: UnsafePointer<UInt16>, _ square: Int, to sum: UnsafeMutablePointer<Int32>, count: Int
  ) {
    switch square {
    case 1: for x in 0..<count { sum[x] = sum[x] &+ Int32(samples[x]) }
    case 2: for x in 0..<count { sum[x] = sum[x] &+ Int32(samples[2 &* x]) &+ Int32(samples[2 &* x &+ 1]) }
    case 3:
      for x in 0..<count {
        let at = 3 &* x
        sum[x] = sum[x] &+ Int32(samples[at]) &+ Int32(samples[at &+ 1]) &+ Int32(samples[at &+ 2])
      }
    default:
      for x in 0..<count {
        for part in 0..<square { sum[x] = sum[x] &+ Int32(samples[square &* x &+ part]) }
      }
    }
  }

  private static func divide(_ sum: UnsafeMutablePointer<Int32>, by area: Int, count: Int) {
    if area == 1 {
      for x in 0..<count { sum[x] = sum[x] &<< 4 }
    } else {
      let factor = 16 / Float(area)
      for x in 0..<count { sum[x] = Int32((Float(sum[x]) * factor).rounded()) }
    }
  }

  /// Interpolates a row, whose values are 256 times as large.
  private static func spread(
    _ row: UnsafePointer<Int32>, _ steps: Steps, to target: UnsafeMutablePointer<Int32>, count: Int
  ) {
    if count == steps.length {
      for x in 0..<count { target[x] = (row[x] &+ 128) &>> 8 }
      return
    }
    steps.first.withUnsafeBufferPointer { first in
      steps.weight.withUnsafeBufferPointer { weight in
        for x in 0..<count {
          let (at, share) = (Int(first[x]), weight[x])
          // 14 bits, 8 of the rows, 8 of the columns: without those of the rows.
          let (left, right) = (row[at] &>> 4, row[at &+ 1] &>> 4)
          target[x] = (left &* (256 &- share) &+ right &* share &+ 2048) &>> 12
        }
      }
    }
  }
}
