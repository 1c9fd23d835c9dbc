// Downscaling of pictures for sharing.

import CameraCore

/// Scales pictures down into a square, with even sides as movies need. Smaller ones keep their size.
///
/// Area averaging: each pixel of the result is the mean of the pixels it covers, weighted by coverage, so that no line gets
/// lost between two pixels and a still scene stays calm. First along rows, then along columns, in single precision; sRGB
/// values are averaged as they are, as image viewers do.
public struct SizeReduction: FrameProcessing {
  /// In pixels.
  public let longestSide: Int

  /// - Parameter longestSide: At least 16.
  public init(longestSide: Int) { self.longestSide = max(16, longestSide) }

  public func outputSize(for source: PixelSize) -> PixelSize {
    let longest = max(source.width, source.height)
    let scale = longest > longestSide ? Double(longestSide) / Double(longest) : 1
    func side(_ length: Int) -> Int { max(2, Int((Double(length) * scale / 2).rounded()) * 2) }
    guard scale < 1 else { return PixelSize(width: max(2, source.width & ~1), height: max(2, source.height & ~1)) }
    return PixelSize(
      width: min(side(source.width), source.width & ~1), height: min(side(source.height), source.height & ~1))
  }

  /// - Throws: `RecipeError.wrongTargetSize`.
  public func render(
    _ source: PixelView, into target: PixelView, context: FrameContext, scratch: EffectScratch
  ) throws {
    let size = outputSize(for: source.size)
    guard target.size == size else {
      throw RecipeError.wrongTargetSize(given: target.size.description, needed: size.description)
    }
    guard size.width < source.width - 1 || size.height < source.height - 1 else {
      for y in 0..<size.height { target.row(y).update(from: source.row(y), count: size.width) }
      return
    }
    let columns = Shares(from: source.width, to: size.width)
    let rows = Shares(from: source.height, to: size.height)
    // Blue, green and red of a row of the result, summed over the source's rows.
    scratch.withFloats("reduced rows", count: 6 * size.width) { room in
      let (sums, row) = (room, room + 3 * size.width)
      for y in 0..<size.height {
        for index in 0..<3 * size.width { sums[index] = 0.5 }
        rows.forEach(y) { line, share in
          columns.reduce(source.row(line), into: row)
          for index in 0..<3 * size.width { sums[index] += row[index] * share }
        }
        let pixels = target.row(y)
        for x in 0..<size.width {
          let (blue, green, red) = (UInt32(sums[3 * x]), UInt32(sums[3 * x + 1]), UInt32(sums[3 * x + 2]))
          pixels[x] = min(blue, 255) | min(green, 255) << 8 | min(red, 255) << 16 | 0xFF00_0000
        }
      }
    }
  }

  /// The pixels of a long row that each pixel of a short one covers, with their shares.
  private struct Shares {
    private let step: Double
    private let length: Int

    init(from length: Int, to count: Int) {
      self.length = length
      step = Double(length) / Double(count)
    }

    /// The shares of one pixel add up to 1.
    @inline(__always)
    func forEach(_ index: Int, _ body: (_ source: Int, _ share: Float) -> Void) {
      let (start, end) = (Double(index) * step, min(Double(length), Double(index + 1) * step))
      var place = Int(start)
      while place < length, Double(place) < end - 1e-9 {
        let covered = min(end, Double(place + 1)) - max(start, Double(place))
        body(place, Float(covered / step))
        place += 1
      }
    }

    /// - Parameter row: Gets blue, green and red of each pixel.
    @inline(__always)
    func reduce(_ pixels: UnsafePointer<UInt32>, into row: UnsafeMutablePointer<Float>) {
      let count = Int((Double(length) / step).rounded())
      for x in 0..<count {
        var (blue, green, red): (Float, Float, Float) = (0, 0, 0)
        forEach(x) { place, share in
          let pixel = pixels[place]
          blue += Float(pixel & 0xFF) * share
          green += Float(pixel >> 8 & 0xFF) * share
          red += Float(pixel >> 16 & 0xFF) * share
        }
        (row[3 * x], row[3 * x + 1], row[3 * x + 2]) = (blue, green, red)
      }
    }
  }
}
