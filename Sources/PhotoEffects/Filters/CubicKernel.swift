// Bicubic interpolation.

/// The Catmull-Rom cubic at 128 fractions of a pixel, in 1/128. Each fraction's weights add up to 128.
struct CubicKernel {
  /// For each fraction four weights, each in eight lanes.
  private let down: UnsafePointer<SIMD8<Int16>>
  /// For each fraction the weights of the first and second pixel, then of the third and fourth, each in four lanes.
  private let across: UnsafePointer<SIMD8<Int16>>

  static let weights: [[Int16]] = (0..<128).map { step in
    let t = Double(step) / 128
    let exact = [
      ((2 - t) * t - 1) * t / 2, ((3 * t - 5) * t * t + 2) / 2, ((4 - 3 * t) * t + 1) * t / 2, (t - 1) * t * t / 2,
    ]
    var rounded = exact.map { Int16(($0 * 128).rounded()) }
    rounded[t < 0.5 ? 1 : 2] += 128 - rounded.reduce(0, +)
    return rounded
  }

  private static let downTable = weights.flatMap { $0.map { SIMD8<Int16>(repeating: $0) } }
  private static let acrossTable = weights.flatMap { weights in
    [0, 2].map { first in
      SIMD8(
        lowHalf: SIMD4<Int16>(repeating: weights[first]), highHalf: SIMD4<Int16>(repeating: weights[first + 1]))
    }
  }

  static func withWeights<R>(_ body: (CubicKernel) throws -> R) rethrows -> R {
    try downTable.withUnsafeBufferPointer { down in
      try acrossTable.withUnsafeBufferPointer { across in
        try body(CubicKernel(down: down.baseAddress!, across: across.baseAddress!))
      }
    }
  }

  /// The color at `x + fx/128`, `y + fy/128`; equal neighbors give themselves.
  @inline(__always)
  func sample(_ source: PixelView, x: Int, y: Int, fx: Int, fy: Int) -> UInt32 {
    if x >= 1 && y >= 1 && x + 2 < source.width && y + 2 < source.height {
      return sample(source.row(y &- 1) + (x &- 1), source.stride, fx, fy)
    }
    return sampleAtEdge(source, x, y, fx, fy)
  }

  @inline(never)
  private func sampleAtEdge(_ source: PixelView, _ x: Int, _ y: Int, _ fx: Int, _ fy: Int) -> UInt32 {
    withUnsafeTemporaryAllocation(of: UInt32.self, capacity: 16) { pixels in
      for row in 0..<4 {
        let from = source.row(min(max(y + row - 1, 0), source.height - 1))
        for column in 0..<4 { pixels[4 * row + column] = from[min(max(x + column - 1, 0), source.width - 1)] }
      }
      return sample(pixels.baseAddress!, 4, fx, fy)
    }
  }

  /// - Parameter first: The top left of the sixteen pixels.
  @inline(__always)
  private func sample(_ first: UnsafePointer<UInt32>, _ stride: Int, _ fx: Int, _ fy: Int) -> UInt32 {
    // Channels are taken as −128…127: times weights of at most 1.25 · 128 in all, the sums stay within 16 bits.
    var left = SIMD8<Int16>.zero
    var right = SIMD8<Int16>.zero
    for row in 0..<4 {
      let pixels = UnsafeRawPointer(first + row &* stride)
      let weight = down[4 &* fy &+ row]
      left &+= (SIMD8<Int16>(truncatingIfNeeded: pixels.loadUnaligned(as: SIMD8<UInt8>.self)) &- 128) &* weight
      right &+=
        (SIMD8<Int16>(truncatingIfNeeded: pixels.loadUnaligned(fromByteOffset: 8, as: SIMD8<UInt8>.self)) &- 128)
        &* weight
    }
    let pairs =
      ((left &+ 64) &>> 7) &* across[2 &* fx] &+ ((right &+ 64) &>> 7) &* across[2 &* fx &+ 1]
    let sum = (pairs.lowHalf &+ pairs.highHalf &+ 64) &>> 7 &+ 128
    let low = sum.replacing(with: 0, where: sum .< 0)
    let held = low.replacing(with: 255, where: low .> 255)
    return unsafeBitCast(SIMD4<UInt8>(truncatingIfNeeded: held), to: UInt32.self) | Pixel.unused
  }
}
