// Sharpening.

import CameraCore
import Foundation

/// An unsharp mask on luma: `out = in + amount · core(y − blur(y))`, the same addition to all three channels, so that no
/// color fringes appear.
///
/// `y` is ITU-R BT.601 in 8-bit steps. `blur` is a Gaussian whose sigma is 0.0006 of the full picture's diagonal (1.3
/// pixels at 1920×1080), in proportion less for a preview. `core` subtracts two steps from every difference, so that
/// camera noise is left alone. `amount` is 2 at full sharpness.
struct UnsharpMask: Sendable {
  /// 0 to 1.
  let sharpness: Double

  static let strength = 2.0
  static let core = 2

  /// The blur's sigma, in pixels of a picture of `size` that represents one of `fullSize`.
  static func sigma(size: PixelSize, fullSize: PixelSize) -> Double {
    func diagonal(_ size: PixelSize) -> Double {
      Double(size.width * size.width + size.height * size.height).squareRoot()
    }
    let full = diagonal(fullSize)
    return 0.0006 * full * min(1, diagonal(size) / max(full, 1))
  }

  /// The Gaussian integrated over each pixel, the middle first, in units of 1/256 that add up to 256 with the mirrored half.
  static func weights(sigma: Double) -> [UInt16] {
    func share(_ from: Double, _ to: Double) -> Double {
      (erf(to / (sigma * 2.0.squareRoot())) - erf(from / (sigma * 2.0.squareRoot()))) / 2
    }
    let radius = max(1, Int((2.5 * sigma).rounded(.up)))
    var sides = (1...radius).map { UInt16((256 * share(Double($0) - 0.5, Double($0) + 0.5)).rounded()) }
    while let last = sides.last, last == 0 { sides.removeLast() }
    return [256 - 2 * sides.reduce(0, +)] + sides
  }

  /// Changes a picture in place.
  func apply(to view: PixelView, context: FrameContext, scratch: EffectScratch) {
    apply(to: view, sigma: Self.sigma(size: view.size, fullSize: context.fullSize), scratch: scratch)
  }

  func apply(to view: PixelView, sigma: Double, scratch: EffectScratch) {
    let weights = Self.weights(sigma: sigma)
    let radius = weights.count - 1
    // In 1/1024, so that its product with a difference in 1/128 is twice the step in 2⁻¹⁶.
    let amount = Int16((sharpness * Self.strength * 1024).rounded())
    guard amount > 0, radius > 0 else { return }
    // Rows of luma, padded at both ends by `radius` repeated edge pixels, and to a multiple of eight: results there are
    // unused.
    let stride = (view.width + 2 * radius + 7) & ~7
    scratch.withBytes("sharpness.brightness", count: stride * view.height) { plane in
      RowBands.run(rows: view.height, width: view.width, threads: scratch.threadCount) { rows in
        for y in rows { Self.brightness(view, y, plane + y * stride, radius) }
      }
      RowBands.run(rows: view.height, width: view.width, threads: scratch.threadCount) { rows in
        withUnsafeTemporaryAllocation(of: UInt16.self, capacity: 2 * stride + 16) { sums in
          let sums = sums.baseAddress!
          for y in rows {
            Self.blurDown(plane, y, view.height, stride, weights, sums)
            Self.blurAcross(sums, view.width, weights, sums + stride + 8)
            let steps = UnsafeMutableRawPointer(sums).assumingMemoryBound(to: Int16.self)
            Self.findSteps(plane + y * stride + radius, sums + stride + 8, view.width, amount, steps)
            Self.add(steps, to: view.row(y), view.width)
          }
        }
      }
    }
  }

  private static func brightness(_ view: PixelView, _ y: Int, _ out: UnsafeMutablePointer<UInt8>, _ radius: Int) {
    let row = view.row(y)
    let inner = out + radius
    for x in 0..<view.width {
      let pixel = row[x]
      let sum = 29 &* (pixel & 255) &+ 150 &* (pixel &>> 8 & 255) &+ 77 &* (pixel &>> 16 & 255)
      inner[x] = UInt8(truncatingIfNeeded: (sum &+ 128) &>> 8)
    }
    for x in 0..<radius {
      out[x] = inner[0]
      inner[view.width + x] = inner[view.width - 1]
    }
  }

