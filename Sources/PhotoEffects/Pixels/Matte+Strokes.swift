// Mattes that a person has corrected with a brush.

import CameraCore

extension Matte {
  /// The matte with strokes of a brush over it, in their order; the same one without strokes.
  ///
  /// Whoever paints somebody in is sure that somebody is there: `presence` is 1 then. What was uncertain before, and so only
  /// partly shown, stays so.
  public func corrected(by strokes: [MatteStroke]) -> Matte {
    guard !strokes.isEmpty else { return self }
    let shown = min(1, max(0, presence))
    let block = FrameBlock(count: size.area) { target in
      self.block.withUnsafeBytes { source in
        guard shown < 1 else { return target.copyMemory(from: source) }
        for index in 0..<size.area { target[index] = UInt8((Double(source[index]) * shown).rounded()) }
      }
      for stroke in strokes { BrushStroke(stroke, on: size).draw(into: target) }
    }
    return Matte(size: size, block: block, presence: 1)
  }
}

/// A stroke in the pixels of one matte.
struct BrushStroke {
  /// The part of the radius in which the brush has its full strength.
  static let core: Float = 0.6
  /// In pixels: a smaller brush would fall between pixels.
  static let leastRadius: Float = 0.75
  /// In pixels: the edge of a larger brush is so soft that it can be drawn at a part of the size, in as little time as a
  /// small one.
  static let largestRadius: Float = 32

  private let size: PixelSize
  private let mode: MatteStroke.Mode
  private let radius: Float
  private let points: [SIMD2<Float>]

  init(_ stroke: MatteStroke, on size: PixelSize) {
    (self.size, mode) = (size, stroke.mode)
    radius = max(Self.leastRadius, Float(stroke.radius) * Float(max(size.width, size.height)))
    points = stroke.points.map { SIMD2(Float($0.x) * Float(size.width), Float($0.y) * Float(size.height)) }
  }

  /// The coverage of the same stroke on a matte whose pixels are as large as several of this one.
  private init(coverageOf stroke: BrushStroke, scale: Int) {
    mode = .add
    size = PixelSize(
      width: (stroke.size.width + scale - 1) / scale, height: (stroke.size.height + scale - 1) / scale)
    radius = stroke.radius / Float(scale)
    points = stroke.points.map { $0 / Float(scale) }
  }

  /// Draws it. Where the stroke crosses itself it is no stronger, so its segments may be drawn one by one.
  ///
  /// - Parameter matte: `size.area` bytes.
  func draw(into matte: UnsafeMutableRawBufferPointer) {
    let scale = Int(radius / Self.largestRadius)
    guard scale > 1 else { return drawSegments(into: matte) }
    let small = BrushStroke(coverageOf: self, scale: scale)
    var coverage = [UInt8](repeating: 0, count: small.size.area)
    coverage.withUnsafeMutableBytes { small.drawSegments(into: $0) }
    cover(matte, by: coverage, small.size, scale: scale)
  }

  /// Draws a coverage of a smaller size, linear between the centers of its pixels.
  private func cover(
    _ matte: UnsafeMutableRawBufferPointer, by coverage: [UInt8], _ small: PixelSize, scale: Int
  ) {
    guard let first = points.first else { return }
    let (low, high) = points.reduce((first, first)) { (pointwiseMin($0.0, $1), pointwiseMax($0.1, $1)) }
    let reach = radius + Float(scale)
    let rows = Self.range(low.y - reach, high.y + reach, below: size.height)
    let columns = Self.range(low.x - reach, high.x + reach, below: size.width)
    let across = LinearPlaces(from: small.width, to: size.width, scale: Float(scale))
    let down = LinearPlaces(from: small.height, to: size.height, scale: Float(scale))
    for y in rows {
      let (row, share) = down[y]
      let (upper, lower) = (row * small.width, min(row + 1, small.height - 1) * small.width)
      for x in columns {
        let (left, part) = across[x]
        let right = min(left + 1, small.width - 1)
        let top = Float(coverage[upper + left]) * (1 - part) + Float(coverage[upper + right]) * part
        let bottom = Float(coverage[lower + left]) * (1 - part) + Float(coverage[lower + right]) * part
        put(UInt8(top + (bottom - top) * share + 0.5), on: &matte[y * size.width + x])
      }
    }
  }

  private func put(_ byte: UInt8, on matte: inout UInt8) {
    matte = mode == .add ? max(matte, byte) : min(matte, 255 - byte)
  }

  private func drawSegments(into matte: UnsafeMutableRawBufferPointer) {
    guard let first = points.first else { return }
    var last = first
    for point in points.count == 1 ? points[...] : points.dropFirst() {
      draw(from: last, to: point, into: matte)
      last = point
    }
  }

  private func draw(from start: SIMD2<Float>, to end: SIMD2<Float>, into matte: UnsafeMutableRawBufferPointer) {
    let reach = radius + 1
    let (way, low, high) = (end - start, pointwiseMin(start, end) - reach, pointwiseMax(start, end) + reach)
    let length = (way * way).sum()
    let columns = Self.range(low.x, high.x, below: size.width)
    for y in Self.range(low.y, high.y, below: size.height) {
      let row = y * size.width
      for x in columns {
        // From the center of the pixel to the nearest place of the segment.
        let place = SIMD2(Float(x) + 0.5, Float(y) + 0.5) - start
        let share = length > 0 ? min(1, max(0, (place * way).sum() / length)) : 0
        let apart = place - way * share
        let strength = Self.strength((apart * apart).sum().squareRoot() / radius)
        guard strength > 0 else { continue }
        put(UInt8(strength * 255 + 0.5), on: &matte[row + x])
      }
    }
  }

  private static func range(_ low: Float, _ high: Float, below count: Int) -> Range<Int> {
    let first = Int(max(0, min(Float(count), low.rounded(.down))))
    return first..<max(first, Int(max(0, min(Float(count), high.rounded(.up)))))
  }

  /// The strength of the brush, 0…1, at a distance from its center in parts of the radius: full inside, then a smooth step
  /// (3t² − 2t³) to nothing.
  static func strength(_ distance: Float) -> Float {
    let rest = min(1, max(0, (1 - distance) / (1 - core)))
    return rest * rest * (3 - 2 * rest)
  }
}
