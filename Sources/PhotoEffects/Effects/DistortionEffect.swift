// The mirror room's effects: distortions about the middle of the picture.

import CameraCore

/// Applies a `Distortion` with bilinear sampling, edges repeated.
///
/// The factors are polynomials in `ρ²`, the same at every size and computed eight pixels at a time. A stored map of every
/// pixel's source would take 16 MB at 1920×1080 for each thread, and be rebuilt for each size and intensity.
public struct DistortionEffect: PixelEffect {
  public let distortion: Distortion
  public var movesPixels: Bool { true }

  public init(_ distortion: Distortion) { self.distortion = distortion }

  public func apply(to view: PixelView, intensity: Double, context: FrameContext, scratch: EffectScratch) {
    let intensity = min(max(intensity, 0), 1)
    guard intensity > 0 else { return }
    let real = Polynomial { distortion.factor(square: $0, intensity: intensity).real }
    let imaginary = Polynomial { distortion.factor(square: $0, intensity: intensity).imaginary }
    // Measured on the view itself: a preview has the full picture's proportions.
    let radius = Float(distortion.radius(width: Double(view.width), height: Double(view.height)))
    BilinearSource.withCopy(of: view, scratch: scratch) { source in
      real.coefficients.withUnsafeBufferPointer { real in
        imaginary.coefficients.withUnsafeBufferPointer { imaginary in
          RowBands.run(rows: view.height, width: view.width, threads: scratch.threadCount) { rows in
            let blocks = (view.width + 7) / 8
            withUnsafeTemporaryAllocation(of: SIMD8<UInt32>.self, capacity: 2 * blocks) { places in
              let places = places.baseAddress!
              for y in rows {
                let inner = Self.blocksThatMove(view, y, radius)
                Self.find(view, y, places, places + blocks, inner, real, imaginary, radius)
                let xs = UnsafeRawPointer(places).assumingMemoryBound(to: UInt32.self)
                let ys = UnsafeRawPointer(places + blocks).assumingMemoryBound(to: UInt32.self)
                let row = view.row(y)
                let columns = 8 * inner.lowerBound..<min(8 * inner.upperBound, view.width)
                for x in 0..<columns.lowerBound { row[x] |= Pixel.unused }
                for x in columns { row[x] = source.sample(x: Int(xs[x]), y: Int(ys[x])) }
                for x in columns.upperBound..<view.width { row[x] |= Pixel.unused }
              }
            }
          }
        }
      }
    }
  }

  /// The blocks of eight pixels of a row that reach into the circle.
  private static func blocksThatMove(_ view: PixelView, _ y: Int, _ radius: Float) -> Range<Int> {
    let dy = Float(y) - Float(view.height - 1) / 2
    let chord = max(0, radius * radius - dy * dy).squareRoot()
    let middle = Float(view.width - 1) / 2
    let first = Int(max(0, middle - chord)) / 8
    let last = Int(min(Float(view.width - 1), middle + chord + 1)) / 8
    return first..<last + 1
  }

  /// The source positions of the pixels of a row, in 1/256 of a pixel.
  private static func find(
    _ view: PixelView, _ y: Int, _ xs: UnsafeMutablePointer<SIMD8<UInt32>>, _ ys: UnsafeMutablePointer<SIMD8<UInt32>>,
    _ blocks: Range<Int>, _ real: UnsafeBufferPointer<Float>, _ imaginary: UnsafeBufferPointer<Float>, _ radius: Float
  ) {
    let lastX = Float(view.width - 1)
    let lastY = Float(view.height - 1)
    let dy = Float(y) - lastY / 2
    let perSquare = 1 / (radius * radius)
    var dx = SIMD8<Float>(0, 1, 2, 3, 4, 5, 6, 7) + (Float(8 * blocks.lowerBound) - lastX / 2)
    let isTurning = imaginary.count > 1
    for block in blocks {
      let square = (dx * dx + dy * dy) * perSquare
      let still = square .>= 1
      let a = Polynomial.evaluate(real, at: square).replacing(with: 1, where: still)
      var x = dx * a + lastX / 2
      var y = a * dy + lastY / 2
      if isTurning {
        let b = Polynomial.evaluate(imaginary, at: square).replacing(with: 0, where: still)
        x -= b * dy
        y += dx * b
      }
      xs[block] = Pixel.nearest(Pixel.held(x, to: lastX) * 256)
      ys[block] = Pixel.nearest(Pixel.held(y, to: lastY) * 256)
      dx += 8
    }
  }
}