  /// Weighted sums down the columns, eight columns at once, at most 255 · 256 + 128.
  private static func blurDown(
    _ plane: UnsafeMutablePointer<UInt8>, _ y: Int, _ height: Int, _ stride: Int, _ weights: [UInt16],
    _ out: UnsafeMutablePointer<UInt16>
  ) {
    @inline(__always) func eight(_ row: UnsafeRawPointer, _ x: Int) -> SIMD8<UInt16> {
      SIMD8(truncatingIfNeeded: row.loadUnaligned(fromByteOffset: x, as: SIMD8<UInt8>.self))
    }
    let middle = UnsafeRawPointer(plane + y * stride)
    let out = UnsafeMutableRawPointer(out)
    let count = weights.count
    withUnsafeTemporaryAllocation(of: UnsafeRawPointer.self, capacity: 2 * count) { rows in
      for distance in 1..<count {
        rows[2 * distance] = UnsafeRawPointer(plane + max(0, y - distance) * stride)
        rows[2 * distance + 1] = UnsafeRawPointer(plane + min(height - 1, y + distance) * stride)
      }
      weights.withUnsafeBufferPointer { weights in
        for x in Swift.stride(from: 0, to: stride, by: 8) {
          var sum = eight(middle, x) &* weights[0] &+ 128
          for distance in 1..<count {
            sum &+= (eight(rows[2 &* distance], x) &+ eight(rows[2 &* distance &+ 1], x)) &* weights[distance]
          }
          // Whole steps again, so that the next sum fits into 16 bits; the core hides the rounding error.
          out.storeBytes(of: sum &>> 8, toByteOffset: 2 * x, as: SIMD8<UInt16>.self)
        }
      }
    }
  }

  /// The same along a row, not divided: at most 255 · 256.
  private static func blurAcross(
    _ sums: UnsafeMutablePointer<UInt16>, _ width: Int, _ weights: [UInt16], _ out: UnsafeMutablePointer<UInt16>
  ) {
    let middle = UnsafeRawPointer(sums + weights.count - 1)
    let out = UnsafeMutableRawPointer(out)
    weights.withUnsafeBufferPointer { weights in
      for x in Swift.stride(from: 0, to: width, by: 8) {
        var sum = middle.loadUnaligned(fromByteOffset: 2 * x, as: SIMD8<UInt16>.self) &* weights[0]
        for distance in 1..<weights.count {
          let left = middle.loadUnaligned(fromByteOffset: 2 * (x &- distance), as: SIMD8<UInt16>.self)
          let right = middle.loadUnaligned(fromByteOffset: 2 * (x &+ distance), as: SIMD8<UInt16>.self)
          sum &+= (left &+ right) &* weights[distance]
        }
        out.storeBytes(of: sum, toByteOffset: 2 * x, as: SIMD8<UInt16>.self)
      }
    }
  }

  /// The addition to each pixel. Sixteen bits throughout, so that eight pixels are processed at once.
  private static func findSteps(
    _ brightness: UnsafePointer<UInt8>, _ blurred: UnsafePointer<UInt16>, _ width: Int, _ amount: Int16,
    _ steps: UnsafeMutablePointer<Int16>
  ) {
    let core = Int16(core) << 5
    for x in 0..<width {
      // In 1/32: within ±8160.
      let difference = Int16(brightness[x]) &<< 5 &- Int16(truncatingIfNeeded: blurred[x] &>> 3)
      let above = difference &- core
      let below = difference &+ core
      let cored = (above > 0 ? above : 0) &+ (below < 0 ? below : 0)
      let twice = Int16(truncatingIfNeeded: (Int32(cored &<< 2) &* Int32(amount)) &>> 16)
      steps[x] = (twice &+ 1) &>> 1
    }
  }

  private static func add(_ steps: UnsafePointer<Int16>, to row: UnsafeMutablePointer<UInt32>, _ width: Int) {
    for x in 0..<width {
      let old = SIMD4<Int16>(truncatingIfNeeded: unsafeBitCast(row[x], to: SIMD4<UInt8>.self))
      let new = old &+ SIMD4(repeating: steps[x])
      let low = new.replacing(with: 0, where: new .< 0)
      let held = low.replacing(with: 255, where: low .> 255)
      row[x] = unsafeBitCast(SIMD4<UInt8>(truncatingIfNeeded: held), to: UInt32.self) | Pixel.unused
    }
  }
}
