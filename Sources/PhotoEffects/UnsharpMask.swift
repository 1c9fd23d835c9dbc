// Makes fine detail stand out.

import CameraCore
import Foundation

/// An unsharp mask on the brightness: `out = in + amount · core(y − blur(y))`, the same addition to all three channels, so
/// that no coloured rims appear.
///
/// `y` is ITU-R BT.601 in 8-bit steps. `blur` is a Gaussian whose sigma is 0.0006 of the full picture's diagonal (1.3
/// pixels at 1920×1080), in proportion less for a preview. `core` takes two steps off every difference, so that a camera's
/// noise is left alone. `amount` is 2 at full sharpness.
struct UnsharpMask: Sendable {
  /// 0 to 1.
  let sharpness: Double

  static let strength = 2.0
  static let core = 2

  /// In pixels of a picture of `size` that stands for one of `fullSize`.
  static func sigma(size: PixelSize, fullSize: PixelSize) -> Double {
    func diagonal(_ size: PixelSize) -> Double { Double(size.width * size.width + size.height * size.height).squareRoot() }
    let full = diagonal(fullSize)
    return 0.0006 * full * min(1, diagonal(size) / max(full, 1))
  }

  /// The Gaussian over each pixel's width, the middle first, in units of 1/256 that sum up to 256 with the mirrored half.
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
    let weights = Self.weights(sigma: Self.sigma(size: view.size, fullSize: context.fullSize))
    let radius = weights.count - 1
    let amount = Int32((sharpness * Self.strength * 256).rounded())
    guard amount > 0, radius > 0 else { return }
    // Rows of brightness with `radius` more at both ends, which repeat the edge.
    let stride = view.width + 2 * radius
    scratch.withBytes("sharpness.brightness", count: stride * view.height) { plane in
      RowBands.forEach(rows: view.height, width: view.width, threads: scratch.threadCount) { rows in
        for y in rows { Self.brightness(view, y, plane + y * stride, radius) }
      }
      RowBands.forEach(rows: view.height, width: view.width, threads: scratch.threadCount) { rows in
        withUnsafeTemporaryAllocation(of: UInt16.self, capacity: 2 * stride) { sums in
          let sums = sums.baseAddress!
          for y in rows {
            Self.blurDown(plane, y, view.height, stride, weights, sums)
            Self.blurAcross(sums, view.width, weights, sums + stride)
            Self.sharpen(view, y, plane + y * stride + radius, sums + stride, amount)
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

  /// Sums of a column's pixels by their weights: up to 255 · 256.
  private static func blurDown(
    _ plane: UnsafeMutablePointer<UInt8>, _ y: Int, _ height: Int, _ stride: Int, _ weights: [UInt16],
    _ sums: UnsafeMutablePointer<UInt16>
  ) {
    let middle = plane + y * stride
    let first = weights[0]
    for x in 0..<stride { sums[x] = UInt16(middle[x]) &* first }
    for distance in 1..<weights.count {
      let above = plane + max(0, y - distance) * stride
      let below = plane + min(height - 1, y + distance) * stride
      let weight = weights[distance]
      for x in 0..<stride { sums[x] = sums[x] &+ (UInt16(above[x]) &+ UInt16(below[x])) &* weight }
    }
    // Six bits more than a byte's: enough not to be seen, and the next sum fits into 16 bits with weights of 256.
    for x in 0..<stride { sums[x] = (sums[x] &+ 128) &>> 8 }
  }

  private static func blurAcross(
    _ sums: UnsafeMutablePointer<UInt16>, _ width: Int, _ weights: [UInt16], _ out: UnsafeMutablePointer<UInt16>
  ) {
    let middle = sums + weights.count - 1
    let first = weights[0]
    for x in 0..<width { out[x] = middle[x] &* first }
    for distance in 1..<weights.count {
      let weight = weights[distance]
      let left = middle - distance
      let right = middle + distance
      for x in 0..<width { out[x] = out[x] &+ (left[x] &+ right[x]) &* weight }
    }
  }

  private static func sharpen(
    _ view: PixelView, _ y: Int, _ brightness: UnsafePointer<UInt8>, _ blurred: UnsafePointer<UInt16>, _ amount: Int32
  ) {
    let row = view.row(y)
    let core = Int32(core) << 8
    for x in 0..<view.width {
      let difference = Int32(brightness[x]) &<< 8 &- Int32(blurred[x])
      let cored = difference > core ? difference &- core : difference < -core ? difference &+ core : 0
      let step = (cored &* amount &+ 1 << 15) &>> 16
      let pixel = row[x]
      func moved(_ shift: UInt32) -> UInt32 {
        let value = Int32(truncatingIfNeeded: pixel &>> shift & 255) &+ step
        return UInt32(truncatingIfNeeded: value < 0 ? 0 : value > 255 ? 255 : value) &<< shift
      }
      row[x] = moved(0) | moved(8) | moved(16) | Pixel.unused
    }
  }
}
