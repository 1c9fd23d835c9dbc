// Conversion between the frames of movies, 4:2:0, and the pixels that effects work on, BGRX.

import CGStreamer
import CameraCore
import PhotoEffects

/// Converts I420 frames to BGRX and back, in one color space.
///
/// With luma Y' and chroma relative to 128, both scaled to the range 0…1, and the space's weights of red and blue K_R, K_B
/// (ITU-T H.273, 8.3):
///
///     R = Y' + 2 (1 - K_R) Cr        G = Y' - 2 (1 - K_B) K_B / K_G · Cb - 2 (1 - K_R) K_R / K_G · Cr
///     B = Y' + 2 (1 - K_B) Cb        Y' = K_R R + K_G G + K_B B
///
/// A chroma sample is copied to its four pixels, and on the way back is their average. So an unchanged picture keeps its
/// colors where they are, whatever chroma location its encoder had meant. A round trip changes samples by rounding, at
/// most one or two of 255 steps, and clips colors outside of RGB.
struct MovieColors: Sendable, Hashable {
  /// A color space.
  struct Space: Sendable, Hashable {
    /// The weights of red and blue in luma.
    var red: Double
    var blue: Double
    /// Whether luma is 0…255 and not 16…235.
    var isFullRange: Bool

    /// The space of movies that don't say: BT.709, limited range.
    static let bt709 = Space(red: 0.2126, blue: 0.0722, isFullRange: false)
  }

  let space: Space
  private let toPixels: ToPixels
  private let toPicture: ToPicture

  init(_ space: Space) {
    self.space = space
    toPixels = ToPixels(space)
    toPicture = ToPicture(space)
  }

  // Factors for `product`, which divides by 65536: samples are multiplied by 128 first, results are in 16ths or 64ths.

  private struct ToPixels: Hashable {
    var luma, redOfRed, blueOfBlue, greenOfBlue, greenOfRed: Int16
    var black: Int16

    init(_ space: Space) {
      let green = 1 - space.red - space.blue
      let (lumaScale, chromaScale) = space.isFullRange ? (1.0, 1.0) : (255.0 / 219, 255.0 / 224)
      func factor(_ value: Double) -> Int16 { Int16((value * 8192).rounded()) }
      luma = factor(lumaScale)
      redOfRed = factor(chromaScale * 2 * (1 - space.red))
      blueOfBlue = factor(chromaScale * 2 * (1 - space.blue))
      greenOfBlue = factor(-chromaScale * 2 * (1 - space.blue) * space.blue / green)
      greenOfRed = factor(-chromaScale * 2 * (1 - space.red) * space.red / green)
      black = space.isFullRange ? 0 : 16
    }
  }

  private struct ToPicture: Hashable {
    /// The weights of red, green and blue.
    var luma, blue, red: SIMD3<Int16>
    var black: Int16

    init(_ space: Space) {
      let weights = SIMD3(space.red, 1 - space.red - space.blue, space.blue)
      let (lumaScale, chromaScale) = space.isFullRange ? (1.0, 1.0) : (219.0 / 255, 224.0 / 255)
      func factors(_ values: SIMD3<Double>) -> SIMD3<Int16> {
        let scaled = (values * 32768).rounded(.toNearestOrEven)
        return SIMD3(Int16(clamping: Int(scaled.x)), Int16(clamping: Int(scaled.y)), Int16(clamping: Int(scaled.z)))
      }
      luma = factors(weights * lumaScale)
      blue = factors((SIMD3(0, 0, 1) - weights) * (chromaScale / 2 / (1 - space.blue)))
      red = factors((SIMD3(1, 0, 0) - weights) * (chromaScale / 2 / (1 - space.red)))
      black = space.isFullRange ? 0 : 16
    }
  }

  // The loops over rows are plain, so that the compiler vectorizes them.

  /// The upper half of a product: one instruction for eight numbers.
  @inline(__always)
  private static func product(_ a: Int16, _ b: Int16) -> Int16 {
    Int16(truncatingIfNeeded: (Int32(a) &* Int32(b)) &>> 16)
  }

  @inline(__always)
  private static func byte(_ value: Int16) -> Int16 { min(max(value, 0), 255) }

  // MARK: To pixels

  /// - Parameters:
  ///   - planes: Described by `layout`, which is `I420` with even sides.
  ///   - target: Of the same size.
  func convert(_ planes: UnsafeRawBufferPointer, _ layout: RawLayout, into target: PixelView) {
    guard let base = planes.assumingMemoryBound(to: UInt8.self).baseAddress else { return }
    let half = target.width / 2
    withUnsafeTemporaryAllocation(of: Int16.self, capacity: 3 * half) { room in
      guard let shares = room.baseAddress else { return }
      for y in 0..<target.height {
        if y.isMultiple(of: 2) {
          fillShares(
            shares, blue: base + layout.offsets[1] + y / 2 * layout.strides[1],
            red: base + layout.offsets[2] + y / 2 * layout.strides[2], count: half)
        }
        fill(target.row(y), luma: base + layout.offsets[0] + y * layout.strides[0], shares, count: half)
      }
    }
  }

  /// The shares of chroma in red, green and blue, in 16ths: three rows, one after the other.
  private func fillShares(
    _ shares: UnsafeMutablePointer<Int16>, blue: UnsafePointer<UInt8>, red: UnsafePointer<UInt8>, count: Int
  ) {
    let factors = toPixels
    let (reds, greens, blues) = (shares, shares + count, shares + 2 * count)
    for x in 0..<count {
      let cb = (Int16(truncatingIfNeeded: blue[x]) &- 128) &<< 7
      let cr = (Int16(truncatingIfNeeded: red[x]) &- 128) &<< 7
      reds[x] = Self.product(cr, factors.redOfRed)
      greens[x] = Self.product(cb, factors.greenOfBlue) &+ Self.product(cr, factors.greenOfRed)
      blues[x] = Self.product(cb, factors.blueOfBlue)
    }
  }

  /// - Parameter count: Of pairs of pixels.
  private func fill(
    _ pixels: UnsafeMutablePointer<UInt32>, luma: UnsafePointer<UInt8>, _ shares: UnsafePointer<Int16>, count: Int
  ) {
    let factors = toPixels
    let (reds, greens, blues) = (shares, shares + count, shares + 2 * count)
    for pair in 0..<count {
      for x in 2 &* pair...2 &* pair &+ 1 {
        // 9 in 16ths: a half, and the average loss of truncating the products.
        let light = Self.product((Int16(truncatingIfNeeded: luma[x]) &- factors.black) &<< 7, factors.luma) &+ 9
        let red = Self.byte((light &+ reds[pair]) &>> 4)
        let green = Self.byte((light &+ greens[pair]) &>> 4)
        let blue = Self.byte((light &+ blues[pair]) &>> 4)
        let lower = UInt32(truncatingIfNeeded: UInt16(bitPattern: blue | green &<< 8))
        pixels[x] = lower | UInt32(truncatingIfNeeded: red) &<< 16 | 0xFF00_0000
      }
    }
  }

  // MARK: To pictures

  /// - Parameters:
  ///   - source: With even sides.
  ///   - layout: `I420` of the same size.
  func convert(_ source: PixelView, into planes: UnsafeMutableRawBufferPointer, _ layout: RawLayout) {
    guard let base = planes.assumingMemoryBound(to: UInt8.self).baseAddress else { return }
    let width = source.width
    withUnsafeTemporaryAllocation(of: Int16.self, capacity: 6 * width) { room in
      guard let channels = room.baseAddress else { return }
      for pair in 0..<source.height / 2 {
        for row in 0..<2 {
          fillLuma(
            base + layout.offsets[0] + (2 * pair + row) * layout.strides[0], source.row(2 * pair + row),
            channels + 3 * row * width, count: width)
        }
        fillChroma(base + layout.offsets[1] + pair * layout.strides[1], channels, toPicture.blue, count: width / 2)
        fillChroma(base + layout.offsets[2] + pair * layout.strides[2], channels, toPicture.red, count: width / 2)
      }
    }
  }

  /// - Parameter channels: Gets red, green and blue, a row each.
  private func fillLuma(
    _ luma: UnsafeMutablePointer<UInt8>, _ pixels: UnsafePointer<UInt32>, _ channels: UnsafeMutablePointer<Int16>,
    count: Int
  ) {
    let (ofRed, ofGreen, ofBlue, black) = (toPicture.luma.x, toPicture.luma.y, toPicture.luma.z, toPicture.black)
    let (reds, greens, blues) = (channels, channels + count, channels + 2 * count)
    for x in 0..<count {
      let red = Int16(truncatingIfNeeded: pixels[x] &>> 16 & 0xFF)
      let green = Int16(truncatingIfNeeded: pixels[x] &>> 8 & 0xFF)
      let blue = Int16(truncatingIfNeeded: pixels[x] & 0xFF)
      (reds[x], greens[x], blues[x]) = (red, green, blue)
      // 34 in 64ths: a half, and the average loss of truncating the products.
      let sum =
        Self.product(red &<< 7, ofRed) &+ Self.product(green &<< 7, ofGreen) &+ Self.product(blue &<< 7, ofBlue) &+ 34
      luma[x] = UInt8(truncatingIfNeeded: Self.byte((sum &>> 6) &+ black))
    }
  }

  /// - Parameters:
  ///   - channels: Red, green and blue of two rows.
  ///   - count: Of pairs of pixels.
  private func fillChroma(
    _ samples: UnsafeMutablePointer<UInt8>, _ channels: UnsafePointer<Int16>, _ factors: SIMD3<Int16>, count: Int
  ) {
    let (ofRed, ofGreen, ofBlue) = (factors.x, factors.y, factors.z)
    let width = 2 * count
    for pair in 0..<count {
      @inline(__always)
      func sum(_ channel: Int) -> Int16 {
        let upper: Int = channel &* width &+ 2 &* pair
        let lower: Int = upper &+ 3 &* width
        let two: Int16 = channels[upper] &+ channels[upper &+ 1]
        return (two &+ channels[lower] &+ channels[lower &+ 1]) &<< 5
      }
      let value =
        Self.product(sum(0), ofRed) &+ Self.product(sum(1), ofGreen) &+ Self.product(sum(2), ofBlue) &+ 34
      samples[pair] = UInt8(truncatingIfNeeded: Self.byte((value &>> 6) &+ 128))
    }
  }
}

extension MovieColors.Space {
  /// - Parameter layout: Of a decoded frame.
  init(_ layout: RawLayout) {
    var info = GstVideoInfo()
    guard let described = GstVideoInfo(layout.kind) else {
      self = .bt709
      return
    }
    info = described
    var (red, blue) = (0.0, 0.0)
    let isKnown = gst_video_color_matrix_get_Kr_Kb(info.colorimetry.matrix, &red, &blue) != 0 && red > 0 && blue > 0
    self = isKnown ? Self(red: red, blue: blue, isFullRange: false) : .bt709
    isFullRange = info.colorimetry.range == GST_VIDEO_COLOR_RANGE_0_255
  }
}
